"""``copy``: a recorded call as something to paste."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from rpcexplorer.views.snippets import SNIPPETS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received, http_reply

PASSWORD = "correct-horse"


def answer(request: Received) -> bytes:
    """A server that tells everybody what it was told."""
    call = json.loads(request.body)
    return http_reply(json.dumps({"jsonrpc": "2.0", "id": call.get("id"), "result": call["params"]}).encode())


@dataclass(frozen=True)
class Used:
    """A shell with one call behind it."""

    shell: Shell
    origin: str
    id: str

    def profile(self, *lines: str, name: str = "shop") -> None:
        self.shell.sessions("\n".join([f"[profile.{name}]", f'url = "{self.origin}"', *lines, ""]))

    def copy(self, form: str) -> tuple[str, str]:
        ran = self.shell.run("copy", self.id, "--as", form)
        assert ran.code == 0
        return ran.text, ran.err


AUTH = 'auth = { kind = "inline", username = "ada" }'


@pytest.fixture
def used(shell: Shell) -> Used:
    with RawServer(answer) as server:
        shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
        found = Used(shell, server.origin, "")
        found.profile(AUTH)
        ran = shell.run("call", "user.get", '{"id": 42}', "--envelope")
    assert ran.code == 0
    return Used(shell, server.origin, json.loads(ran.out)["id"])


@pytest.mark.parametrize("form", SNIPPETS)
def test_a_recorded_call_is_printed_in_each_form_without_its_secret(used: Used, form: str) -> None:
    text, err = used.copy(form)
    assert "user.get" in text
    assert "42" in text
    assert PASSWORD not in text
    assert err == ""


def test_curl_is_the_form_where_none_is_named_and_the_newest_where_no_id_is(used: Used) -> None:
    assert used.shell.run("copy").text == used.copy("curl")[0]
    assert used.shell.run("copy", used.id[-6:]).text == used.copy("curl")[0]


def test_the_request_is_the_one_that_was_sent_with_its_id(used: Used) -> None:
    text, _ = used.copy("curl")
    assert text.startswith(f': "${{RPCEXPLORER_SHOP_PASSWORD:?}}" && curl {used.origin}/api/v2/ \\\n')
    assert f'"id":"{used.id}","method":"user.get","params":{{"id":42,"username":"ada","password":"' in text
    assert "${RPCEXPLORER_SHOP_PASSWORD:?}" in text


def test_a_ticket_shows_the_reply_with_placeholders(used: Used) -> None:
    text, _ = used.copy("markdown")
    request, reply = text.split("### Reply")
    assert '"password": "«shop.password»"' in request
    assert '"password": "«shop.password»"' in reply


def test_where_the_profile_is_gone_what_is_recorded_is_used_and_what_is_missing_is_said(used: Used) -> None:
    used.profile(name="other")
    text, err = used.copy("curl")
    assert f"curl {used.origin}/api/v2/" in text
    assert '"params":{"id":42}}' in text
    assert "There is no profile shop any more" in err
    assert "missing" in err
    assert used.copy("command")[0] == f"""rpcexplorer call user.get '{{"id":42}}' --url {used.origin}/api/v2/\n"""


def test_where_the_profile_has_moved_the_snippet_goes_where_the_call_went(used: Used) -> None:
    used.profile(AUTH, 'path = "/v3/"')
    text, err = used.copy("curl")
    assert f"curl {used.origin}/api/v2/" in text
    assert "RPCEXPLORER_URL_PASSWORD" in text
    assert "RPCEXPLORER_SHOP" not in text  # a record can name any address: it gets no secret of a profile
    assert f"Profile shop points to {used.origin}/v3/ today" in err
    assert used.copy("command")[0].endswith(f" --url {used.origin}/api/v2/ --auth inline\n")


def test_a_call_to_a_url_says_that_its_auth_is_not_known(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.run("call", "ping", "--url", server.origin)
    ran = shell.run("copy", "--as", "command")
    assert ran.text == f"rpcexplorer call ping --url {server.origin}/api/v2/\n"
    assert "The call was made with --url" in ran.err


def test_batches_and_notifications_are_copied_as_what_they_are(used: Used) -> None:
    with RawServer(answer) as server:
        url = server.origin
        used.shell.run("notify", "log", "--url", url)
        noted = used.shell.run("copy", "--as", "command").text
    assert noted == f"rpcexplorer notify log --url {url}/api/v2/\n"
    used.shell.run("batch", "--url", url, stdin=b'[{"method": "a"}]')  # nobody listens there any more
    batch = used.shell.run("copy", "--as", "command").text
    assert batch == f"""printf %s '[{{"method":"a"}}]' | rpcexplorer batch - --url {url}/api/v2/\n"""


@pytest.mark.parametrize(("id", "said"), [("missing", "No call has the id missing"), (None, "The history is empty")])
def test_an_id_that_names_no_call_is_a_sentence(shell: Shell, id: str | None, said: str) -> None:
    ran = shell.run("copy", *([id] if id else []))
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err


def test_an_unknown_form_is_answered_with_the_known_ones(used: Used) -> None:
    ran = used.shell.run("copy", used.id, "--as", "wget")
    assert ran.code == 2
    assert "curl, python, httpie, command, markdown" in ran.err


def test_a_profile_that_no_longer_allows_the_call_says_why(used: Used) -> None:
    used.profile(name="shop")
    used.shell.run("call", "user.get", "[42]")
    used.profile(AUTH)
    ran = used.shell.run("copy")
    assert (ran.code, ran.out) == (2, b"")
    assert "an array has no place for them" in ran.err


def test_a_token_in_the_path_is_in_no_record_and_no_copy_and_the_profile_is_still_known(shell: Shell) -> None:
    token = "9f86d081884c7d659a2feaa0c55ad015"
    with RawServer(answer) as server:
        shell.sessions(f'[profile.node]\nurl = "{server.origin}"\npath = "/v3/{token}"\n')
        shell.run("call", "eth_chainId")
        ran = shell.run("copy", "--as", "curl")
    assert (ran.code, ran.err) == (0, "")
    assert f'curl {server.origin}/v3/"${{NOT_RECORDED:?}}"' in ran.text
    assert not [name for name, text in shell.files().items() if token in text and not name.endswith("/sessions.toml")]
