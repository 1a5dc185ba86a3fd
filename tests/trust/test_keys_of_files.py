"""Every key of shared files, and why a hostile value does no harm.

A new key without a row fails here. Its row names what the key could do to secrets, files, commands and questions, and
the test that shows that it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from rpcexplorer.files.toml_shape import MapRule, Rule, TableRule
from rpcexplorer.profiles.keys import SESSIONS
from rpcexplorer.settings import SETTINGS_SHAPE as SETTINGS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

ROOT = Path(__file__).parents[2]


class Row(NamedTuple):
    """The harm of a hostile value, and the test that excludes it."""

    key: str
    harm: str
    test: str


STEERED = "test_password_is_blocked_for_another_path_or_field"
BOUND = "test_settings_that_decide_receiver_are_in_the_destination"
OAUTH = "test_fields_of_all_auth_types_are_in_destination"
FOREIGN = "test_token_of_another_server_needs_a_yes_in_a_checkout"
TOKEN = "test_token_is_blocked_for_another_path_or_header"
WRONG = "test_problem_has_file_line_and_key"
SHOWN = "test_screen_writes_no_foreign_terminal_codes"
STRICT = "test_project_file_makes_confirm_only_stricter"
SETTING = "test_wrong_setting_is_reported_and_the_rest_used"
SHADOW = "test_project_file_cannot_change_entries_of_user_file"
CALL = "test_invalid_saved_call_is_reported_and_dropped"
EXPECT = "test_project_file_cannot_change_own_expectations"
VARIABLE = "test_invalid_variable_is_reported_and_dropped"
COMMAND = "test_change_of_secret_command_or_destination_is_refused"
CLAIM = "test_claim_with_a_secret_or_time_is_refused"
EXPECTED = "test_expected_schema_is_read_only_in_its_folder"
DATA = "test_value_never_becomes_a_secret_reference"
ENDED = "test_ended_session_is_renewed_once"
IN_SESSIONS = [
    Row("version", "be read in a wrong format",
        "test_file_of_another_version_is_not_used"),
    Row("default", "give another server the params or the secret of the intended profile",
        "test_default_of_a_checkout_is_not_used_unseen"),
    Row("profile.*", "be a path; share the variable of another profile",
        "test_profiles_that_share_a_variable_are_refused"),
    Row("profile.*.url", "send a secret or a user's own call to another server; reach a Unix socket",
        "test_socket_of_a_checkout_is_used_after_allowing_it"),
    Row("profile.*.preset", "change the destination of a secret; read any file; remove a confirmation", STEERED),
    Row("profile.*.path", "send a secret to a path that logs or shows it; contain one", STEERED),
    Row("profile.*.command", "start a program; contain a secret", "test_command_of_a_checkout_is_refused"),
    Row("profile.*.folder", "start a program that is elsewhere",
        "test_folder_outside_of_a_checkout_is_refused"),
    Row("profile.*.environment.*", "run other code in a process that was allowed; contain a secret",
        "test_changed_environment_of_a_checkout_asks_again"),
    Row("profile.*.environment_secrets", "give a secret of the user to a process",
        "test_own_process_with_their_environment_is_refused"),
    Row("profile.*.framing", "cut a message with a secret in two", BOUND),
    Row("profile.*.description", "be interpreted by the terminal", SHOWN),
    Row("profile.*.badge", "remove the red and the confirmation of a user's own prod",
        "test_prod_badge_stays"),
    Row("profile.*.confirm", "remove a confirmation", STRICT),
    Row("profile.*.timeout", "never end", WRONG),
    Row("profile.*.content_type", "smuggle a second header or request", WRONG),
    Row("profile.*.accept", "smuggle a second header or request",
        "test_profile_headers_cannot_smuggle_a_request"),
    Row("profile.*.empty_params", "be sent as text of its own", WRONG),
    Row("profile.*.envelope", "put params with a secret into another member", TOKEN),
    Row("profile.*.id", "be sent as text of its own", WRONG),
    Row("profile.*.headers.*", "send a secret to another virtual host or tenant; contain one",
        "test_host_header_in_a_profile_is_refused"),
    Row("profile.*.ca_file", "vouch for another server; block on a pipe; read a device",
        "test_changed_certificate_file_changes_the_destination"),
    Row("profile.*.certificate", "vouch for another server", BOUND),
    Row("profile.*.cert_file", "identify the user to another server; block on a pipe; read a device",
        "test_client_certificate_of_project_file_must_be_allowed"),
    Row("profile.*.key_file", "become a link to another key of the user; ask for its password",
        "test_link_in_checkout_cannot_change_the_key"),
    Row("profile.*.handshake", "put a secret into the arguments of a tool, or next to a text of a server", TOKEN),
    Row("profile.*.mcp", "be sent as text of its own", WRONG),
    Row("profile.*.discovery", "send a secret to another address of its server; read any file",
        "test_description_is_read_only_from_allowed_places"),
    Row("profile.*.auth.kind", "put a secret into a readable place",
        "test_auth_type_is_part_of_the_destination"),
    Row("profile.*.auth.username", "send a password with another name", STEERED),
    Row("profile.*.auth.cookie", "give a session to the reader of another cookie; smuggle a header",
        "test_settings_that_decide_receiver_are_in_the_destination"),
    Row("profile.*.auth.username_member", "put a name into a readable place",
        "test_each_field_of_auth_type_is_in_destination"),
    Row("profile.*.auth.password_member", "put a password into a readable place, such as the text of a note", STEERED),
    Row("profile.*.auth.header", "put a token into a readable place; smuggle a header", TOKEN),
    Row("profile.*.auth.value", "smuggle a header; send text of its own with a token", TOKEN),
    Row("profile.*.auth.name", "put a token into a readable place; end the address", TOKEN),
    Row("profile.*.auth.member", "put a token into a readable place, such as params", TOKEN),
    Row("profile.*.auth.claims", "contain a secret; replace the time of the token", CLAIM),
    Row("profile.*.auth.secret_file", "sign for another server with any key of the user; read a device",
        "test_secret_file_of_a_checkout_is_read_after_allowing_it"),
    Row("profile.*.auth.key_command", "run a program; contain a secret; fetch a secret for another server",
        COMMAND),
    Row("profile.*.auth.issuer", "send a client secret to another server, or a token of another one to this", FOREIGN),
    Row("profile.*.auth.grant", "send a client secret instead of asking", OAUTH),
    Row("profile.*.auth.client_id", "ask for a token as another client", OAUTH),
    Row("profile.*.auth.scopes", "ask for more rights", OAUTH),
    Row("profile.*.auth.resource", "ask for a token that another server accepts", FOREIGN),
    Row("profile.*.auth.client_secret_command", "run a program; contain a secret; fetch a secret for another server",
        COMMAND),
    Row("profile.*.auth.username_command", "run a program; contain a secret; fetch a secret for another server",
        COMMAND),
    Row("profile.*.auth.password_command", "run a program; contain a secret; fetch a secret for another server",
        COMMAND),
    Row("profile.*.auth.token_command", "run a program; contain a secret; fetch a secret for another server",
        COMMAND),
    Row("profile.*.auth.token_seconds", "run the command for each call", WRONG),
    Row("profile.*.login.method", "give a password to a method that stores it; call any method unasked",
        "test_login_of_a_checkout_without_secret_is_asked_about"),
    Row("profile.*.login.params", "put a password into a readable place", STEERED),
    Row("profile.*.login.session", "use a readable text as a session", STEERED),
    Row("profile.*.login.path", "send a password to a path that logs or shows it, or to another host",
        "test_login_never_goes_to_another_host"),
    Row("profile.*.login.form", "put a password into a readable place", "test_changed_login_blocks_the_password"),
    Row("profile.*.login.headers", "smuggle a header; send a password to another virtual host; contain one",
        "test_wrong_setting_of_a_login_is_a_problem"),
    Row("profile.*.login.ended_status", "log in again and again", ENDED),
    Row("profile.*.login.ended_codes", "log in again and again", ENDED),
    Row("profile.*.login.ended_words", "log in again and again", ENDED),
    Row("profile.*.answer.*", "answer for the user; use a secret by its reference; contain one",
        "test_project_file_cannot_answer_for_own_profile"),
    Row("profile.*.open", "call any method unasked; put a secret into a readable place",
        "test_project_file_adds_no_opening_to_an_own_profile"),
    Row("profile.*.method.*", "run in a shell that completes it",
        "test_bash_runs_nothing_of_a_method_name"),
    Row("profile.*.method.*.doc", "be interpreted by the terminal", SHOWN),
    Row("profile.*.method.*.params", "use a secret by its reference; contain one",
        "test_params_of_a_shared_file_use_no_secret"),
    Row("profile.*.method.*.safe", "remove a confirmation",
        "test_project_file_cannot_mark_own_methods_safe"),
    Row("profile.*.method.*.auth", "send a call without the credentials that it needs", WRONG),
    Row("profile.*.method.*.ignore", "silently treat two different responses as equal",
        "test_ignored_pointers_are_left_out"),
    Row("profile.*.method.*.plain", "let a secret be recorded",
        "test_project_file_cannot_mark_a_value_as_plain"),
    Row("profile.*.method.*.parts", "keep a call waiting, and its parts in memory, without end",
        "test_parts_without_end_are_counted"),
    Row("profile.*.call.*", "replace a call or a method of that name", SHADOW),
    Row("profile.*.call.*.method", "send an unsafe call without a confirmation",
        "test_saved_call_is_confirmed_like_its_method"),
    Row("profile.*.call.*.doc", "be interpreted by the terminal",
        "test_saved_call_is_printed_without_terminal_codes"),
    Row("profile.*.call.*.params_json", "use a secret by its reference; contain one", CALL),
    Row("profile.*.call.*.params", "use a secret by its reference; contain one", CALL),
    Row("profile.*.call.*.expect", "change what own calls expect", EXPECT),
    Row("profile.*.variables.*", "contain a secret; use one by its reference, also joined with other text", DATA),
    Row("profile.*.history", "write into any file of the user; publish responses",
        "test_history_outside_the_folder_is_never_used"),
    Row("call.*", "replace a call or a method of that name", SHADOW),
    Row("call.*.method", "send an unsafe call without a confirmation",
        "test_saved_call_is_confirmed_like_its_method"),
    Row("call.*.doc", "be interpreted by the terminal",
        "test_saved_call_is_printed_without_terminal_codes"),
    Row("call.*.params_json", "use a secret by its reference; contain one", CALL),
    Row("call.*.params", "use a secret by its reference; contain one", CALL),
    Row("call.*.expect", "read a file elsewhere; read the environment", EXPECTED),
    Row("variables.*", "contain a secret; change the params of a user's own call", VARIABLE),
]  # fmt: skip
IN_SETTINGS = [
    Row("version", "be read in a wrong format", SETTING),
    Row("theme", "read a file from anywhere", SETTING),
    Row("keymap.*", "run a command; be interpreted by the terminal",
        "test_problems_in_files_are_shown_escaped"),
    Row("history.record", "nothing: it is the user's own file", SETTING),
    Row("history.folder", "write into a foreign file",
        "test_call_does_not_write_through_a_history_link"),
    Row("history.body_limit", "fill the disk with one response",
        "test_long_response_is_cut_after_the_last_secret"),
    Row("history.events", "fill the disk with events of a server",
        "test_oldest_events_are_removed_for_new_ones"),
    Row("secrets.store", "store secrets outside a private file and the keyring", SETTING),
    Row("reply.limit", "fill the memory", "test_body_beyond_the_cap_is_cut"),
]  # fmt: skip


def keys_of(rule: Rule, path: str = "") -> Iterator[str]:
    """Yield every key that a file can hold, names chosen by a user as ``*``."""
    if isinstance(rule, TableRule):
        for key, inner in rule.keys.items():
            yield from keys_of(inner, f"{path}.{key}" if path else key)
    elif isinstance(rule, MapRule):
        yield f"{path}.*"
        if isinstance(rule.inside, TableRule | MapRule):
            yield from keys_of(rule.inside, f"{path}.*")
    else:
        yield path


@cache
def names_of_tests() -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    return {name for text in texts for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize(
    ("rows", "shape"), [(IN_SESSIONS, SESSIONS), (IN_SETTINGS, SETTINGS)], ids=["sessions.toml", "settings.toml"]
)
def test_every_key_has_a_row(rows: list[Row], shape: TableRule) -> None:
    assert [row.key for row in rows] == sorted([row.key for row in rows], key=list(keys_of(shape)).index)
    assert {row.key for row in rows} == set(keys_of(shape))
    assert len(rows) == len({row.key for row in rows})


@pytest.mark.parametrize("row", [*IN_SESSIONS, *IN_SETTINGS], ids=lambda row: row.key)
def test_every_row_names_an_existing_test(row: Row) -> None:
    assert row.test in names_of_tests()


def test_folder_default_gets_no_secret_of_another_profile(shell: Shell) -> None:
    shell.own('default = "mine"\n[profile.mine]\nurl = "https://mine.example"\nauth = { kind = "inline" }\n')
    with RawServer(http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": 1}')) as server:
        shell.sessions(f'default = "theirs"\n[profile.theirs]\nurl = "{server.origin}"\nauth = {{ kind = "inline" }}\n')
        shell.environment |= {"RPCEXPLORER_MINE_USERNAME": "ann", "RPCEXPLORER_MINE_PASSWORD": "correct-horse"}
        assert shell.run("call", "ping").code == 3
        assert server.requests == []


@pytest.mark.parametrize("key", ["accept", "content_type", "headers.X-A", "auth.cookie"])
@pytest.mark.parametrize("value", ["a\\r\\nX-Evil: 1", "a\\nb", "a\\u0000", "a\\u0085b"])
def test_profile_headers_cannot_smuggle_a_request(shell: Shell, key: str, value: str) -> None:
    with RawServer(http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": 1}')) as server:
        kind = 'auth.kind = "cookie"\n' if key.startswith("auth") else ""
        shell.sessions(f'[profile.p]\nurl = "{server.origin}"\n{kind}{key} = "{value}"\n')
        ran = shell.run("call", "ping", RPCEXPLORER_P_SESSION="s3ss10n")
        assert ran.code == 2
        assert server.requests == []


def test_description_is_read_only_from_allowed_places(shell: Shell) -> None:
    shell.home.mkdir()
    (shell.home / "notes.json").write_text('{"methods": [{"name": "of.mine"}]}')
    with RawServer(http_reply(b'{"methods": [{"name": "a.b"}]}')) as server:
        profile = f'[profile.p]\nurl = "{server.origin}"\nauth = {{ kind = "bearer" }}\n'
        shell.sessions(f'{profile}discovery = {{ url = "/a" }}\n')
        assert shell.run("methods", "--refresh", RPCEXPLORER_P_TOKEN="tok-4711-tok").code == 0
        shell.sessions(f'{profile}discovery = {{ url = "/b" }}\n')
        assert shell.run("methods", "--refresh", RPCEXPLORER_P_TOKEN="tok-4711-tok").code == 0
        assert [(request.line, request.header("authorization")) for request in server.requests] == [
            ("GET /a HTTP/1.1", "Bearer tok-4711-tok"), ("GET /b HTTP/1.1", None),
        ]  # fmt: skip
        shell.sessions(f'[profile.p]\nurl = "http://127.0.0.1:1"\ndiscovery = {{ file = "{shell.home}/notes.json" }}\n')
        ran = shell.run("methods", "--refresh")
    assert "it must be in the folder of this file" in ran.err
    assert "of.mine" not in ran.text + ran.err
