"""The bad inputs 1 to 16, from servers and addresses.

Each test runs the checks of `visit`: nothing unprintable is printed, there is no traceback, and the record is read
back with the same outcome. The file is long because the inputs are in one place, in their order. Inputs 17 to 20 are
in test_bad_inputs_here.py.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import pytest

from rpcexplorer.model.exchange import Exchange, Unreached
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.tui.app import PersonOnScreen
from tests.fakes.shell import Shell
from tests.fakes.wire import HOLD, RESET, RawServer, Received, Script, http_reply
from tests.history.recording import exchange
from tests.trust.visits import (
    CUT,
    ID,
    MIB,
    PONG,
    again_and_again,
    history_of,
    inert,
    on_terminal,
    replying,
    visit,
    written,
)
from tests.tui.program import open_program

PASSWORD = "correct-horse-battery"


OBEYED = {
    "OSC 52": "a\x1b]52;c;ZXZpbA==\x07b",
    "OSC 8": "a\x1b]8;;http://evil.example\x1b\\b",
    "CSI": "a\x1b[2Jb",
    "C1": "a\x9b2Jb\x9d52;c;x\x9cc",
    "bidi": "a\u202eb\u2066c",
}
SOURCES: dict[str, Callable[[str], Script]] = {
    "result": lambda text: replying(f'"result":{json.dumps({text: text})}'),
    "raw result": lambda text: replying(f'"result":{json.dumps(text, ensure_ascii=False)}'),
    "error message": lambda text: replying(f'"error":{json.dumps({"code": 1, "message": text, "data": text})}'),
    "header": lambda text: replying('"result":1', headers={"X-Odd": text.encode().decode("latin-1")}),
    "reason phrase": lambda text: http_reply(b"no", 500, reason=text.encode().decode("latin-1")),
    "body": lambda text: http_reply(text.encode()),
}


@pytest.mark.parametrize("text", OBEYED.values(), ids=OBEYED.keys())
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_1_response_with_terminal_codes_is_shown_escaped(
    shell: Shell, source: Callable[[str], Script], text: str
) -> None:
    seen = visit(shell, source(text))
    assert ("␛" in seen.seen) or ("\\u" in seen.seen)


@pytest.mark.parametrize("text", OBEYED.values(), ids=OBEYED.keys())
def test_1_method_and_profile_names_are_shown_escaped(shell: Shell, text: str) -> None:
    assert visit(shell, PONG, method=text).exchange.method == text
    quoted = json.dumps(text)
    document = json.dumps({"openrpc": "1.3.2", "info": {"title": text, "version": "1"}, "methods": [
        {"name": text, "description": text, "params": [], "result": {"name": text, "schema": {}}}]})  # fmt: skip
    with RawServer(replying(f'"result":{document}')) as server:
        shell.sessions(
            f'[profile.good]\nurl = "{server.origin}"\ndescription = {quoted}\nbadge = {quoted}\n'
            f'[profile.{quoted}]\nurl = "{server.origin}"\n'
        )
        runs = [
            on_terminal(shell, *words.split())
            for words in ("methods --refresh -p good", "methods -p good", "profiles list", "profiles show good")
        ]
        runs.append(on_terminal(shell, "call", "m", "-p", text))
    inert(*runs)
    assert [run.code for run in runs] == [0, 0, 0, 0, 2]


@pytest.mark.parametrize("text", OBEYED.values(), ids=OBEYED.keys())
def test_1_history_file_is_shown_escaped(shell: Shell, text: str) -> None:
    file = written(shell, 2)
    raw = file.read_bytes().decode()
    file.write_bytes(raw.replace('method = "ping"', f'method = "{text}"', 1).replace("\\n", text).encode())
    runs = [on_terminal(shell, "history", *words.split()) for words in ("list", "show", "search ping")]
    inert(*runs)
    printed = runs[0].text + runs[0].err
    assert "\\u" in printed or "Illegal character '\\x1b'" in printed
    assert exchange(1).id in runs[0].text


@pytest.mark.parametrize("question", ["\x1b[c", "\x1b]10;?\x07", "\x1b[18t", "\x1b]52;c;?\x07", "\x1bP+q544e\x1b\\"])
def test_2_queries_to_the_terminal_are_never_printed(shell: Shell, question: str) -> None:
    seen = visit(shell, replying(f'"result":{json.dumps([question])}'))
    assert "\\u001b" in seen.seen
    seen = visit(shell, http_reply(question.encode(), 500, reason=question))
    assert "␛" in seen.seen


@pytest.mark.thorough
async def test_3_and_4_screen_shows_markup_and_surrogates(shell: Shell) -> None:
    text = "oops [/] [@click=app.quit]x[/] [bold]$y[[ \ud800"
    inner, sayable = json.dumps(text), text.encode("utf-8", "replace").decode()
    members = f'"error":{{"code":1,"message":{inner},"data":{{{inner}:[true, {inner}]}}}}'
    with RawServer(
        replying(members, headers={"X-Odd": sayable}), replying(f'"result":{{{inner}:[{inner}]}}')
    ) as server:
        quoted = json.dumps(sayable)
        shell.sessions(
            f'[profile.here]\nurl = "{server.origin}"\ndescription = {quoted}\nbadge = {quoted}\n'
            f"[profile.here.method.{quoted}]\ndoc = {quoted}\nsafe = true\n"
        )

        async with open_program(shell.explorer(PersonOnScreen()), profile="here") as program:
            program.calls.drafts.choose(text)
            for _ in range(2):
                await program.sent()
                assert text.replace("\ud800", "\\ud800") in program.text
            program.app.copy_to_clipboard(text)
            await program.press("f6", "escape", "f7", "escape", "f1", "escape")
            assert program.app.mistake is None
            assert program.app.is_running


def test_4_lone_surrogate_is_shown_copied_searched_recorded(shell: Shell) -> None:
    seen = visit(shell, replying('"result":{"\\ud800":"\\udc00x"}'))
    assert seen.ran.out == b'{"\\ud800":"\\udc00x"}\n'
    assert "lone surrogate \\ud800 in a string" in seen.printed
    assert seen.seen.count("\\ud800") >= 3
    assert ID in shell.run("history", "search", "\\ud800").text
    with RawServer(replying('"error":{"code":1,"message":"\\ud800"}')) as server:
        assert shell.run("call", "\ud800", '["\\ud800"]', "--url", server.origin).code == 1
    assert json.loads(server.requests[0].body)["method"] == "\ud800"
    (newest,) = shell.explorer().history.newest(1)
    assert isinstance(newest, Exchange)
    assert isinstance(newest.outcome, ErrorObject)
    assert (newest.method, newest.outcome.message, newest.params) == ("\ud800", "\ud800", '["\\ud800"]')
    inert(on_terminal(shell, "history", "show"))


@pytest.mark.parametrize(("levels", "remark"), [(300, ""), (1100, "nested 1,101 levels deep")])
def test_5_deep_response_is_shown_with_a_warning(shell: Shell, levels: int, remark: str) -> None:
    value = '[{"a":' * (levels // 2) + "1" + "}]" * (levels // 2)
    seen = visit(shell, replying(f'"result":{value}'))
    assert (seen.code, seen.ran.out) == (0, value.encode() + b"\n")
    assert remark in seen.printed


@pytest.mark.thorough
def test_5_depth_of_100000_is_shown_and_recorded(shell: Shell) -> None:
    with RawServer(replying(f'"result":{"[" * 100_000}{"]" * 100_000}')) as server:
        ran = on_terminal(shell, "call", "m", "--url", server.origin)
    read = on_terminal(shell, "history", "show")
    inert(ran, read)
    assert (ran.code, read.code) == (0, 0)
    assert ran.text.count("[") == 100_000
    assert read.text.count("[") == 100_001  # and the params
    assert "nested 100,001 levels deep" in ran.err
    assert "nested 100,001 levels deep" in read.text


def test_5_deep_params_can_be_sent(shell: Shell) -> None:
    value = '[{"a":' * 550 + "1" + "}]" * 550
    with RawServer(http_reply(REPLY)) as server:
        assert shell.run("call", "m", value, "--url", server.origin, "--id", ID).code == 0
    assert value.encode() in server.requests[0].body


@pytest.mark.parametrize(
    ("value", "remark"),
    [
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "Infinity is not JSON"),
        ("1e999", ""),
        ("-0", ""),
        ("7" * 4301, "a number with 4,301 digits"),
        (str(2**64), ""),
        ("0.1000000000000000055511151231257827", ""),
    ],
    ids=["NaN", "Infinity", "1e999", "-0", "4,301 digits", "2^64", "many places"],
)
def test_6_extreme_numbers_keep_their_spelling(shell: Shell, value: str, remark: str) -> None:
    seen = visit(shell, replying(f'"result":{{"n":{value}}}'))
    assert (seen.code, seen.ran.out) == (0, f'{{"n":{value}}}\n'.encode())
    assert remark in seen.printed
    assert value in seen.seen


def test_7_duplicates_empty_keys_and_nul_are_shown(shell: Shell) -> None:
    value = '{"a":1,"a":2,"":3,"\\u0000":4,"\\u0000":5}'
    seen = visit(shell, replying(f'"result":{value}'))
    assert seen.ran.out == value.encode() + b"\n"
    assert all(
        f"{key}: {number}" in seen.seen for key, number in zip(['"a"', '"a"', '""', '"\\u0000"'], "1234", strict=True)
    )
    twice = visit(shell, http_reply(b'{"jsonrpc":"2.0","id":"id-1","result":1,"result":2,"id":"id-1"}'))
    assert twice.ran.out == b"2\n"
    assert "the member result appears twice: the last one counts" in twice.printed


REPLY = b'{"jsonrpc":"2.0","id":"id-1","result":"%s"}'


@pytest.mark.parametrize(
    ("body", "type_", "code", "message"),
    [
        (REPLY % b"\xe9", "", 5, "byte 39 is 0xe9"),
        (b"\xef\xbb\xbf" + REPLY % b"x", "", 0, "the response starts with a byte order mark"),
        ((REPLY % b"x").decode().encode("utf-16"), "", 5, "UTF-16"),
        ((REPLY % b"x").decode().encode("utf-32-le"), "", 5, "UTF-32"),
        (REPLY % b"x", "application/json; charset=zip", 0, ""),
        (b"1\x00", "application/json", 5, "plain text"),
    ],
    ids=["not UTF-8", "BOM", "UTF-16", "UTF-32", "charset=zip", "1 and NUL"],
)
def test_8_other_encodings_are_shown_in_hex(shell: Shell, body: bytes, type_: str, code: int, message: str) -> None:
    seen = visit(shell, http_reply(body, headers={"Content-Type": type_}))
    assert seen.code == code
    assert message in seen.printed
    assert seen.exchange.response.body == body
    assert code == 0 or "00000000  " in seen.seen or "␀" in seen.seen


@pytest.mark.parametrize(
    ("body", "coding", "code", "message"),
    [
        (gzip.compress(bytes(8 * MIB)), "gzip", 4, "larger than the limit of 1,048,576 bytes"),
        (gzip.compress(gzip.compress(REPLY)), "gzip, gzip", 5, "unknown encoding 'gzip, gzip'"),
        (gzip.compress(REPLY)[:-9], "gzip", 4, "the end of its gzip data is missing"),
        (b"\x1b[2J" + REPLY, "br", 5, "unknown encoding 'br'"),
        (gzip.compress(REPLY % b"x"), "gzip", 0, "which was not requested. It was decompressed."),
        (REPLY % b"x", "gzip", 0, "is not gzip, although its header says so"),
    ],
    ids=["bomb", "stacked", "cut short", "not offered", "whole", "not packed at all"],
)
def test_9_gzip_is_unpacked_once_and_capped(shell: Shell, body: bytes, coding: str, code: int, message: str) -> None:
    limited(shell)
    seen = visit(shell, http_reply(body, headers={"Content-Encoding": coding}))
    assert seen.code == code
    assert message in seen.printed


def limited(shell: Shell) -> None:
    """Set a cap of 1 MiB for responses."""
    (shell.home / "config").mkdir(parents=True)
    (shell.home / "config" / "settings.toml").write_text('[reply]\nlimit = "1 MiB"\n[history]\nbody_limit = "1 kB"\n')


@pytest.mark.thorough
def test_10_endless_body_is_recorded_up_to_cap(shell: Shell) -> None:
    limited(shell)
    seen = visit(shell, again_and_again(b"HTTP/1.1 200 OK\r\n\r\n", b"\x1b[2J" * 16384))
    assert (seen.code, seen.exchange.response.size, len(seen.exchange.response.body)) == (4, MIB, 1000)
    assert "To print the response body (" in seen.printed


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "received"),
    [
        (again_and_again(http_reply(headers={"Content-Length": "999"}), b"d", 0.02), b"d"),
        (again_and_again(b"HTTP/1.1 200 OK\r\nX: ", b"y", 0.02), b""),
        ([HOLD], b""),
    ],
    ids=["a byte at a time", "slow headers", "hang"],
)
def test_11_slow_response_ends_at_the_deadline(shell: Shell, script: Script, received: bytes) -> None:
    seen = visit(shell, script, "--timeout", "0.5")
    assert seen.code == 4
    assert "within 0.5 s" in seen.printed
    assert isinstance(seen.exchange.outcome, Unreached)
    assert seen.exchange.outcome.maybe_ran
    assert seen.exchange.response.body.startswith(received)


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ([http_reply(REPLY, headers=CUT), RESET], 4, "closed the connection during the response"),
        (http_reply(REPLY, headers=CUT), 4, f"{len(REPLY)} of 100 bytes were received"),
        (b"", 4, "closed the connection without a response"),
        (http_reply(REPLY % b"x", headers={"Content-Length": "40"}), 5, "incomplete JSON"),
        (http_reply(REPLY % b"x" + b"more", headers={"Content-Length": "42"}), 0, ""),
    ],
    ids=["reset", "length too long", "close", "length too short", "more than announced"],
)
def test_12_incomplete_response_is_reported_and_recorded(shell: Shell, script: Script, code: int, message: str) -> None:
    seen = visit(shell, script)
    assert seen.code == code
    assert message in seen.printed
    assert code != 4 or "the server may have run it: check before you resend it" in seen.printed


def test_13_redirect_to_another_host_gets_no_password(shell: Shell) -> None:
    with RawServer(PONG) as other:
        location = f"http://localhost:{other.port}/\x1b]8;;x\x07\xe9"
        seen = visit(shell, http_reply(b"", 307, {"Location": location}), json.dumps({"password": PASSWORD}))
    assert (seen.code, other.requests) == (5, [])
    assert f"redirects to http://localhost:{other.port}/␛]8;;x␇é. Redirects are not followed" in seen.printed
    assert PASSWORD not in seen.seen + str(shell.files())
    assert len(seen.server.requests) == 2  # one for each call


def test_13_redirect_to_itself_does_not_loop(shell: Shell) -> None:
    seen = visit(shell, http_reply(b"", 302, {"Location": "/api/v2/"}))
    assert (seen.code, len(seen.server.requests)) == (5, 2)


@pytest.mark.parametrize(
    ("cookies", "sent"),
    [
        (["sessionid=second"], "sessionid=second"),
        (["sessionid=; Max-Age=0"], "sessionid=first"),
        (["x=\xe9", "sessionid=\xff"], "sessionid=first"),
        ([f"c{number}={'v' * 3000}" for number in range(20)], "sessionid=first"),
    ],
    ids=["replaced", "deleted", "beyond ASCII", "20 of 3 kB"],
)
def test_14_only_one_cookie_is_sent(shell: Shell, cookies: list[str], sent: str) -> None:
    def script(request: Received) -> bytes:
        call = request.json
        found = {"auth": ["sessionid=first"], "odd": cookies}.get(call["method"], [])
        return request.reply(result=1, headers=[("Set-Cookie", cookie) for cookie in found])

    with RawServer(script) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n')
        runs = [
            shell.run("call", method, "-i", terminal=True, NO_COLOR="1", RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
            for method in ("odd", "next")
        ]
    inert(*runs)
    assert [run.code for run in runs] == [0, 0]
    assert [value for name, value in server.requests[-1].headers if name == "Cookie"] == [sent]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://xn--/", "is not a valid name"),
        ("http://127.0.0.1:99999", "port"),
        (f"http://user:{PASSWORD}@127.0.0.1:9", "password"),
        ("", "http"),
        ("http://127.0.0.1:9/\0", "U+0000"),
        ("http://127.0.0.1:9/\x1b]52;c;x\x07", "U+001B"),
    ],
    ids=["xn--", "port", "user", "empty", "NUL", "ESC"],
)
def test_15_unusable_url_is_reported_without_traceback(shell: Shell, url: str, message: str) -> None:
    shell.sessions(f"[profile.bad]\nurl = {json.dumps(url)}\n")
    runs = [
        on_terminal(shell, *words)
        for words in (
            ["call", "m", "--url", url],
            ["call", "m", "-p", "bad"],
            ["profiles", "list"],
            ["history", "list"],
        )
    ]
    inert(*runs)
    assert all(run.code in {2, 4} and run.err for run in runs[:2])
    assert message in runs[0].err
    assert PASSWORD not in "".join(run.text + run.err for run in runs) + str(history_of(shell))


@pytest.mark.parametrize("value", ["a\nb", "a;b", "aéb", "a\x00b", "a\r\nX: y"])
def test_16_invalid_cookie_is_neither_sent_nor_printed(shell: Shell, value: str) -> None:
    value = f"{PASSWORD}{value}{PASSWORD}"
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie" }}\n')
        ran = shell.run("call", "m", RPCEXPLORER_SHOP_SESSION=value)
    inert(ran)
    assert (ran.code, server.requests) == (2, [])
    assert "has a character that is not allowed" in ran.err
    assert PASSWORD not in ran.text + ran.err + str(shell.files())
