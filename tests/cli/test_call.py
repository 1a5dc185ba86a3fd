"""``call``, ``notify`` and ``batch``: requests, output and exit codes."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from rpcexplorer.child_process import ChildProcess
from tests.fakes.agent import COMPLETED, Agent, said
from tests.fakes.shell import Shell
from tests.fakes.wire import HOLD, RESET, RawServer, Received, Script, http_reply


def answering(raw: str) -> Callable[[Received], bytes]:
    """Return a script for responses with this text after the id."""

    return lambda request: request.reply_with(raw)


PONG = answering('"result":"pong"')
NO = answering('"error":{"code":-32601,"message":"no such method","data":{"asked":"x"}}')
FAILED_TOOL = '{"content":[{"type":"text","text":"Unknown tool: x\\u001b[2J"}],"isError":true}'


def test_failed_tool_prints_its_result_and_exits_1(shell: Shell) -> None:
    with RawServer(answering(f'"result":{FAILED_TOOL}')) as server:
        ran = shell.run("call", "tools/call", "name=x", "--url", server.origin)
    assert (ran.code, ran.text) == (1, f"{FAILED_TOOL}\n")
    assert "✗ tool failed: Unknown tool: x␛[2J  HTTP 200" in ran.err
    for words, count in (("error", 1), ("failed", 1), ("result", 0)):
        assert len(shell.run("history", "list", "--outcome", words).text.splitlines()) == count
    assert "✗" in shell.run("history", "list").text
    assert "1 failed: 1 error" in shell.run("history", "stats").text
    row = json.loads(shell.run("history", "list", "--json").text)
    assert row["outcome"] == "result"


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ([], "[]"),
        (["[]"], "[]"),
        (['{"a": 1.10}'], '{"a":1.10}'),
        (['{"a": "b=c"}'], '{"a":"b=c"}'),
        (["a=b"], '{"a":"b"}'),
        (["a=b", "n:=1.10"], '{"a":"b","n":1.10}'),
        (["a:=[1, 2]", "b:=null", "c="], '{"a":[1,2],"b":null,"c":""}'),
        (["a=x=y"], '{"a":"x=y"}'),
        (["user.name=é"], '{"user.name":"é"}'),
        (["@params.json"], '{"from":"a file"}'),
        (["-"], '{"from":"stdin"}'),
    ],
)
def test_params_come_from_text_file_stdin_or_words(shell: Shell, words: list[str], sent: str) -> None:
    (shell.folder / "params.json").write_text('{"from": "a file"}')
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", *words, "--url", server.origin, stdin=b'\xef\xbb\xbf{"from": "stdin"}')
    assert ran.code == 0, ran.err
    assert server.requests[0].body.endswith(f'"method":"m","params":{sent}}}'.encode())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a=1", "nonsense"], "nonsense has no name, but other params have one."),
        (["@missing.json"], "There is no file"),
        (['["username": "ada"]'], "line 1, column 12"),
        (["{'a': 1}"], "line 1, column 2"),
        (["a:=[1,"], "[ is not closed"),
    ],
)
def test_invalid_params_are_explained_and_not_sent(shell: Shell, words: list[str], message: str) -> None:
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", *words, "--url", server.origin)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == b""
    assert server.requests == []


WORDS = [
    ("b:=[1,", "[ is not closed. Write 'b:=[1]' instead."),
    ('b:={"a":', "a value is missing here. Write one, or null."),
    ("b:=[1,]", "there is a comma after the last element. Write 'b:=[1]' instead."),
    ("b:=Ada", "text needs double quotes. Write 'b:=\"Ada\"' or b=Ada instead."),
    ("b:=True", "True is not JSON. Write b:=true or b=True instead."),
    ("b:=1,2", "only one value is allowed. Write 'b:=[1,2]' or b=1,2 instead."),
    ("b:=1 2", "a comma is missing before this. Write 'b:=[1, 2]' or 'b=1 2' instead."),
    ('b:=1,"c":2', "an array has no names. Write 'b=1,\"c\":2' instead."),
    ("b:=", "the value is missing. Write b:=null or b= instead."),
    ("b:=[1]]", "] has no opening bracket. Write 'b:=[1]' instead."),
    ("b:={{n}}", "a variable must be in quotes. Write 'b:=\"{{n:json}}\"' or 'b={{n}}' instead."),
]


def test_file_without_json_params_is_named(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("a = 1\n")
    ran = shell.run("call", "m", "@a.py", "--url", "http://127.0.0.1:9")
    assert ran.code == 2
    assert "rpcexplorer: a.py does not contain JSON params:\n  a = 1\n" in ran.err


@pytest.mark.parametrize(("word", "message"), WORDS, ids=[word for word, _ in WORDS])
def test_invalid_json_word_suggests_words_that_work(shell: Shell, word: str, message: str) -> None:
    ran = shell.run("call", "m", "a=1", word, "--url", "http://127.0.0.1:9")
    assert (ran.code, ran.out) == (2, b"")
    assert f"{word} cannot be sent: {message}" in ran.err
    if " instead." not in message:
        return
    offered = shlex.split(message.partition(". Write ")[2].removesuffix(" instead."))
    for better in offered:
        if better != "or":
            assert shell.run("call", "m", "a=1", better, "--url", "http://127.0.0.1:9", "--dry-run").code == 0, better


@pytest.mark.parametrize("command", [["call"], ["notify"], ["call", "--dry-run"]])
def test_empty_method_name_is_not_sent(shell: Shell, command: list[str]) -> None:
    with RawServer(PONG) as server:
        url = f'version = 1\n[profile.live]\nurl = "{server.origin}"\nbadge = "prod"\n'
        (shell.folder / "sessions.toml").write_text(url)
        ran = shell.run(*command, " ", "-p", "live")
    assert (ran.code, ran.out) == (2, b"")
    assert "Name one, such as ping" in ran.err
    assert server.requests == []


@pytest.mark.parametrize(
    "value", ["1.10", "1e400", "-0", "123456789012345678901234567890", '{"b": 1, "a":2 ,"b":3}', "NaN"]
)
def test_result_in_pipe_is_exact_bytes_and_newline(shell: Shell, value: str) -> None:
    with RawServer(answering(f'"result":{value}')) as server:
        ran = shell.run("call", "m", "--url", server.origin)
    assert (ran.code, ran.out) == (0, value.encode() + b"\n")


def test_result_on_terminal_is_formatted_coloured_and_safe(shell: Shell) -> None:
    with RawServer(answering('"result":{"a":1.10,"b":"\u202e\u009b31m"}')) as server:
        ran = shell.run("call", "m", "--url", server.origin, terminal=True)
    assert "\x1b[" in ran.text
    assert "1.10" in ran.text
    assert "\\u202e" in ran.text
    assert "\u202e" not in ran.text
    assert "\u009b" not in ran.text
    assert ran.text.count("\n") == 4


def test_response_option_prints_whole_response(shell: Shell) -> None:
    with RawServer(NO) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--response")
    assert ran.code == 1
    assert json.loads(ran.out)["error"]["code"] == -32601


def test_body_option_prints_exact_bytes(shell: Shell) -> None:
    with RawServer(http_reply(b"\x00\xff<html>", status=502)) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--body")
    assert (ran.code, ran.out) == (5, b"\x00\xff<html>")


def test_include_option_prints_status_and_headers_first(shell: Shell) -> None:
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--include")
    head, _, result = ran.text.partition("\n\n")
    assert head.startswith("HTTP/1.1 200")
    assert "Content-Length: " in head
    assert result == '"pong"\n'


TEXTS = {"content": [{"type": "text", "text": "## Day\n\nSunny \x1b[c"}, {"type": "text", "text": '{"high":24.0}'}]}


def test_texts_are_laid_out_on_terminal_and_plain_in_pipe(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(result=TEXTS)) as server:
        words = ("call", "m", "--url", server.origin, "--text")
        shown = shell.run(*words, terminal=True, NO_COLOR="1").text
        assert shown.splitlines()[:5] == ["$.content[0].text  Markdown  17 B", "", "  Day", "", "  Sunny ␛[c"]
        assert shown.endswith('$.content[1].text  JSON  13 B\n  {\n    "high": 24.0\n  }\n')
        assert "\x1b[33m24.0\x1b[0m" in shell.run(*words, terminal=True).text
        first = "$.content[0].text\n## Day\n\nSunny \x1b[c\n\n"
        assert shell.run(*words).text == f'{first}$.content[1].text\n{{"high":24.0}}\n'


@pytest.mark.parametrize(
    ("result", "printed", "message"),
    [
        ("pong", "pong\n", ""),
        (["one\ntwo"], "one\ntwo\n", ""),
        (
            {"a": "b"},
            "",
            "rpcexplorer: the result contains no text, at most short strings. To print it as JSON, remove --text\n",
        ),
    ],
)
def test_only_text_is_printed_without_its_path(shell: Shell, result: object, printed: str, message: str) -> None:
    with RawServer(lambda request: request.reply(result=result)) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--text")
    assert (ran.code, ran.text, ran.err) == (0, printed, message)


def test_error_has_no_texts_on_stdout(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(error={"code": 1, "message": "a\nb"})) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--text")
    assert (ran.code, ran.text) == (1, "")
    assert "error 1" in ran.err


def test_headers_on_terminal_are_safe(shell: Shell) -> None:
    reply = b"HTTP/1.1 200 Fine\x1b[2J\r\nX-Evil: a\x1b]52;c;x\x07b\r\nContent-Length: 0\r\n\r\n"
    with RawServer(reply) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--include", terminal=True, NO_COLOR="1")
    assert "\x1b" not in ran.text + ran.err
    assert "\x07" not in ran.text + ran.err


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        (PONG, 0, ""),
        (NO, 1, "-32601 no such method"),
        (http_reply(b'{"id":7,"result":1}'), 0, "jsonrpc is missing). rpcexplorer handles this"),
        (http_reply(b'{"id":7,"error":{"why":[1.10]}}'), 1, "error object: {"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", RESET], 4, "may have run it"),
        (http_reply(b"<html>"), 5, "HTML page"),
        (http_reply(b""), 5, "empty"),
    ],
)
def test_outcome_decides_exit_code(shell: Shell, script: Script, code: int, message: str) -> None:
    with RawServer(script) as server:
        ran = shell.run("call", "m", "--url", server.origin)
    assert ran.code == code
    assert message in ran.err
    assert code == 0 or ran.out == b""


@pytest.mark.parametrize("command", [["call", "m"], ["notify", "m"], ["batch"]])
def test_options_set_form_of_request(shell: Shell, command: list[str]) -> None:
    form = ["--content-type", "text/json", "--accept", "text/x", "--empty-params", "omit"]
    with RawServer(http_reply(b"null")) as server:
        shell.run(*command, "--url", server.origin, *form, stdin=b'[{"method": "m"}]')
    (request,) = server.requests
    assert (request.header("Content-Type"), request.header("Accept")) == ("text/json", "text/x")
    assert b"params" not in request.body


def test_timeout_exits_4(shell: Shell) -> None:
    from tests.fakes.wire import HOLD

    with RawServer([HOLD]) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--timeout", "0.2")
    assert ran.code == 4
    assert "0.2 s" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["call", "m"], "rofile"),
        (["call", "m", "-p", "missing"], "missing"),
        (["call", "m", "--url", "http://127.0.0.1:9", "-p", "x"], "not both"),
        (["call", "m", "--auth", "none"], "--url"),
        (["call", "m", "--content-type", "text/json"], "profiles set NAME content_type=text/json"),
        (["call", "m", "--url", "http://127.0.0.1:9", "--content-type", "a\nb"], "--content-type a"),
        (["call", "m", "--url", "http://127.0.0.1:9", "--empty-params", "x"], "--empty-params x: must be one of"),
        (["call", "m", "--url", "http://127.0.0.1:9", "--response", "--body"], "Use only one of"),
    ],
)
def test_wrong_usage_exits_2_with_a_sentence(shell: Shell, arguments: list[str], message: str) -> None:
    ran = shell.run(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999", "http://xn--/", "ftp://x", "nonsense", "http://u:pw@127.0.0.1:1"]
)
def test_invalid_url_is_reported(shell: Shell, url: str) -> None:
    ran = shell.run("call", "m", "--url", url)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert ":pw@" not in ran.err + str(shell.files())


def test_missing_credentials_exit_3_and_name_the_variable(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n')
        ran = shell.run("call", "arg_test", "-p", "shop")
    assert ran.code == 3
    assert "RPCEXPLORER_SHOP_PASSWORD" in ran.err
    assert server.requests == []


def test_profile_option_works_before_and_after_the_command(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.a]\nurl = "{server.origin}"\n[profile.b]\nurl = "{server.origin}"\n')
        assert shell.run("call", "ping").code == 2
        assert shell.run("-p", "b", "call", "ping").code == 0
        assert shell.run("call", "-p", "b", "ping").code == 0


def test_damaged_profile_affects_only_itself(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.a]\nurl = "{server.origin}"\n[profile.b]\nurl = "{server.origin}"\ntimout = 3\n')
        good, bad = shell.run("call", "ping", "-p", "a"), shell.run("call", "ping", "-p", "b")
    assert good.code == 0
    assert bad.code == 2
    assert "timout" in bad.err
    assert "timeout" in bad.err
    assert "sessions.toml:5" in bad.err


@pytest.mark.parametrize(
    ("arguments", "sent"), [([], 0), (["--yes"], 1), (["--no-input"], 0), (["-y", "--no-input"], 1)]
)
def test_unsafe_method_on_prod_needs_confirmation(shell: Shell, arguments: list[str], sent: int) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}"\nbadge = "prod"\n')
        ran = shell.run("call", "user.delete", *arguments)
    assert len(server.requests) == sent
    assert (ran.code == 0) is bool(sent)
    assert sent or "--yes" in ran.err


def test_dry_run_prints_exact_request_and_sends_nothing(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n')
        ran = shell.run(
            "call", "arg_test", "x:=1.10", "--dry-run", "--id", "abc", RPCEXPLORER_SHOP_PASSWORD="hunter2hunter2"
        )
    head, _, body = ran.text.partition("\n\n")
    assert ran.code == 0
    assert server.requests == []
    expected = (
        '{"jsonrpc":"2.0","id":"abc","method":"arg_test",'
        '"params":{"x":1.10,"username":"ada","password":"«shop.password»"}}'
    )
    assert body == expected + "\n"
    assert head.splitlines() == [
        "POST /api/v2/ HTTP/1.1",
        f"Host: {server.origin.removeprefix('http://')}",
        "Content-Type: application/json-rpc",
        "Accept: */*",
        f"Content-Length: {len(expected.encode())}",
    ]
    assert "hunter2" not in ran.text + ran.err


def test_dry_run_is_coloured_on_a_terminal(shell: Shell) -> None:
    words = ("call", "ping", "--url", "http://127.0.0.1:9", "--dry-run", "--id", "abc")
    shown = shell.run(*words, terminal=True).text
    assert shown.startswith("\x1b[1mPOST /api/v2/ HTTP/1.1\x1b[0m\n\x1b[36mHost\x1b[0m: 127.0.0.1:9\n")
    assert '\x1b[36m"jsonrpc"\x1b[0m' in shown
    assert "\x1b" not in shell.run(*words, terminal=True, NO_COLOR="1").text


def test_dry_run_shows_cookie_as_secret_reference(shell: Shell) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = { kind = "cookie", username = "ada" }\n')
    without = shell.run("call", "ping", "--dry-run")
    assert "Cookie" not in without.text
    assert "login" in without.err
    ran = shell.run("call", "ping", "--dry-run", RPCEXPLORER_SHOP_SESSION="s3ss10n-s3ss10n")
    assert "Cookie: sessionid=«shop.session»" in ran.text
    assert "s3ss10n" not in ran.text + ran.err


def test_notify_sends_no_id_and_prints_nothing(shell: Shell) -> None:
    with RawServer(http_reply(b"", status=204)) as server:
        ran = shell.run("notify", "log", "a=b", "--url", server.origin)
    assert (ran.code, ran.out) == (0, b"")
    assert json.loads(server.requests[0].body) == {"jsonrpc": "2.0", "method": "log", "params": {"a": "b"}}


BATCH = b'[{"method":"a"},{"method":"b","params":{"n":1.10}},{"method":"c","id":null}]'


def answer_all(request: Received) -> bytes:
    calls: list[dict[str, Any]] = request.json
    replies = [{"jsonrpc": "2.0", "id": call["id"], "result": call["method"]} for call in calls if "id" in call]
    return http_reply(json.dumps(replies).encode())


@pytest.mark.parametrize("arguments", [["batch"], ["batch", "-"], ["batch", "calls.json"], ["batch", "@calls.json"]])
def test_batch_from_stdin_or_file_is_one_request(shell: Shell, arguments: list[str]) -> None:
    (shell.folder / "calls.json").write_bytes(BATCH)
    with RawServer(answer_all) as server:
        ran = shell.run(*arguments, "--url", server.origin, stdin=BATCH)
    assert ran.code == 0, ran.err
    assert b'"params":{"n":1.10}' in server.requests[0].body
    assert ["id" in call for call in json.loads(server.requests[0].body)] == [True, True, False]
    assert [reply["result"] for reply in json.loads(ran.out)] == ["a", "b"]


def test_batch_with_failed_call_prints_all_responses(shell: Shell) -> None:
    reply = b'[{"jsonrpc":"2.0","id":"x.1","result":1},{"jsonrpc":"2.0","id":"x.2","error":{"code":1,"message":"no"}}]'
    with RawServer(http_reply(reply)) as server:
        ran = shell.run("batch", "--url", server.origin, "--id", "x", stdin=b'[{"method":"a"},{"method":"b"}]')
    assert ran.code == 1
    assert ran.out == reply + b"\n"
    assert "rpcexplorer: ✗ 1 of 2 calls failed  HTTP 200" in ran.err
    assert "call 2, b: error 1 no" in ran.err
    assert ran.err.count("error 1") == 1
    assert "call 1" not in ran.err


def test_batch_with_missing_response_prints_the_others(shell: Shell) -> None:
    body = b'{"jsonrpc":"2.0","id":"x.1","result":1}'
    with RawServer(http_reply(body)) as server:
        ran = shell.run("batch", "--url", server.origin, "--id", "x", stdin=b'[{"method":"a"},{"method":"b"}]')
    assert (ran.code, ran.out) == (5, body + b"\n")
    assert "1 of 2 calls got no response  HTTP 200" in ran.err
    assert "call 2, b: No response to this call" in ran.err


def test_rejected_batch_is_reported_once(shell: Shell) -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batch"}}'
    with RawServer(http_reply(body)) as server:
        ran = shell.run("batch", "--url", server.origin, "--id", "x", stdin=b'[{"method":"a"},{"method":"b"}]')
    assert ran.code == 1
    assert "call 1" not in ran.err
    assert ran.err.count("no batch") == 1


FILE = """
default = "p"
[variables]
page = 7
[profile.p]
url = "{url}"
badge = "{badge}"
auth = {{ kind = "none" }}
[profile.p.variables]
name = "Ada"
[profile.p.method."user.list"]
safe = true
doc = "Lists users"
[call."list users"]
method = "user.list"
doc = "One page of them"
params_json = '{{"page": "{{{{page:json}}}}", "price": 1.10, "name": "{{{{name}}}}"}}'
[call."one user"]
method = "user.get"
params = ["{{{{id}}}}"]
[call.ping]
method = "user.delete"
"""


def answer(request: Received) -> bytes:
    return request.reply_with('"result":{"items":[{"id":12345678901234567890}]}')


class Case:
    """A shell with saved calls, and the requests that a server received."""

    def __init__(self, shell: Shell, server: RawServer, badge: str = "") -> None:
        self.shell, self.server = shell, server
        shell.sessions(FILE.format(url=server.origin, badge=badge))

    @property
    def sent(self) -> list[tuple[str, Any]]:
        bodies = [json.loads(request.body, parse_float=str, parse_int=str) for request in self.server.requests]
        return [(body["method"], body["params"]) for body in bodies]

    def records(self) -> list[dict[str, Any]]:
        files = (self.shell.home / "state" / "history").glob("*.toml")
        return [call for file in files for call in tomllib.loads(file.read_text())["call"]]


def test_saved_call_is_sent_with_values_and_recorded(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", "@list users", "--set", "page=2")
        assert (ran.code, ran.err) == (0, "")
        assert ran.text == '{"items":[{"id":12345678901234567890}]}\n'
        assert case.sent == [("user.list", {"page": "2", "price": "1.10", "name": "Ada"})]
        (record,) = case.records()
        assert record["method"] == "user.list"
        assert record["params"] == '{"page": "{{page:json}}", "price": 1.10, "name": "{{name}}"}'
        assert record["params_sent"] == '{"page": 2, "price": 1.10, "name": "Ada"}'
        assert shell.run("notify", "@list users").code == 0
        assert "id" not in json.loads(server.requests[1].body)
        assert case.sent[1][1]["page"] == "7"


def test_two_at_signs_call_a_method_with_one(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        assert shell.run("call", "@@ping", "[1]").code == 0
        assert shell.run("call", "@@@", "{}", "--set", "page=2").code == 0
        assert case.sent == [("@ping", ["1"]), ("@@", {})]
        names = [row["name"] for row in json.loads(shell.run("methods", "--json").text)]
        assert {"@ping", "@@ping", "@@@"} <= set(names)


def test_result_reference_uses_newest_result(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        words = ["user.get", '["{{last.user.list#/items/0/id:json}}", "{{uuid}}"]']
        assert shell.run("call", *words, "--set", "x=1").code == 2
        assert shell.run("call", *words, "--dry-run").code == 0
        assert case.sent == []
        shell.run("call", "user.list")
        ran = shell.run("call", *words)
        assert (ran.code, ran.err) == (0, "")
        assert case.sent[1][1][0] == "12345678901234567890"
        assert len(case.sent[1][1][1]) == 36


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["@one user"],
            "Nothing was sent: {{id}} has no value. Did you mean {{uuid}}? Add --set id=…, or set id in",
        ),
        (["@one user", "--set", "di=3"], "--set di=… has no effect: the params contain no {{di}}"),
        (["@one user", "[1]"], "The saved call @one user already has params"),
        (["@list user"], "There is no saved call list user for profile p. Did you mean @list users?"),
        (["@"], "There is no saved call @ for profile p. To list the saved calls"),
        (["ping", '["{{nobody}}"]', "--set", "page=1"], "Nothing was sent: {{nobody}} has no value. Add --set nobody"),
        (["ping", '["{{last.ping#/a}}"]', "--set", "page=1"], "there is no result of ping on p in the history."),
        (["ping", '["{{page:json}}"]', "--set", "page=a b"], "{{page}} needs a JSON value"),
        (["ping", "--set", "page"], "--set page is not NAME=VALUE"),
        (["ping", "--set", "uuid=1"], "--set uuid=1 is not NAME=VALUE"),
    ],
)
def test_missing_variable_is_named_and_nothing_sent(shell: Shell, arguments: list[str], message: str) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", *arguments)
        assert ran.code == 2
        assert message in ran.err
        assert shell.run("call", *arguments, "--dry-run").code == 2
        assert case.sent == []


def test_unknown_variable_in_typed_params_is_a_warning(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", "ping", '["{{nobody}} {{page}}", "{{{{page}}"]')
        assert ran.code == 0
        assert ran.err == "rpcexplorer: {{nobody}} has no value. It is sent as typed.\n"
        assert case.sent == [("ping", ["{{nobody}} 7", "{{page}}"])]
        dry = shell.run("call", "ping", '["{{nobody}} {{page}}"]', "--dry-run")
        assert '"params":["{{nobody}} 7"]' in dry.text
        assert "warning: {{nobody}} has no value. It is sent as typed." in dry.err


def test_missing_variable_is_asked_for_on_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.cli.world.World.asks", True)
    with RawServer(answer) as server:
        case = Case(shell, server)
        monkeypatch.setattr("click.prompt", lambda question, **_: {"{{id}}": "5"}[question])
        assert shell.run("call", "@one user", terminal=True).code == 0
        assert case.sent == [("user.get", ["5"])]
        assert shell.run("call", "@one user", "--no-input", terminal=True).code == 2
        monkeypatch.setattr("click.prompt", lambda *_, **__: "")
        assert shell.run("call", "@one user", terminal=True).code == 2
        assert len(case.sent) == 1


def test_saved_call_is_confirmed_like_its_method(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server, "prod")
        assert shell.run("call", "@list users").code == 0
        ran = shell.run("call", "@ping")  # It has the name of a method that is marked safe.
        assert ran.code == 2
        assert "asks to confirm unsafe calls: user.delete." in ran.err
        assert [method for method, _ in case.sent] == ["user.list"]


def test_methods_lists_saved_calls_before_methods(shell: Shell) -> None:
    shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    lines = shell.run("methods").text.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "@list users", "@one user", "@ping", "arg_test", "auth", "ping", "user.list",
    ]  # fmt: skip
    assert lines[0].split(None, 2)[2] == "user.list  One page of them"
    rows = {row["name"]: row for row in json.loads(shell.run("methods", "--json").text)}
    users = rows["@list users"]
    assert (users["source"], users["calls"], users["doc"], users["safe"]) == (
        "saved", "user.list", "One page of them", True,
    )  # fmt: skip
    assert users["start"] == {"page": "{{page:json}}", "price": 1.10, "name": "{{name}}"}
    assert users.keys() - {"calls"} == rows["ping"].keys()
    assert '"start":{"page": "{{page:json}}", "price": 1.10' in shell.run("methods", "--json").text


def test_docs_of_saved_call_describe_its_method(shell: Shell) -> None:
    shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    docs, method = (shell.run("methods", name).text for name in ("@list users", "user.list"))
    assert docs == f"  @list users is a saved call: user.list  One page of them\n\n{method}"
    assert "Lists users" in method
    assert "  user.get\n" in shell.run("methods", "@one user").text  # No description of this method exists.


def test_variable_and_call_together_build_no_secret_reference(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.sessions(
            f'[profile.p]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n'
            '[variables]\nstart = "«p.pass"\nend = "word»"\n'
            '[call.x]\nmethod = "note"\nparams_json = \'{"a": "{{start}}{{end}}", "b": "«p.pass{{end}}"}\'\n'
        )
        ran = shell.run("call", "@x", "--no-history", RPCEXPLORER_P_PASSWORD="correct-horse")
        assert ran.code == 0
        params = json.loads(server.requests[0].body)["params"]
        assert (params.pop("username"), params.pop("password")) == ("ada", "correct-horse")
        assert params == {"a": "«p.password»", "b": "«p.password»"}  # The letters are sent, not the secret.


def test_profiles_show_lists_variables_with_file_and_line(shell: Shell) -> None:
    file = shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    assert shell.run("profiles", "set", "p", "variables.page=8").code == 0
    shown = {line.split()[0]: line for line in shell.run("profiles", "show", "p").text.splitlines()}
    assert shown["variables.page"].endswith("sessions.local.toml:6")
    assert shown["variables.name"].split()[1:] == ["Ada", f"{file}:10"]
    assert shown["call.ping.method"].split()[1:] == ["user.delete", f"{file}:22"]
    assert '"page":8' in shell.run("call", "@list users", "--dry-run").text


@pytest.mark.parametrize(("options", "has_hint"), [([], True), (["--body"], False), (["--response"], False)])
def test_body_hint_only_without_the_body(shell: Shell, options: list[str], has_hint: bool) -> None:
    with RawServer(http_reply(b"<h1>no</h1>", status=500)) as server:
        ran = shell.run("call", "m", *options, "--url", f"{server.origin}/rpc")
    assert (ran.code, ran.text) == (5, "" if has_hint else "<h1>no</h1>")
    assert ("To print the response body (11 bytes), add --body." in ran.err) == has_hint


@pytest.mark.parametrize("reply", [NO, answering('"error":{"code":1,"message":"No such method: user.lst"}')])
def test_unknown_method_suggests_a_listed_one(shell: Shell, reply: Script) -> None:
    with RawServer(reply) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}/rpc"\n[profile.p.method."user.list"]\n')
        assert shell.run("call", "user.lst").err.endswith("hint: Did you mean user.list?\n")
        for listed_or_different in ("user.list", "zzz"):
            assert "Did you mean" not in shell.run("call", listed_or_different).err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--id", "7"], "A notification has no id. Remove --id, or use call."),
        (["--response"], "A notification gets no response. Remove --response, or use call."),
        (["--envelope"], "A notification gets no response. Remove --response, or use call."),
        (["-o", "out.json"], "A notification gets no result to write. Remove --output, or use call."),
    ],
)
def test_notify_refuses_option_without_effect(shell: Shell, words: list[str], sentence: str) -> None:
    with RawServer(PONG) as server:
        ran = shell.run("notify", "ping", "--url", server.origin, *words)
    assert (ran.code, server.requests) == (2, [])
    assert sentence in ran.err


TYPED = {
    "openrpc": "1.3.2",
    "info": {"title": "t", "version": "1"},
    "methods": [
        {
            "name": "user.list",
            "params": [{"name": "limit", "schema": {"type": "integer"}}],
            "result": {"name": "users", "schema": {"type": "array"}},
        }
    ],
}


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["limit:=2"], []),
        (["limit=2"], []),
        (["two"], ["warning: limit must be a whole number, not a string"]),
        (
            ["limt:=2"],
            ["warning: “limt” is not one of the params: limit", 'hint: rename it to “limit”: {"limit": 2}'],
        ),
        (['{"limit": "2"}'], ["warning: limit must be a whole number, not a string", 'hint: write 2: {"limit": 2}']),
        (["limit=two"], ["warning: limit must be a whole number, not a string"]),
    ],
)
def test_params_that_differ_from_the_schema_are_hinted_at(shell: Shell, words: list[str], messages: list[str]) -> None:
    (shell.folder / "openrpc.json").write_text(json.dumps(TYPED))
    with RawServer(answering('"result":[]')) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n')
        assert shell.run("methods", "--refresh").code == 0
        ran = shell.run("call", "user.list", *words)
    assert (ran.code, ran.text, ran.err.splitlines()) == (0, "[]\n", messages)


def test_call_that_fits_its_schemas_starts_no_checker(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChildProcess, "ask", Mock(side_effect=AssertionError))
    (shell.folder / "openrpc.json").write_text(json.dumps(TYPED))
    with RawServer(answering('"result":[]')) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n')
        assert shell.run("methods", "--refresh").code == 0
        ran = shell.run("call", "user.list", "limit:=2")
    assert (ran.code, ran.text, ran.err) == (0, "[]\n", "")


def test_params_are_checked_in_full_after_an_error(shell: Shell) -> None:
    limited = json.dumps(TYPED).replace('"integer"', '"integer", "minimum": 5')
    (shell.folder / "openrpc.json").write_text(limited)
    with RawServer(answering('"error":{"code":-32602,"message":"Invalid params"}')) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n')
        assert shell.run("methods", "--refresh").code == 0
        ran = shell.run("call", "user.list", "limit:=2")
    assert ran.code == 1
    assert "warning: limit must be 5 or more" in ran.err


def test_result_that_differs_from_its_schema_is_reported(shell: Shell) -> None:
    (shell.folder / "openrpc.json").write_text(json.dumps(TYPED))
    with RawServer(answering('"result":{}')) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n')
        assert shell.run("methods", "--refresh").code == 0
        ran = shell.run("call", "user.list")
    assert (ran.code, ran.text) == (0, "{}\n")
    assert ran.err.startswith("warning: the result does not match its schema.")


def test_last_part_of_a_result_is_printed(shell: Shell) -> None:
    with RawServer(Agent(said("Guten Morgen"), COMPLETED)) as http:
        shell.sessions(f'[profile.agent]\nurl = "{http.origin}"\npreset = "a2a"\n')
        ran = shell.run("call", "-p", "agent", "SendStreamingMessage")
    assert (ran.code, json.loads(ran.text)) == (0, COMPLETED)
    assert ran.messages == [
        "rpcexplorer: the result came in 2 parts: the last one is printed. To print each, use listen"
    ]
    recorded = json.loads(shell.run("history", "show", "--json").text)
    assert [json.loads(part) for part in recorded["parts"]] == [said("Guten Morgen"), COMPLETED]
    assert shell.run("history", "list", "--outcome", "event").text == "", "the parts are in the record of the call"


def test_parts_without_end_are_no_response(shell: Shell) -> None:
    with RawServer(Agent(said("Guten"), said("Morgen"), HOLD)) as http:
        shell.sessions(f'[profile.agent]\nurl = "{http.origin}"\npreset = "a2a"\n')
        ran = shell.run("call", "-p", "agent", "SendStreamingMessage", "--timeout", "0.3")
    assert (ran.code, ran.text) == (4, "")
    assert "2 parts of the result came before that." in ran.err
    recorded = json.loads(shell.run("history", "show", "--json").text)
    assert [json.loads(part) for part in recorded["parts"]] == [said("Guten"), said("Morgen")]


def test_unknown_task_of_an_agent_asks_for_no_login(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(error={"code": -32001, "message": "Task not found"})) as http:
        ran = shell.run("call", "--url", f"{http.origin}/", "--preset", "a2a", "GetTask", "id=t")
    assert (ran.code, "credentials" in ran.err) == (1, False)


def test_secret_in_the_parts_of_a_result_is_hidden(shell: Shell) -> None:
    token = "t0ken-of-ada"
    with RawServer(Agent(said(token), said(f"{token}\n\n{token}"))) as http:
        shell.sessions(f'[profile.agent]\nurl = "{http.origin}"\npreset = "a2a"\nauth = {{ kind = "bearer" }}\n')
        called = shell.run("call", "-p", "agent", "SendStreamingMessage", "--text", RPCEXPLORER_AGENT_TOKEN=token)
        listened = shell.run("listen", "-p", "agent", "SendStreamingMessage", RPCEXPLORER_AGENT_TOKEN=token)
        assert {request.header("Authorization") for request in http.requests} == {f"Bearer {token}"}
    shown = shell.run("history", "show", "--json")
    for ran in (called, listened, shown):
        assert ran.code == 0, ran.err
        assert "«agent.token»" in ran.text
        assert token not in ran.text + ran.err
