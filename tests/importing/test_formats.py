"""Texts of other programs as calls: params unchanged, nothing run or read."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from rpcexplorer.importing.formats import UNKNOWN, imported
from rpcexplorer.importing.request import Imported, ImportedCall

FILES = Path(__file__).parent / "files"
ODD = '["it\'s été 🚀! $HOME `id` $(id) %PATH% ^ \\\\ \\"quoted\\"",\n  {"n": 1.10, "n": 1e400, "a": [null, true, {}]}]'


def of_file(name: str) -> Imported:
    return imported((FILES / name).read_bytes().decode())


def one(text: str) -> ImportedCall:
    found = imported(text)
    assert len(found.calls) == 1, found
    return found.calls[0]


def why(text: str) -> str:
    """Return why the only request of a text was skipped."""
    found = imported(text)
    assert found.calls == ()
    return found.skipped[0].why


def credentials(call: ImportedCall) -> list[tuple[str, str, str]]:
    return [(credential.field, credential.place, credential.secret.reveal()) for credential in call.credentials]


COLLECTION = """{
  "info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
  "item": [{"request": {"method": "POST", "url": "URL", "body": {"mode": "raw", "raw": "{\\"method\\": \\"a\\"}"}}}],
  "variable": [{"key": "a", "value": "VALUE"}]
}"""
BROWSERS = [
    ("token", "?token= in the URL", "page-token-4711"),
    ("session", "cookie sessionid", "cookie-session-2342"),
    ("session", "cookie theme", "dark"),
    ("token", "Authorization: Bearer", "browser-bearer-0815"),
]


@pytest.mark.parametrize("name", ["chromium.bash.txt", "firefox.bash.txt"])
def test_browser_command_keeps_the_exact_params(name: str) -> None:
    found = of_file(name)
    (call,) = found.calls
    assert (call.method, call.params) == ("note.add", ODD)
    assert call.address == "https://shop.example.com/rpc?tags[]={a}"
    assert credentials(call) == BROWSERS
    assert [*found.notes, *call.notes, *found.skipped] == []


@pytest.mark.parametrize("name", ["chromium.cmd.txt", "firefox.cmd.txt"])
def test_cmd_command_gets_advice_on_copying(name: str) -> None:
    found = of_file(name)
    assert found.calls == ()
    assert found.notes == ("This command is for Windows' cmd. In the browser, choose “Copy as cURL (bash)”.",)


def test_har_has_its_calls_and_skips_other_requests() -> None:
    found = of_file("firefox.har")
    assert [(call.number, call.method, call.notification, call.in_batch) for call in found.calls] == [
        (2, "user.get", False, False),
        (4, "note.add", False, False),
        (5, "ping", False, True),
        (5, "log.write", True, True),
    ]
    assert found.calls[0].params == '{"id":12345678901234567890,"price":1.10,"price":1.100}'
    assert found.calls[1].params == ODD.partition(" $(id)")[0] + ' %PATH% \\\\ \\"quoted\\"",\n  {"a": [null, true]}]'
    assert {call.address for call in found.calls} == {"http://127.0.0.1:8744/rpc"}
    assert [(request.number, request.why) for request in found.skipped] == [
        (1, "GET without a body"),
        (3, "GET without a body"),
        (6, "the body is not a JSON object"),
    ]


def test_postman_collection_keeps_folders_and_variables() -> None:
    found = of_file("shop.postman_collection.json")
    get, users, notify, ping, _ = found.calls
    assert (get.name, get.params) == ("Users / get one", '{"id": 12345678901234567890, "price": 1.10}')
    assert get.address == "https://shop.example.com/api/v2/"
    assert credentials(get) == [("token", "Authorization: Bearer", "collection-bearer-31")]
    assert get.notes == ("ignored headers: X-Tenant. To send them, set `headers` in the profile",)
    assert users.params == '{"tenant": "{{tenant}}", "page": "{{page:json}}"}'
    assert users.notes == ("variables that need a value: tenant, page",)
    assert json.loads(notify.params) == ["{{now}}"]
    assert "{{" not in notify.params  # in rpcexplorer it would be the time
    assert credentials(notify) == [("token", "?api_key= in the URL", "query-key-99")]
    assert credentials(ping) == [("token", "header X-Api-Key", "header-key-55")]
    assert ping.notes == ("the URL has variables that the collection does not define",)
    assert [request.why for request in found.skipped] == ["GET without a body", "the body is a form"]
    assert found.notes == ("Scripts of a collection are not run.",)


def test_postman_collection_keeps_calls_behind_thousands_of_items() -> None:
    call = {"request": {"method": "POST", "url": "http://h", "body": {"mode": "raw", "raw": '{"method": "late"}'}}}
    found = imported(json.dumps({"info": {"schema": "/v2.1.0/"}, "item": [{"name": "folder"}] * 6_000 + [call]}))
    assert [call.method for call in found.calls] == ["late"]


def test_other_postman_version_gets_advice_on_exporting() -> None:
    found = of_file("shop.v1.json")
    assert found.calls == ()
    assert "choose Export and “Collection v2.1”" in found.notes[0]


def test_json_lines_keep_their_line_numbers() -> None:
    lines = [
        '{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"n": 1.0}}',
        "",
        '{"jsonrpc": "2.0", "method": "b"}',
        '{"jsonrpc": "2.0", "id": 1, "result": 3}',
        '{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"n": 1.0}}',
        "what is this",
    ]
    found = imported("\ufeff" + "\r\n".join(lines))
    assert [(call.number, call.method, call.params, call.notification, call.times) for call in found.calls] == [
        (1, "a", '{"n": 1.0}', False, 2),
        (3, "b", "", True, 1),
    ]
    assert [(request.number, request.why) for request in found.skipped] == [
        (4, "the body is a response"),
        (6, "the body is not a JSON object"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"method": 1}', "the method is not a valid name"),
        ('{"method": "@mine"}', "the method starts with @, as saved calls do"),
        (f'{{"method": "{"m" * 501}"}}', "the method is not a valid name"),
        ('{"method": "a", "method": "b"}', "the member method appears twice"),
        ('{"method": "a", "params": 1}', "the params are neither an array nor an object"),
        ('[{"method": "a"}, 1]', "in call 2 of the batch, the body is not a JSON object"),
        ("[]", "the batch is empty"),
        ('{"method": "a", "params": [NaN]}', "the params are not valid: NaN is not JSON"),
    ],
)
def test_invalid_call_is_skipped_with_the_reason(text: str, reason: str) -> None:
    assert why(text) == reason


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (" \n", "The text is empty."),
        ("hello", UNKNOWN),
        ('Invoke-WebRequest -Uri "https://shop.example.com"', "PowerShell cannot be imported"),
        ('fetch("https://shop.example.com", {});', "JavaScript (fetch) cannot be imported"),
        ("http POST shop.example.com a=b", "rpcexplorer imports only curl commands"),
        ('case = 1\nnote = ""', "rpcexplorer history import FILE"),
        ('{"openrpc": "1.2.6", "methods": []}', "This is an OpenRPC document"),
        ('{"log": {"entries": 3}}', "Invalid HAR"),
        ('{"info": {"schema": 1}, "item": []}', "Invalid Postman collection"),
    ],
)
def test_text_without_calls_gets_advice(text: str, advice: str) -> None:
    found = imported(text)
    assert [*found.calls, *found.skipped] == []
    assert advice in found.notes[0]


def test_imported_params_open_no_secrets_or_variables() -> None:
    params = '["«prod.password»", "{{last.auth#/token}}", "{{{x}}"]'
    call = one(f'{{"jsonrpc": "2.0", "method": "a", "params": {params}}}')
    assert json.loads(call.params) == json.loads(params)
    assert "«" not in call.params
    assert "{{" not in call.params
    body = json.dumps({"method": "a", "params": ["«prod.password»", "{{page}}"]}, ensure_ascii=False)
    collection = json.loads(COLLECTION)
    collection["item"][0]["request"]["body"]["raw"] = body
    call = one(json.dumps(collection))  # variables of a collection are filled in, secrets are not
    assert call.params == '["\\u00abprod.password»", "{{page}}"]'


def test_extra_member_named_like_a_secret_is_credential() -> None:
    call = one('{"jsonrpc": "2.0", "method": "host.get", "params": {}, "auth": "zabbix-token-1", "trace": 1}')
    assert credentials(call) == [("token", "member auth next to method", "zabbix-token-1")]
    assert call.notes == ("ignored members next to method: trace",)


def test_imported_values_show_no_credentials() -> None:
    names = ("chromium.bash.txt", "firefox.har", "mitmproxy.har", "shop.postman_collection.json")
    for name in names:
        shown = repr(of_file(name))
        for call in of_file(name).calls:
            secrets = [
                credential.secret.reveal() for credential in call.credentials if credential.secret.reveal() != "dark"
            ]
            assert not [secret for secret in secrets if secret in shown and secret != "ada"]


HOSTILE = {
    "deep in a HAR": '{"log": {"entries": ' + "[" * 20_000 + "]" * 20_000 + "}}",
    "folders in folders": '{"info": {"schema": "/v2.1.0/"}, "item": [' + '{"item": [' * 9_000 + "]}" * 9_000 + "]}",
    "deep params": '{"jsonrpc": "2.0", "method": "m", "params": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "quotes": "curl '" + "'" * 50_000,
    "commands in commands": "curl " + "$(" * 50_000,
    "commands in quotes": 'curl "' + "$(" * 20_000 + ")" * 20_000 + '"',
    "quotes in commands": 'curl "' + '$("' * 20_000,
    "backticks": 'curl "' + "`" * 50_001,
    "double quotes": 'curl "' * 160_000,
    "single quotes": "curl '" * 160_000,
    "open and escaped quotes": 'curl \\"' * 100_000,
    "addresses": "curl " + "a " * 20_000,
    "the same envelope": '{"method": "m"}\n' * 100_000,
    "variables": "a=b " * 100_000 + "\ncurl",
}


@pytest.mark.thorough
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.usefixtures("soon")
def test_hostile_text_is_read_fast(text: str) -> None:
    assert len(imported(text).calls) <= 1


@pytest.mark.parametrize(
    "text",
    [
        COLLECTION.replace("URL", "{{a}}" * 1_000).replace("VALUE", "x" * 5_000),
        f"curl {'http://h ' * 1_000} -G -d '{'x' * 5_000}'",
    ],
    ids=["variables of Postman", "data behind each address"],
)
def test_growth_of_variables_is_limited_before_building(text: str) -> None:
    imported(text)  # load modules before the measurement
    tracemalloc.start()
    found = imported(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000
    assert len(found.calls) + len(found.skipped) <= 1_000


def test_too_many_calls_are_cut_and_reported() -> None:
    found = imported("\n".join(f'{{"method": "m{number}"}}' for number in range(1_005)))
    assert len(found.calls) == 1_000
    assert found.notes == ("The text has more than 1,000 calls. Request 1001 and all later ones were skipped.",)
