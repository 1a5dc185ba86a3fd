"""``replay``, ``compare`` and cases: requests, output, untrusted cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Person
from tests.fakes.shell import Keyboard, Ran, Screen, Shell
from tests.fakes.wire import RawServer, Received, http_reply

Answers = Callable[[str, object], str]


def server(answers: Answers) -> RawServer:
    """Return a server whose answers depend on method and params.

    An answer is a member: ``"result": …`` or ``"error": …``.
    """

    def reply(request: Received) -> bytes:
        return request.reply_with(answers(request.json["method"], request.json["params"]))

    return RawServer(reply)


def number(_method: str, params: object) -> str:
    return f'"result":{{"n":{json.dumps(params)},"at":1}}'


@contextmanager
def shop(shell: Shell, answers: Answers = number, more: str = "") -> Iterator[RawServer]:
    with server(answers) as running:
        shell.sessions(f'[profile.shop]\nurl = "{running.origin}"\n{more}')
        yield running


def ids(shell: Shell) -> list[str]:
    """Return the ids of all recorded calls, oldest first."""
    return [json.loads(row)["id"] for row in shell.run("history", "list", "--json").text.splitlines()][::-1]


def sent(running: RawServer) -> list[tuple[str, object]]:
    bodies = [request.json for request in running.requests]
    return [(body["method"], body["params"]) for body in bodies]


def case(shell: Shell, text: str) -> str:
    (shell.folder / "case.toml").write_text(text)
    return "case.toml"


def test_replay_uses_the_profile_of_each_call(shell: Shell) -> None:
    answers = iter(['"result":{"n":1.0}', '"error":{"code":1,"message":"no"}', '"result":{"n":1.00}'])
    again = ['"error":{"code":1,"message":"no"}', '"result":{"n":1.00}', '"result":{"n":1.00,"m":2}']
    with shop(shell, lambda *_: next(answers)) as running:
        for method in ("a", "b", "c"):
            shell.run("call", method, "[1]")
        one, two, three = ids(shell)
        answers = iter(again)
        same = shell.run("replay", two)
        assert (same.code, sent(running)[-1]) == (0, ("b", [1]))
        assert same.text.startswith(f"✓ {two} ")
        several = shell.run("replay", one, three)
    assert several.code == 6
    first, difference, second, added = several.text.splitlines()
    assert first.startswith(f"≠ {one} ")
    assert difference.strip() == "~ /n: 1.0 → 1.00  (the same number, written differently)"
    assert second.startswith(f"≠ {three} ")
    assert added.strip() == "+ /m: 2"
    assert several.err.endswith("2 calls: 2 differ\n")


def test_replay_json_has_differences_without_ignored_places(shell: Shell) -> None:
    counter = iter(range(9))
    with shop(shell, lambda *_: f'"result":[{{"at":{next(counter)}}}]'):
        shell.run("call", "a")
        (id,) = ids(shell)
        row = json.loads(shell.run("replay", id, "--json").out)
        assert row["differences"] == [{"pointer": "/0/at", "kind": "changed", "left": "0", "right": "1"}]
        assert (row["id"], row["verdict"], row["live"]) == (id, "differs", ids(shell)[-1])
        ran = shell.run("replay", id, "--ignore", "/*/at", "--json")
        assert (ran.code, json.loads(ran.out)["ignored"]) == (0, ["/0/at"])
        assert shell.run("replay", id, "--ignore", "at").code == 2


def test_replay_redacts_the_same_values_as_the_record(shell: Shell) -> None:
    counter = iter(range(1, 9))
    session = '{"session_token": "t0ken-t0ken-t0ken"}'
    with shop(shell, lambda *_: f'"result":[{",".join([session] * next(counter))}]'):
        shell.run("call", "a")
        ran = shell.run("replay", *ids(shell))
    assert (ran.code, "t0ken" in ran.text) == (6, False)
    assert '+ /1: {"session_token": "«not recorded»"}' in ran.text


def test_replay_names_a_removed_profile(shell: Shell) -> None:
    with server(number) as one, server(number) as two, server(number) as third:
        shell.sessions(f'[profile.one]\nurl = "{one.origin}"\n[profile.two]\nurl = "{two.origin}"\n')
        shell.run("call", "a", "-p", "one")
        shell.run("call", "b", "-p", "two")
        shell.run("call", "c", "--url", f"{third.origin}/rpc")
        ran = shell.run("replay", *ids(shell))
        assert ran.code == 0
        assert [sent(server) for server in (one, two, third)] == [[("a", [])] * 2, [("b", [])] * 2, [("c", [])] * 2]
        assert third.requests[1].line == "POST /rpc HTTP/1.1"
        assert [line.split()[3] for line in ran.text.splitlines()] == ["a", "b", "c"]
        shell.sessions(f'[profile.one]\nurl = "{one.origin}"\n')
        removed = shell.run("replay", ids(shell)[1])
        assert (removed.code, len(two.requests)) == (2, 2)
        assert "used this profile. Name another one with -p" in removed.err


def test_question_names_profile_place_and_unsafe_methods(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = [False, True]

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr(click, "confirm", confirm)
    with shop(shell, more='confirm = "always"\n') as running:
        file = case(shell, "case = 1\n" + CALL + CALL.replace("their-call", "other").replace('"a"', '"b"'))
        world = World(Screen(), Screen(), Keyboard(), shell.environment, shell.folder)
        assert (run(["replay", file], world), running.requests) == (2, [])
        assert (run(["replay", file], world), len(running.requests)) == (0, 2)
    assert asked[0] == asked[1]
    assert asked[0] == (
        "Someone else recorded calls that will use your profile shop. Profile shop asks "
        f"to confirm all calls: a, b. Send 2 calls to {running.origin}?"
    )


def test_unknown_id_or_invalid_case_sends_nothing(shell: Shell) -> None:
    with shop(shell) as running:
        shell.run("call", "a")
        history = next((shell.home / "state" / "history").iterdir())
        for word in ("nothing-like-it", "none.toml", "sessions.toml", str(history)):
            ran = shell.run("replay", ids(shell)[0], word, "-p", "shop")
            assert ran.code == 2, word
        assert len(running.requests) == 1


CALL = """[[call]]
id = "their-call"
time = 2026-11-20T10:00:00.000Z
profile = "shop"
url = "https://rpc.example.com/api/v2/"
method = "a"
kind = "call"
outcome = "result"
params = '[1]'
reply = '{"jsonrpc": "2.0", "id": "their-call", "result": {"n": [1], "at": 1}}'
"""


def test_case_needs_a_named_profile(shell: Shell) -> None:
    with shop(shell) as running:
        file = case(shell, f'case = 1\nnote = "look"\n{CALL}')
        refused = shell.run("replay", file, "--yes")
        assert (refused.code, running.requests) == (2, [])
        assert "Name it with -p NAME." in refused.err
        ran = shell.run("replay", file, "-p", "shop")
        assert (ran.code, sent(running)) == (0, [("a", [1])])
        assert f"calls recorded at https://rpc.example.com/api/v2/ will be sent to {running.origin}/api/v2/" in ran.err
        assert "note in case.toml: look" in ran.err
        long = case(shell, f'case = 1\nnote = "{"fails again " * 40}\\nsince Tuesday"\n{CALL}')
        assert f"{'fails again ' * 40}\n  since Tuesday\n" in shell.run("replay", long, "-p", "shop").err


def test_case_without_default_profile_names_the_profiles(shell: Shell) -> None:
    file = case(shell, "case = 1\n" + CALL)
    none = shell.run("replay", file)
    assert (none.code, none.err.count("\n")) == (2, 1)
    assert none.err.endswith("you have none. Name a server with --url.\n")
    shell.sessions('[profile.one]\nurl = "http://127.0.0.1:9"\n[profile.two]\nurl = "http://127.0.0.1:9"\n')
    several = shell.run("replay", file)
    message = (
        "Calls that someone else recorded need one of your profiles. Name it with -p NAME. Your profiles: one, two.\n"
    )
    assert (several.code, several.err.endswith(message), several.err.count("default")) == (2, True, 0)


@contextmanager
def two_servers(shell: Shell) -> Iterator[tuple[RawServer, RawServer, str]]:
    """Yield two servers and a case with a call to each.

    The servers answer differently. The calls were recorded with the profiles ``a`` and ``b``.
    """
    with server(lambda *_: '"result":1') as one, server(lambda *_: '"result":2') as two:
        shell.sessions(f'[profile.x]\nurl = "{one.origin}"\n[profile.y]\nurl = "{two.origin}"\n')
        recorded = [
            CALL.replace("shop", name).replace("their-call", f"call-{name}").replace("https://rpc.example.com", origin)
            for name, origin in (("a", one.origin), ("b", two.origin))
        ]
        results = [call.replace('{"n": [1], "at": 1}', str(at)) for at, call in enumerate(recorded, start=1)]
        yield one, two, case(shell, "case = 1\n" + "".join(results))


def test_case_of_two_servers_uses_two_profiles(shell: Shell) -> None:
    with two_servers(shell) as (one, two, file):
        ran = shell.run("replay", file, "-p", "a=x", "-p", "b=y")
        assert (ran.code, len(one.requests), len(two.requests)) == (0, 1, 1)
        assert shell.run("replay", file, "-p", f"{two.origin}/api/v2/=y", "-p", "x").code == 0
        alone = shell.run("replay", file, "-p", "x")
        assert alone.code == 6
        assert "warning: calls recorded on 2 servers will all be sent to x." in alone.err
        crossed = shell.run("replay", file, "-p", "a=y", "-p", "b=x")
        assert crossed.code == 6
        assert crossed.err.endswith("2 calls: 2 differ\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-p x -p y", "Name one profile, or -p THEIRS=MINE for each server"),
        ("-p c=x", "-p: no call was recorded with c, only with a, b."),
        ("-p a=nobody", "There is no profile `nobody`"),
        (
            "--yes",
            "Your profiles: x, y. Name one for each server:\n  rpcexplorer replay case.toml -p a=x -p b=y",
        ),
        ("-p a=x", "Name one for each server:\n  rpcexplorer replay case.toml -p a=x -p b=y"),
    ],
)
def test_case_of_two_servers_needs_two_profiles(shell: Shell, words: str, message: str) -> None:
    with two_servers(shell) as (one, two, file):
        ran = shell.run("replay", file, *words.split())
        assert (ran.code, one.requests, two.requests) == (2, [], [])
        assert message in ran.err


def test_default_is_not_proposed_for_several_servers(shell: Shell) -> None:
    with two_servers(shell) as (one, two, file):
        shell.sessions(f'default = "x"\n[profile.x]\nurl = "{one.origin}"\n[profile.y]\nurl = "http://127.0.0.1:9"\n')
        ran = shell.run("replay", file, terminal=True)
        assert (ran.code, one.requests, two.requests) == (2, [], [])
        assert "rpcexplorer replay case.toml -p a=x -p b=MINE" in ran.err


def test_question_lists_methods_of_batch_in_case(shell: Shell) -> None:
    """The name that the case gives to the batch is not shown."""
    many = [f"user.number_{number}" for number in range(30)]
    calls = [{"method": name} for name in ("get", "user.delete", "user.delete", *many)]
    hostile = CALL.replace('method = "a"', 'method = "get"').replace('"call"', '"batch"')
    asks = 'confirm = "unsafe"\n[profile.shop.method.get]\nsafe = true\n'
    with shop(shell, more=asks) as running:
        shell.sessions(f'{(shell.folder / "sessions.toml").read_text()}[profile.too]\nurl = "{running.origin}"\n')
        file = case(shell, "case = 1\n" + hostile.replace("[1]", json.dumps(calls), 1))
        refused = shell.run("replay", file, "-p", "shop")
        assert refused.code == 2
        assert f"asks to confirm unsafe calls: user.delete (2 times), {', '.join(many)}." in refused.err
        refused = shell.run("compare", file, "-p", "shop", "-p", "too")
        assert refused.code == 2
        assert f"asks to confirm unsafe calls: user.delete (2 times), {', '.join(many)}." in refused.err
        shell.run("history", "import", file)
        listed = json.loads(shell.run("history", "list", "--json").text)
        assert listed["method"].startswith("get, user.delete, user.delete, user.number_0, ")
        assert running.requests == []


def test_replay_asks_before_inserting_a_foreign_reference(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = iter([False, True])

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(click, "confirm", confirm)
    shell.environment["RPCEXPLORER_SHOP_TOKEN"] = "t0ken-of-the-shop"
    with shop(shell, more='auth = { kind = "bearer" }\n') as running:
        file = case(shell, "case = 1\n" + CALL.replace("'[1]'", "'[\"«shop.token»\"]'"))
        words = ["replay", file, "-p", "shop"]
        refused = shell.run(*words, "--yes")
        assert (refused.code, running.requests) == (6, [])
        assert "To agree to send your secret, replay it on the command line in a terminal" in refused.text
        world = World(Screen(), Screen(), Keyboard(), shell.environment, shell.folder)
        assert (run(words, world), running.requests) == (6, [])
        run(words, world)
        assert sent(running) == [("a", ["t0ken-of-the-shop"])]
    wanted = f"token at /0 of a to {running.origin}"
    assert asked == [f"Someone else recorded secret references. Insert and send your {wanted}?"] * 2


def test_imported_call_is_marked_as_foreign(shell: Shell) -> None:
    with shop(shell) as running:
        file = case(shell, "case = 1\n" + CALL)
        imported = shell.run("history", "import", file)
        assert (imported.code, imported.text, running.requests) == (0, "their-call\n", [])
        assert "URLs of the case: https://rpc.example.com/api/v2/" in imported.err
        listed = json.loads(shell.run("history", "list", "--json").text)
        assert (listed["id"], listed["foreign"]) == ("their-call", True)
        assert "already imported: 1 call" in shell.run("history", "import", file).err
        other = shell.run("history", "import", case(shell, "case = 1\n" + CALL.replace("[1]", "[2]")))
        assert "1 call got a new id, because another call has the old one\n" in other.err
        assert other.text.startswith("case-")
        assert shell.run("replay", "their-call", "--yes").code == 2
        assert running.requests == []
        assert shell.run("replay", "their-call", "-p", "shop").code == 0


def test_calls_are_exported_by_id_number_or_text(shell: Shell) -> None:
    with shop(shell):
        for name in ("ada", "bob", "cid"):
            shell.run("call", name, f'{{"name": "{name} of the calls"}}')
        first, *_ = ids(shell)

    def methods(*words: str) -> list[str]:
        ran = shell.run("history", "export", *words, "--jsonl")
        assert ran.code == 0, ran.err
        return [json.loads(row)["method"] for row in ran.text.splitlines()]

    assert methods(first) == ["ada"]
    assert methods("--last", "2") == ["bob", "cid"]
    assert methods("--search", "of the calls") == ["ada", "bob", "cid"]
    assert methods("--search", "of the", "--last", "1", first) == ["ada", "cid"]
    assert shell.run("history", "export").code == 2
    assert shell.run("history", "export", "--search", "nothing like it").code == 2
    hidden = shell.run("history", "export", first, "--redact", "/params/name", "-o", "case.toml")
    assert hidden.code == 0
    assert "of the calls" not in (shell.folder / "case.toml").read_text()
    refused = shell.run("history", "export", first, "--redact", "/params/nome", "-o", "case.toml")
    assert refused.code == 2
    assert "no call has a value at" in refused.err


SECRET = {"ann": "ann-s3cret-password", "bob": "bob-s3cret-password"}


def test_case_reproduces_failure_on_another_server(tmp_path: Path) -> None:
    """Two users share only the case: homes, passwords and servers differ."""
    ann, bob = Shell(tmp_path / "ann"), Shell(tmp_path / "bob")
    failing = f'"error":{{"code":-32000,"message":"no room","data":{{"echo":"{SECRET["ann"]}"}}}}'
    with (
        server(lambda *_: failing) as prod,
        server(lambda *_: failing.replace(SECRET["ann"], SECRET["bob"])) as staging,
    ):
        inline = 'auth = { kind = "inline", username = "support" }\n'
        ann.sessions(f'[profile.prod]\nurl = "{prod.origin}"\nbadge = "prod"\n{inline}')
        bob.sessions(f'[profile.staging]\nurl = "{staging.origin}"\n{inline}')
        ann.environment["RPCEXPLORER_PROD_PASSWORD"] = SECRET["ann"]
        bob.environment["RPCEXPLORER_STAGING_PASSWORD"] = SECRET["bob"]
        ran: list[Ran] = [ann.run("call", "order.place", '{"item": 7, "for": "Ada Lovelace"}', "--yes")]
        assert ran[-1].code == 1
        handed_on = ann.run("history", "export", *ids(ann), "--redact", "/params/for", "--note", "since Tuesday")
        (bob.folder / "case.toml").write_bytes(handed_on.out)
        before = bob.run("replay", "case.toml")
        assert (before.code, staging.requests) == (2, [])
        hidden = bob.run("replay", "case.toml", "-p", "staging")
        assert hidden.code == 6
        assert "«not recorded»" in hidden.text
        whole = ann.run("history", "export", *ids(ann))
        (bob.folder / "case.toml").write_bytes(whole.out)
        replayed = bob.run("replay", "case.toml", "-p", "staging")
        assert (replayed.code, len(prod.requests), len(staging.requests)) == (0, 1, 1)
        assert f"recorded at {prod.origin}/api/v2/ will be sent to {staging.origin}/api/v2/" in replayed.err
        imported = bob.run("history", "import", "case.toml")
        both = (imported.text.strip(), json.loads(bob.run("history", "list", "-n", "1", "--json").text)["id"])
        compared, ticket = bob.run("compare", *both), bob.run("copy", *both, "--as", "report")
        assert (compared.code, ticket.code, len(staging.requests)) == (0, 0, 1)
        assert "order.place" in ticket.text
        assert all(server.origin.removeprefix("http://") in ticket.text for server in (prod, staging))
        ran += [handed_on, before, hidden, whole, replayed, imported, compared, ticket]
    for output in ran:
        assert not any(secret.encode() in output.out + output.err.encode() for secret in SECRET.values())
    assert b"Ada" not in handed_on.out
    for mine, theirs in ((ann, "bob"), (bob, "ann")):
        assert not any(SECRET[theirs] in text for text in mine.files().values())
        assert not any(SECRET[name] in text for text in mine.files().values() for name in SECRET)
    assert [request.body.count(SECRET["bob"].encode()) for request in staging.requests] == [1]
    assert SECRET["ann"].encode() not in staging.requests[0].body
    assert str(tmp_path) not in handed_on.text


def test_case_opens_the_screen_or_names_commands(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str | None, Path | None]] = []
    addresses: list[str] = []
    shell.sessions('[profile.staging]\nurl = "http://127.0.0.1:9"\n')

    def screen(explorer: Explorer, _: Person, profile: str | None, case: Path | None) -> tuple[int, str]:
        in_use = explorer.profile
        addresses.append(in_use.endpoint if in_use is not None and in_use.ad_hoc else "")
        opened.append((profile, case))
        return 0, ""

    file = case(shell, "case = 1\n" + CALL)
    ran = shell.run(file)
    assert (ran.code, ran.out) == (2, b"")
    assert "rpcexplorer replay case.toml -p NAME" in ran.err
    assert "rpcexplorer history import case.toml" in ran.err
    monkeypatch.setattr("rpcexplorer.tui.app.open_screen", screen)
    world = World(Screen(), Screen(), Keyboard(), shell.environment, shell.folder)
    assert run([file], world) == 0
    assert run(["-p", "staging", file], world) == 0
    assert run([file, "-p", "staging"], world) == 0
    assert run(["http://127.0.0.1:9/rpc", file], world) == 0
    assert run(["--url", "http://127.0.0.1:9/rpc", file], world) == 0
    assert run(["none.toml"], world) == 2
    for wrong in ("none.toml", "ping", "http://127.0.0.1:9/"):
        assert run(["http://127.0.0.1:9/rpc", wrong], world) == 2
    assert run(["-p", "staging", "http://127.0.0.1:9/rpc", file], world) == 2
    path = shell.folder / file
    assert opened == [(None, path), ("staging", path), ("staging", path), (None, path), (None, path)]
    assert addresses == ["", "", "", "http://127.0.0.1:9/rpc", "http://127.0.0.1:9/rpc"]


HOSTILE = [
    ("params = '[1]'", "params = '[\"«shop.password»\"]'", "stands for no secret of the profile that it is sent with"),
    ("params = '[1]'", "params = '[1]'\nparams_sent = '{\"a\": \"«shop.password»\"}'", "nor in what was sent"),
    ("params = '[1]'", "params = '[\"{{last.user.get#/token}}\"]'", "is filled with nothing of this person's"),
    ('method = "a"', 'method = "«shop.password»"', "a method opens nothing either"),
    ('profile = "shop"', 'profile = "other"', "chooses no profile"),
    ('url = "https://rpc', 'url = "http://127.0.0.1:9/?token=x#', "chooses no address"),
    ('id = "their-call"', 'id = "../../../../evil"', "its id names no file"),
    ('id = "their-call"', 'id = "their-call"\nforeign = false', "does not say of itself whose it is"),
    ('id = "their-call"', 'id = "their-call"\nwriter = "me@here"\nname = "\\u001b]52;c;eA==\\u0007"', "is not obeyed"),
    ('method = "a"', 'method = "a\\u001b[2J\\u009b"', "its method is not obeyed either"),
    ("time = 2026", "time = 9990", "is not the newest of all for ever"),
]


@pytest.mark.parametrize(("was", "put", "harmless"), HOSTILE, ids=[row[2] for row in HOSTILE])
@pytest.mark.everyday(3)
def test_hostile_case_prints_only_safe_text(shell: Shell, was: str, put: str, harmless: str) -> None:
    assert harmless
    with shop(shell, more='[profile.other]\nurl = "http://127.0.0.1:9"\n') as running:
        shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = "s3cret-s3cret"
        shell.run("call", "-p", "shop", "user.get")  # It has a result.
        before = set(shell.files())
        assert was in CALL
        file = case(shell, "case = 1\n" + CALL.replace(was, put))
        assert shell.run("replay", file, "--yes").code == 2
        imported = shell.run("history", "import", file)
        (id,) = imported.text.split()
        assert re.fullmatch("[a-z0-9-]+", id)
        assert len(running.requests) == 1
        for word in (file, id):
            ran = shell.run("replay", word, "-p", "shop")
            assert "\x1b" not in ran.text + ran.err
            assert shell.run("replay", word).code == 2
        assert all("s3cret" not in request.body.decode() for request in running.requests)
        assert all(request.line == "POST /api/v2/ HTTP/1.1" for request in running.requests)
        assert "{{last" not in put or ("a", ["{{last.user.get#/token}}"]) in sent(running)
        added = {Path(path).name for path in set(shell.files()) - before}
        assert {name for name in added if not name.startswith(".")} <= {"case.toml", *cases(shell)}
        newest = json.loads(shell.run("history", "list", "-n", "1", "--json").text)
        assert not newest["time"].startswith("999")


def cases(shell: Shell) -> set[str]:
    return {path.name for path in (shell.home / "state" / "history").iterdir()}


LEFT = '{"a":1.0,"items":[{"id":1,"v":"\x1b[2J"},{"id":2}],"at":1}'
RIGHT = '{"at":2,"items":[{"id":0},{"id":1,"v":"x"},{"id":2}],"a":1.00}'
PASSWORD = "correct-horse"


@contextmanager
def answering(*results: str) -> Iterator[RawServer]:
    """Yield a server that sends these members or responses in turn."""
    left = iter(results)

    def reply(request: Received) -> bytes:
        text = next(left)
        return request.reply_with(text) if text.startswith('"') else http_reply(text.encode())

    with RawServer(reply) as server:
        yield server


def made(shell: Shell, *results: str, params: str = "[]") -> list[str]:
    """Send a call per result; return the ids, oldest first."""
    with answering(*results) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nmethod."user.get".ignore = ["/at"]\n')
        for _ in results:
            shell.run("call", "user.get", params)
    return [json.loads(row)["id"] for row in shell.run("history", "list", "--json").text.splitlines()][::-1]


def test_two_records_are_printed_without_ignored_places(shell: Shell) -> None:
    one, two = made(shell, f'"result":{LEFT}', f'"result":{RIGHT}')
    ran = shell.run("compare", one, two)
    assert (ran.code, ran.err) == (6, "")
    lines = ran.text.splitlines()
    assert lines[:3] == [
        f"--- {one}  shop  user.get  ✓ result",
        f"+++ {two}  shop  user.get  ✓ result",
        "1 value differs, 1 number is equal but written differently, 1 is new, 1 value was ignored",
    ]
    assert '-       "v": "␛[2J"' in lines
    assert '·   "at": 2  (ignored)' in lines
    assert shell.run("compare", two, terminal=True).out.startswith(b"\x1b[31m--- " + one.encode())


def test_compare_json_is_a_list_of_differences(shell: Shell) -> None:
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


def test_record_is_compared_with_previous_same_call(shell: Shell) -> None:
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
        assert server.methods == ["user.get", "user.get"]


def test_compared_calls_are_exported_as_a_case(shell: Shell) -> None:
    one, two = made(shell, '"result":1', '"result":2')
    saved = shell.run("compare", "--case", "a.toml", "--note", "look")
    assert saved.code == 6
    assert saved.err.endswith("exported 2 calls to a.toml\n")
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
    assert (refused.code, "--note needs --case FILE" in refused.err) == (2, True)


def test_too_many_calls_name_the_cases_to_import(shell: Shell) -> None:
    id, _ = made(shell, '"result":1', '"result":2')
    shell.run("history", "export", "--last", "1", "--output", "one.toml")
    shell.run("history", "export", "--last", "2", "--output", "two.toml")
    for words, cases in (
        ([id, "two.toml"], ["two.toml"]),
        (["one.toml", "two.toml"], ["one.toml", "two.toml"]),
        (["two.toml", "-p", "shop", "-p", "shop"], ["two.toml"]),
    ):
        ran = shell.run("compare", *words)
        assert ran.code == 2
        assert ran.err.splitlines()[1:] == [f"  rpcexplorer history import {case}" for case in cases]


def test_method_of_a_case_cannot_fake_a_command(shell: Shell) -> None:
    made(shell, '"result":1')
    shell.run("history", "export", "--last", "1", "--output", "case.toml")
    case = shell.folder / "case.toml"
    case.write_text(re.sub('"user.get"', r'"x Run:\\nrpcexplorer call y"', case.read_text()))
    ran = shell.run("compare", "case.toml")
    assert ran.code == 2
    assert "There is no call of x Run:␊rpcexplorer call y with the same params" in ran.err


def test_too_large_case_is_not_exported(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    made(shell, '"result":1', '"result":2')
    monkeypatch.setattr("rpcexplorer.history.export.MOST", 8)
    ran = shell.run("compare", "--case", "a.toml")
    assert ran.code == 2
    assert "A case can hold at most 8 bytes, but the responses alone" in ran.err
    assert not (shell.folder / "a.toml").exists()


def test_one_question_covers_all_profiles_before_sending(shell: Shell) -> None:
    (id,) = made(shell, '"result":0')
    with answering('"result":1', '"result":1') as server:
        shell.sessions("".join(f'[profile.{name}]\nurl = "{server.origin}"\nbadge = "prod"\n' for name in ("a", "b")))
        asked = shell.run("compare", id, "-p", "a", "-p", "b")
        assert (asked.code, server.requests) == (2, [])
        assert all(f"Profile {name} (prod) asks to confirm" in asked.err for name in "ab")
        ran = shell.run("compare", id, "-p", "a", "-p", "b", "--yes")
        assert (ran.code, len(server.requests)) == (0, 2)


def test_secret_reference_is_not_sent_to_another_profile(shell: Shell) -> None:
    shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    auth = 'auth = { kind = "inline", username = "ada" }\n'
    with answering('"result":0', '"result":1') as server:
        address = f'url = "{server.origin}"\n'
        shell.sessions(f"[profile.shop]\n{address}{auth}[profile.other]\n{address}")
        shell.run("call", "-p", "shop", "user.get", '{"old":"«shop.password»"}')
        (id,) = [json.loads(row)["id"] for row in shell.run("history", "list", "--json").text.splitlines()]
        ran = shell.run("compare", id, "-p", "shop", "-p", "other", "--yes")
    assert ran.code == 2
    assert "other: not sent" in ran.err
    assert [PASSWORD.encode() in request.body for request in server.requests] == [True, True], "to shop alone"


def test_responses_of_profiles_are_compared_without_secrets(shell: Shell) -> None:
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
    ("reply", "code", "message"),
    [("<html>", 5, "test: malformed"), ('"error":{"code":1,"message":"no"}', 6, "")],
    ids=["no response", "an error"],
)
def test_missing_response_is_reported_and_error_compared(shell: Shell, reply: str, code: int, message: str) -> None:
    (id,) = made(shell, '"result":0')
    with answering('"result":1', reply) as server:
        shell.sessions("".join(f'[profile.{name}]\nurl = "{server.origin}"\n' for name in ("staging", "test")))
        ran = shell.run("compare", id, "-p", "staging", "-p", "test")
    assert ran.code == code
    assert message in ran.err
    assert ("result in staging, error 1 in test" in ran.text) is (code == 6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a", "b", "-p", "x", "-p", "y"), "not both"),
        (("a", "-p", "x"), "rpcexplorer replay a -p x"),
        (("a", "b", "--ignore", "at"), "--ignore: at is not a JSON pointer. Begin it with a slash"),
        (("a", "b"), "No call has the id a"),
    ],
)
def test_wrong_usage_of_compare_names_the_fix(shell: Shell, words: tuple[str, ...], message: str) -> None:
    ran = shell.run("compare", *words)
    assert ran.code == 2
    assert message in ran.err
