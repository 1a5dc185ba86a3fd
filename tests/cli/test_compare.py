"""``compare``: which calls are compared, what is printed, and what is sent where profiles are named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received, http_reply

LEFT = '{"a":1.0,"items":[{"id":1,"v":"\x1b[2J"},{"id":2}],"at":1}'
RIGHT = '{"at":2,"items":[{"id":0},{"id":1,"v":"x"},{"id":2}],"a":1.00}'
PASSWORD = "correct-horse"


@contextmanager
def answering(*results: str) -> Iterator[RawServer]:
    """Gives one member after the other: ``"result": …``, or a whole reply."""
    left = iter(results)

    def reply(request: Received) -> bytes:
        member, id = next(left), json.dumps(json.loads(request.body)["id"])
        return http_reply((f'{{"jsonrpc":"2.0","id":{id},{member}}}' if member.startswith('"') else member).encode())

    with RawServer(reply) as server:
        yield server


def made(shell: Shell, *results: str, params: str = "[]") -> list[str]:
    """The ids of calls that brought these, the oldest first."""
    with answering(*results) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nmethod."user.get".ignore = ["/at"]\n')
        for _ in results:
            shell.run("call", "user.get", params)
    return [json.loads(row)["id"] for row in shell.run("history", "list", "--json").text.splitlines()][::-1]


def test_two_records_are_printed_line_by_line_without_what_always_differs(shell: Shell) -> None:
    one, two = made(shell, f'"result":{LEFT}', f'"result":{RIGHT}')
    ran = shell.run("compare", one, two)
    assert (ran.code, ran.err) == (6, "")
    assert ran.text.splitlines() == [
        f"--- {one}  shop  user.get  ✓ result",
        f"+++ {two}  shop  user.get  ✓ result",
        "1 value differs, 1 number is the same but written otherwise, 1 is new; 1 value was left out",
        "  {",
        '~   "a": 1.0',
        '~   "a": 1.00  (the same number)',
        '    "items": [',
        "+     {",
        '+       "id": 0',
        "+     }",
        "      {",
        '        "id": 1',
        '-       "v": "␛[2J"',
        '+       "v": "x"',
        "      }",
        '      {"id":2}',
        "    ]",
        '·   "at": 1  (left out)',
        '·   "at": 2  (left out)',
        "  }",
    ]
    assert shell.run("compare", two, terminal=True).out.startswith(b"\x1b[31m--- " + one.encode())


def test_for_a_program_it_is_a_list_of_differences(shell: Shell) -> None:
    one, two = made(shell, f'"result":{LEFT}', f'"result":{RIGHT}')
    ran = shell.run("compare", one, two, "--json", "--ignore", "/items/*/v")
    assert (ran.code, json.loads(ran.out)) == (
        6,
        [
            {"pointer": "/a", "kind": "spelling", "left": "1.0", "right": "1.00"},
            {"pointer": "/items/0", "kind": "added", "left": None, "right": '{"id":0}'},
        ],
    )
    same = shell.run("compare", one, two, "--json", "--ignore", "/a", "--ignore", "/items")
    assert (same.code, same.out) == (0, b"[]\n")


def test_on_a_terminal_nothing_in_the_list_is_obeyed(shell: Shell) -> None:
    one, two = made(shell, '"result":"a\u202e\\u202e"', '"result":"b"')
    ran = shell.run("compare", one, two, "--json", terminal=True, NO_COLOR="1")
    assert (ran.code, ran.text.replace("\n", "").isprintable()) == (6, True)


def test_one_record_is_compared_with_the_one_before_of_the_same_params(shell: Shell) -> None:
    one, two = made(shell, '"result":1', '"error":{"code":-32602,"message":"no"}')
    ran = shell.run("compare", two)
    assert (ran.code, ran.text.splitlines()[:3:2]) == (
        6,
        [f"--- {one}  shop  user.get  ✓ result", "result before, error -32602 now"],
    )
    (*_, other) = made(shell, '"result":2', params='["another"]')
    ran = shell.run("compare", other)
    assert (ran.code, "no call of user.get with the same params before" in ran.err) == (2, True)


def test_compare_without_id_takes_newest_call(shell: Shell) -> None:
    assert "The history is empty." in shell.run("compare").err
    one, two = made(shell, '"result":1', '"result":2')
    ran = shell.run("compare")
    assert (ran.code, [line[4:19] for line in ran.text.splitlines()[:2]]) == (6, [one, two])
    with answering('"result":1', '"result":2') as server:
        shell.sessions("".join(f'[profile.{name}]\nurl = "{server.origin}"\n' for name in ("a", "b")))
        assert shell.run("compare", "-p", "a", "-p", "b").code == 6
        assert [json.loads(each.body)["method"] for each in server.requests] == ["user.get", "user.get"]


def test_compared_calls_are_saved_as_a_case(shell: Shell) -> None:
    one, two = made(shell, '"result":1', '"result":2')
    saved = shell.run("compare", "--case", "a.toml", "--note", "look")
    assert saved.code == 6
    assert saved.err.endswith("saved 2 calls in a.toml\n")
    text = (shell.folder / "a.toml").read_text()
    assert text.startswith('case = 1\nnote = "look"\n')
    assert [f'id = "{id}"' in text for id in (one, two)] == [True, True]
    with answering('"result":{"n":1}', f'"result":{{"n":2,"echo":"{PASSWORD}"}}') as server:
        auth = 'auth = { kind = "inline", username = "ada" }\n'
        shell.sessions(f'[profile.a]\nurl = "{server.origin}"\n[profile.b]\nurl = "{server.origin}"\n{auth}')
        ran = shell.run("compare", "-p", "a", "-p", "b", "--case", "b.toml", RPCEXPLORER_B_PASSWORD=PASSWORD)
    assert ran.code == 6
    text = (shell.folder / "b.toml").read_text()
    assert [text.count(f'profile = "{name}"') for name in "ab"] == [1, 1]
    assert PASSWORD not in text
    refused = shell.run("compare", "--note", "look")
    assert (refused.code, "--note goes with --case FILE" in refused.err) == (2, True)


def test_one_question_is_asked_for_all_profiles_and_nothing_is_sent_before(shell: Shell) -> None:
    (id,) = made(shell, '"result":0')
    with answering('"result":1', '"result":1') as server:
        shell.sessions("".join(f'[profile.{name}]\nurl = "{server.origin}"\nbadge = "prod"\n' for name in ("a", "b")))
        asked = shell.run("compare", id, "-p", "a", "-p", "b")
        assert (asked.code, server.requests) == (2, [])
        assert all(f"profile {name} (prod) asks first" in asked.err for name in "ab")
        ran = shell.run("compare", id, "-p", "a", "-p", "b", "--yes")
        assert (ran.code, len(server.requests)) == (0, 2)


def test_what_stands_for_the_secret_of_one_profile_goes_to_no_other(shell: Shell) -> None:
    shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    auth = 'auth = { kind = "inline", username = "ada" }\n'
    with answering('"result":0', '"result":1') as server:
        address = f'url = "{server.origin}"\n'
        shell.sessions(f"[profile.shop]\n{address}{auth}[profile.other]\n{address}")
        shell.run("call", "-p", "shop", "user.get", '{"old":"«shop.password»"}')
        (id,) = [json.loads(row)["id"] for row in shell.run("history", "list", "--json").text.splitlines()]
        ran = shell.run("compare", id, "-p", "shop", "-p", "other", "--yes")
    assert ran.code == 2
    assert "other: refused" in ran.err
    assert [PASSWORD.encode() in request.body for request in server.requests] == [True, True], "to shop alone"


def test_what_each_profile_brings_is_told_apart_and_no_secret_is_told(shell: Shell) -> None:
    (id,) = made(shell, '"result":0', params='{"n": 1}')
    with answering('"result":{"n":1}', '"result":{"n":1}', f'"result":{{"n":2,"p":"{PASSWORD}"}}') as server:
        profiles = [f'[profile.{name}]\nurl = "{server.origin}"\n' for name in ("staging", "test")]
        shell.sessions("".join(profiles) + f'[profile.prod]\nurl = "{server.origin}"\n'
                       'auth = { kind = "inline", username = "ada" }\n')  # fmt: skip
        shell.environment["RPCEXPLORER_PROD_PASSWORD"] = PASSWORD
        ran = shell.run("compare", id, "-p", "staging", "-p", "test", "-p", "prod", "--json")
    assert (ran.code, json.loads(ran.out)) == (
        6,
        [
            {"pointer": "/n", "kind": "changed", "left": "1", "right": "2", "profile": "prod"},
            {"pointer": "/p", "kind": "added", "left": None, "right": '"«prod.password»"', "profile": "prod"},
        ],
    )
    assert PASSWORD not in ran.err


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [("<html>", 5, "test: malformed"), ('"error":{"code":1,"message":"no"}', 6, "")],
    ids=["no reply", "an error"],
)
def test_a_profile_without_a_reply_is_told_and_an_error_is_compared(
    shell: Shell, reply: str, code: int, said: str
) -> None:
    (id,) = made(shell, '"result":0')
    with answering('"result":1', reply) as server:
        shell.sessions("".join(f'[profile.{name}]\nurl = "{server.origin}"\n' for name in ("staging", "test")))
        ran = shell.run("compare", id, "-p", "staging", "-p", "test")
    assert ran.code == code
    assert said in ran.err
    assert ("result in staging, error 1 in test" in ran.text) is (code == 6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a", "b", "-p", "x", "-p", "y"), "not both"),
        (("a", "-p", "x"), "rpcexplorer replay a -p x"),
        (("a", "b", "--ignore", "at"), "at is no JSON pointer: begin it with a slash"),
        (("a", "b"), "No call has the id a"),
    ],
)
def test_a_command_that_cannot_be_meant_says_what_to_write(shell: Shell, words: tuple[str, ...], said: str) -> None:
    ran = shell.run("compare", *words)
    assert (ran.code, said in ran.err) == (2, True)
