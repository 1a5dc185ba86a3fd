"""curl commands: calls, credentials, and parts that are not imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.shell import bash_commands
from rpcexplorer.model.profile import split_socket
from tests.importing.test_formats import credentials, one, why

CALL = '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'


@pytest.mark.parametrize(
    "text",
    [
        f"curl -d '{CALL}' http://shop.example.com/rpc",
        f"curl -sSLX POST http://shop.example.com/rpc --data-binary '{CALL}' -o out.json | jq .result",
        f"$ URL=x curl -XPOST -H'Content-Type: application/json' -d'{CALL}' http://shop.example.com/rpc > out.json",
        f"curl \\\r\n  --json '{CALL}' \\\r\n  'http://shop.example.com/rpc'\r\n",
        f"/usr/bin/curl shop.example.com/rpc --max-time 3 --data-raw '{CALL}' # not this: ' is no quote",
        'curl http://shop.example.com/rpc -d "{\\"id\\":1,\\"method\\":\\"ping\\",\\"params\\":[]}"',
    ],
)
def test_handwritten_command_is_read(text: str) -> None:
    call = one(text)
    assert (call.method, call.params, call.address) == ("ping", "[]", "http://shop.example.com/rpc")


def test_each_command_and_next_is_a_request() -> None:
    text = f"curl -d '{CALL}' http://a.example ; curl -u x:y -d '{CALL}' http://b.example --next http://c.example"
    found = imported(text)
    assert [(call.number, call.address) for call in found.calls] == [(1, "http://a.example"), (2, "http://b.example")]
    assert [(request.number, request.why) for request in found.skipped] == [(3, "GET without a body")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("curl -d @/etc/passwd http://a.example", "rpcexplorer does not read the body from the file /etc/passwd"),
        ("curl --json @- http://a.example <<EOF", "rpcexplorer does not read the body from standard input"),
        ("curl -F a=@b http://a.example", "the body is a form (-F)"),
        ("curl --data-urlencode a=b http://a.example", "the body is a form (--data-urlencode)"),
        ("curl http://a.example", "GET without a body"),
        (f"curl -G -d '{CALL}' http://a.example", "GET without a body"),
        (f"curl -d '{CALL}'", "the command has no URL"),
        (f"curl http://a.example -d '{CALL}", "a quote is not closed"),
    ],
)
def test_unusable_command_is_skipped_with_the_reason(text: str, reason: str) -> None:
    assert why(text).startswith(reason)


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ("-K secrets.conf", "rpcexplorer does not read options from secrets.conf (--config)"),
        ("--netrc", "rpcexplorer does not read credentials from a file (--netrc)"),
        ("-b cookies.txt", "rpcexplorer does not read cookies from the file cookies.txt"),
        ("-H @headers.txt", "rpcexplorer does not read headers from the file headers.txt"),
        ("-k", "rpcexplorer always checks certificates"),
        ("-X PUT", "rpcexplorer uses POST instead of PUT"),
        ("-H 'X-Tenant: acme'", "ignored headers: X-Tenant"),
        ('-A "$(touch /tmp/pwned)"', "$(touch /tmp/pwned) is imported as text. rpcexplorer does not expand or run it"),
        ("> /etc/motd", "rpcexplorer does not read or write the file /etc/motd"),
    ],
)
def test_ignored_options_are_noted(options: str, note: str) -> None:
    call = one(f"curl -d '{CALL}' http://a.example {options}")
    assert call.method == "ping"
    assert [line for line in call.notes if line.startswith(note)]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("-u ada:pass:word", [("username", "ada"), ("password", "pass:word")]),
        ("--oauth2-bearer t-1", [("token", "t-1")]),
        ("-H 'Authorization: Basic YWRhOnB3'", [("username", "ada"), ("password", "pw")]),
        ("-H 'Authorization: raw-token'", [("token", "raw-token")]),
        ("-H 'X-Api-Key: k-1'", [("token", "k-1")]),
        ("-b 'a=1; b=2'", [("session", "1"), ("session", "2")]),
    ],
)
def test_credentials_are_found_in_options_and_headers(options: str, found: list[tuple[str, str]]) -> None:
    call = one(f"curl -d '{CALL}' http://a.example {options}")
    assert [(field, value) for field, _, value in credentials(call)] == found


def test_credentials_are_removed_from_the_url() -> None:
    call = one(f"curl -d '{CALL}' 'https://ada:p%40ss@a.example/rpc?tenant=1&access_token=t-1#x'")
    assert call.address == "https://a.example/rpc?tenant=1"
    assert [value for *_, value in credentials(call)] == ["ada", "p@ss", "t-1"]


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ("--unix-socket /run/x.sock http://localhost/rpc?a=1", "http+unix:///run/x.sock:/rpc?a=1"),
        ("http://u:secret@localhost --unix-socket '/run/it is'", "http+unix:///run/it is:/"),
    ],
)
def test_unix_socket_is_part_of_the_address(options: str, address: str) -> None:
    call = one(f"curl -d '{CALL}' {options}")
    assert (call.address, call.notes) == (address, ())
    assert split_socket(call.address)[1].startswith("http://localhost/")


@pytest.mark.parametrize(
    "options", ["--unix-socket x http://h", "--unix-socket /a:b http://h", "--unix-socket /x https://h"]
)
def test_unusable_unix_socket_is_noted(options: str) -> None:
    call = one(f"curl -d '{CALL}' {options}")
    assert call.address == options.rpartition(" ")[2]
    assert "rpcexplorer ignores the Unix socket and uses the URL" in call.notes[0]


WORDS = [
    "plain",
    "two words",
    "it's",
    'a "quote"',
    "back\\slash",
    "line\nbreak\ttab",
    "$HOME `id` $(id) !",
    "été 🚀",
    "",
    "# no comment",
    "a;b&c|d>e<f",
]


def test_words_are_split_as_bash_splits_them() -> None:
    text = (
        r"""say plain 'two words' 'it'\''s' "a \"quote\"" "back\\slash" $'line\nbreak\ttab' '$HOME `id` $(id) !' """
        r"""$'\xc3\xa9t\303\251 \xf0\x9f\x9a\x80' '' '# no comment' a\;b\&c\|d\>e\<f # a comment"""
    )
    (command,) = bash_commands(text)
    assert command.words == ["say", *WORDS]
    printing = f'{sys.executable} -c "import json,sys; print(json.dumps(sys.argv[1:]))"'
    asked = subprocess.run(
        ["bash", "-c", text.replace("say", printing, 1)], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert json.loads(asked.stdout) == WORDS


def test_own_snippet_with_login_becomes_its_call() -> None:
    quoted = """'"'"$(sed 's/[\\\\"]/&/g' <<< "${PASSWORD:?}")"'"'"""
    login = f"""curl -sS -D - http://a.example/ --data-binary @<(printf %s '{{"params":{{"p":"{quoted}"}}}}')"""
    text = f"""( SESSION=$(\n : "${{PASSWORD:?}}" && {login} |\n tr -d '\\r' | sed -n 1p)
      curl http://a.example/ -H @<(printf %s 'Cookie: sessionid='"${{SESSION:?}}") --data-raw '{CALL}' )"""
    call = one(text)
    assert (call.method, call.params, call.credentials) == ("ping", "[]", ())
    assert call.notes[0] == "rpcexplorer does not read headers from another command"


def test_unquoted_url_does_not_leak_its_end() -> None:
    found = imported(f"curl -d '{CALL}' http://a.example/?a=1&access_token=t-0815 ; echo done")
    assert "t-0815" not in repr(found)
    assert found.notes == (
        "Variable assignments are ignored. If one is the end of a URL, put the URL in quotes.",
        "Other commands are ignored: echo.",
    )


@pytest.mark.parametrize("part", ["a ", '"" ', "$a ", ">a ", "--next u ", "curl a\n"])
def test_command_of_very_many_words_is_declined(part: str) -> None:
    found = imported("curl http://x " + part * 20_000)
    assert (found.calls, found.notes) == ((), ("The text has more than 10,000 words. Split it into several files.",))
