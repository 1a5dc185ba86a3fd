"""The report of two calls."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from rpcexplorer.auth.basic import NoAuth
from rpcexplorer.auth.credentials import NOT_RECORDED
from rpcexplorer.auth.token import BearerAuth
from rpcexplorer.export.formats import count_references
from rpcexplorer.export.report import MAX_DIFF_LINES, report_of_pair, versions
from rpcexplorer.export.request import Subject, record_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import transport_line
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Response
from tests.export.test_report import previewing
from tests.export.test_report_of_one import HOSTILE
from tests.text.exchanges import exchange

PROFILES = {name: Profile(name, f"https://{name}.example.com") for name in ("prod", "staging")}
BOTH = ("on both sides", "in `prod`", "in `staging`")
SECRETS = [Secret("hunter2-hunter2", "prod.password"), Secret("tr0ub4dor&3-x", "staging.password")]


def recorded(profile: str, member: object, kind: str = "result", **fields: Any) -> Exchange:
    body = json.dumps({"jsonrpc": "2.0", "id": "1", kind: member}, ensure_ascii=False).encode()
    outcome = decode(body, "1")
    assert isinstance(outcome, Result | ErrorObject)
    return exchange(outcome, body=body, profile=profile, url=f"https://{profile}.example.com/api/v2/", **fields)


def report(left: Exchange, right: Exchange, *ignore: str) -> str:
    def preview(draft: Draft | Batch, *, profile: Profile, id: str | None = None) -> Preview | Refused:
        return previewing(profile)(draft, id=id)

    one, other = (record_of(each, PROFILES, preview, secrets=SECRETS, ours=True)[0] for each in (left, right))
    assert isinstance(one, Subject)
    assert isinstance(other, Subject)
    return report_of_pair(one, other, (left, right), SECRETS, ignore).decode()


def test_report_of_two_has_table_differences_and_responses() -> None:
    left = recorded("prod", {"code": -32602, "message": "Invalid params", "data": [1]}, "error", note="Customer 7 | x")
    right = recorded("staging", {"id": 42}, seconds=0.5)
    text = report(left, right)
    assert text.startswith(
        f"""\
## `user.get`: error and result

| | `prod` | `staging` |
|---|---|---|
| Profile | `prod` | `staging` |
| Host | `prod.example.com` | `staging.example.com` |
| Outcome | `✗ error -32602 Invalid params` | `✓ result` |
| Transport | `{transport_line(left)}` | `{transport_line(right)}` |
| Took | `34 ms` | `500 ms` |
| When | `2026-11-21 10:40:12 UTC` | `2026-11-21 10:40:12 UTC` |
| Id | `01jd4x9a2mk7c3q` | `01jd4x9a2mk7c3q` |

- Compared: `error -32602 in prod, result in staging`
- Versions: `{versions()}`

### Note in `prod`

```text
Customer 7 | x
```

### Differences

```diff
"""
    )
    assert text.count("### Request on both sides\n\n```http\nPOST /api/v2/ HTTP/1.1\nHost: prod.example.com\n") == 1
    assert text.count("### Response in `prod`\n") == text.count("### Response in `staging`\n") == 1


def test_differences_are_shown_by_line_and_limited() -> None:
    rows = [{"n": at, "kept": "k"} for at in range(100)]
    left, right = recorded("prod", {"rows": rows, "seen": 1}), recorded("staging", {"rows": [], "seen": 2})
    text = report(left, right)
    shown = text.split("```diff\n")[1].split("\n```\n")[0].splitlines()
    assert len(shown) == MAX_DIFF_LINES
    assert f"Only the first {MAX_DIFF_LINES} of " in text
    small = report(
        recorded("prod", {"a": 1, "b": 2, "seen": 1}), recorded("staging", {"a": 1, "b": 3, "seen": 2}), "/seen"
    )
    assert '-   "b": 2\n+   "b": 3\n' in small
    assert "1 member differs, 1 value was ignored" in small
    assert "Differences" not in report(left, replace(left, profile="prod"))


def test_report_of_one_profile_has_sides_without_names() -> None:
    text = report(recorded("prod", {"a": 1}), recorded("prod", {"b": 1}))
    assert "| | left | right |" in text
    assert "- Compared: `1 member is new, 1 is gone`" in text
    assert text.count("### Response on the left\n") == text.count("### Response on the right\n") == 1


def test_report_shows_both_requests_if_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    same = report(recorded("prod", 1), recorded("staging", 1))
    assert [same.count(f"### Request {side}\n") for side in BOTH] == [1, 0, 0]
    monkeypatch.setitem(PROFILES, "staging", replace(PROFILES["staging"], headers=(("X-Tenant", "acme"),)))
    text = report(recorded("prod", 1), recorded("staging", 1))
    assert [text.count(f"### Request {side}\n") for side in BOTH] == [0, 1, 1]
    assert text.count("X-Tenant: acme") == 1


def test_report_names_secret_references_if_credentials_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Credentials" not in report(recorded("prod", 1), recorded("staging", 1))
    for name in ("prod", "staging"):
        monkeypatch.setitem(PROFILES, name, replace(PROFILES[name], auth=BearerAuth()))
    monkeypatch.setattr("tests.export.test_report_of_two.SECRETS", [Secret("t0ken-of-prod", "prod.token")])
    text = report(recorded("prod", 1), recorded("staging", 1))
    assert "| Credentials | `«prod.token»` | `«staging.token»` |" in text
    assert [text.count(f"### Request {side}\n") for side in BOTH] == [1, 0, 0], "they differ in nothing else"
    assert "t0ken" not in text
    monkeypatch.setitem(PROFILES, "staging", replace(PROFILES["staging"], auth=NoAuth()))
    text = report(recorded("prod", 1), recorded("staging", 1))
    assert "| Credentials | `«prod.token»` | none |" in text
    assert [text.count(f"### Request {side}\n") for side in BOTH] == [0, 1, 1]


@pytest.mark.parametrize("is_same", [True, False])
def test_unsent_call_is_reported_with_the_reason(is_same: bool) -> None:
    params = '{"password": "«not recorded»"}'
    why = NOT_RECORDED.format("«not recorded»")
    left = recorded("prod", 1, params=params)
    unsent = replace(left, outcome=Refused("params", why), response=Response(), profile="staging")
    right = unsent if is_same else replace(unsent, params='{"n": 1}')
    text = report(left, right)
    assert [text.count(f"### Request {side}\n") for side in BOTH] == [0, 1, 1]
    assert f"### Request in `staging`\n\nNot sent: `{why}`\n" in text
    assert "### Response in `staging`\n\nThe call was not sent." in text
    assert text.count("POST /api/v2/") == 1 + (not is_same)
    assert count_references(text.encode()) == 1
    neither = report(unsent, unsent)
    assert f"### Request on both sides\n\nNot sent: `{why}`\n\n```http\nPOST" in neither


def test_report_of_two_has_no_possible_secret() -> None:
    texts = ("hunter2-hunter2", "tr0ub4dor&3-x")
    members = [{"echo": texts, "token": token, "n": n} for token, n in (("live-1", 1), ("live-2", 2))]
    params = json.dumps({"password": "short", "note": texts})
    sides = [
        recorded(profile, member, params=params, note=f"with {texts[0]}")
        for profile, member in zip(("prod", "staging"), members, strict=True)
    ]
    text = report(sides[0], sides[1])
    assert not [secret for secret in (*texts, "short", "live-1", "live-2") if secret in text]
    assert "«prod.password»" in text
    assert "«staging.password»" in text
    assert '-   "n": 1\n+   "n": 2\n' in text


def every(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from every(token.children or ())


def test_report_of_two_has_no_active_markdown() -> None:
    odd = HOSTILE + " | a \\| b | <b>x</b> [y](z)"
    left = recorded("prod", {odd: odd, "n": [1]}, method=odd, params=json.dumps([odd]), note=odd, name=odd)
    right = recorded("staging", {"code": 7, "message": odd, "data": [odd]}, "error", method=odd)
    for sides in ((left, right), (left, recorded("staging", {odd: "x", "n": [2]}, method=odd))):
        text = report(*sides)
        assert printable(text, lines=True) == text
        tokens = list(every(MarkdownIt("commonmark").enable("table").parse(text)))
        kinds = {token.type for token in tokens}
        assert not kinds & {"html_inline", "html_block", "link_open", "image", "blockquote_open"}
        plain = "".join(token.content for token in tokens if token.type == "text")
        assert not [word for word in ("evil", "@all", "img", "done") if word in plain]
        assert [token.type for token in tokens].count("td_open") == 7 * 3
