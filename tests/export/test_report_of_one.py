"""The report of one call."""

from __future__ import annotations

import re

import pytest

from rpcexplorer.export.report import MAX_CHARACTERS, call_report, code, versions
from rpcexplorer.model.exchange import Exchange, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Phases, Response
from tests.text.exchanges import exchange

REQUEST = 'POST /api/v2/ HTTP/1.1\nHost: rpc.example.com\n\n{\n  "id": "1"\n}'


def report_of(what: Exchange | None, *, method: str = "user.get", request: str = REQUEST) -> str:
    return call_report(method, "staging", "https://rpc.example.com/api/v2/", request, what)


def test_report_has_response_headers_with_the_request_id() -> None:
    headers = (("Content-Type", "application/json"), ("X-Request-Id", "7f3a-`b`\x1b[2J"))
    text = report_of(exchange(Result(b"1"), response=Response(200, "OK", "HTTP/1.1", headers, b"{}", 2)))
    assert text.endswith(
        """\
### Response

```http
HTTP/1.1 200 OK
Content-Type: application/json
X-Request-Id: 7f3a-`b`␛[2J
```

```json
{}
```"""
    )


def test_report_shows_known_headers_and_counts_others() -> None:
    matter = ["Content-Type", "Retry-After", "X-Request-ID", "traceparent", "CF-Ray", "X-RateLimit-Remaining", "Via"]
    others = ["X-Frame-Options", "Vary", "Content-Length", "X-Request-Identity-Theme"]
    headers = tuple((name, f"value-{at}") for at, name in enumerate(matter + others))
    text = report_of(exchange(Result(b"1"), response=Response(200, "OK", "HTTP/1.1", headers, b"{}", 2)))
    assert [name for name in matter if f"\n{name}: value-" in text] == matter
    assert [name for name in others if name in text] == []
    assert "```\n\nThis report omits 4 other headers.\n\n```json" in text


def test_report_has_typed_params_if_variables_were_filled() -> None:
    text = report_of(exchange(Result(b"1"), params='["{{who}}"]', params_sent='["ada"]'))
    assert '### Params as typed, with variables\n\n```json\n["{{who}}"]\n```\n\n### Response\n' in text
    assert "Typed" not in report_of(exchange(Result(b"1")))


def test_report_has_all_facts_to_reproduce_the_call() -> None:
    failed = exchange(
        ErrorObject(-32602, "Invalid params", None, b"{}", ("id is missing",)),
        body=b'{"error":{"code":-32602}}',
        phases=Phases(connect=0.004, wait=0.03),
        notes=("logged in",),
        name="the ``slow`` one",
        note="Seen by the customer\ntwice.",
    )
    assert (
        report_of(failed)
        == """\
## `user.get`: error

- Profile: `staging`
- URL: `https://rpc.example.com/api/v2/`
- When: 2026-11-21 10:40:12 UTC
- Outcome: `✗ error -32602 Invalid params`
- Transport: HTTP 200 · 34 ms · 25 B
- Took: 34 ms (connect 4 ms, wait 30 ms)
- Id: `01jd4x9a2mk7c3q`
- Name: `the ``slow`` one`
- Also: `logged in`
- Also: `id is missing`
- Versions: `VERSIONS`

### Note

```text
Seen by the customer
twice.
```

### Request

```http
POST /api/v2/ HTTP/1.1
Host: rpc.example.com

{
  "id": "1"
}
```

### Response

```json
{
  "error": {
    "code": -32602
  }
}
```""".replace("VERSIONS", versions()).replace("`the ``slow`` one`", "```the ``slow`` one```")
    )
    assert re.fullmatch(r"rpcexplorer \d+\.\d+\.\d+, Python 3\.\d+\.\d+, \w+", versions())


def test_report_of_a_draft_has_only_the_request() -> None:
    text = report_of(None)
    assert text.startswith("## `user.get`\n")
    assert text.endswith(f"```http\n{REQUEST}\n```")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [(Sent(), "No response is expected."), (Unreached("connect", "nothing listens"), "No response.")],
)
def test_report_states_a_missing_response(outcome: Sent | Unreached, said: str) -> None:
    assert report_of(exchange(outcome, status=None)).endswith(f"### Response\n\n{said}")


def test_report_cuts_a_long_response_at_a_line() -> None:
    text = report_of(exchange(Result(b""), body=b"[" + b'"0123456789",' * 5_000 + b"0]"))
    block, note = text.split("```json\n")[1].split("\n```\n\n")
    note, true_size = note.split("\n")
    assert true_size == "The response has 65 kB."
    assert MAX_CHARACTERS - 20 < len(block) <= MAX_CHARACTERS
    assert block.endswith('"0123456789",')
    assert note == f"Only the first {len(block):,} of 80,007 characters are shown."


def test_report_states_the_size_of_a_partial_response() -> None:
    response = Response(200, "OK", "HTTP/1.1", (), b'{"a": 1', 38_000_000, cut=True)
    text = report_of(exchange(Result(b""), response=response))
    assert text.endswith(
        '```text\n{"a": 1\n```\n\nOnly the start of the response was recorded. The whole response has 38 MB.'
    )


def test_report_shows_a_binary_response_in_hex() -> None:
    assert "```text\n00000000  ff fe" in report_of(exchange(Malformed("not UTF-8"), body=b"\xff\xfe"))


HOSTILE = "a`` ```` <img src=x> @all [x](http://evil) \x1b]52;c;x\x07\u202e\n````\n# done"


def test_external_text_cannot_leave_its_code_block() -> None:
    odd = exchange(ErrorObject(1, HOSTILE, None, b""), body=HOSTILE.encode(), notes=(HOSTILE,))
    text = report_of(odd, method=HOSTILE, request=f"POST / HTTP/1.1\n\n{HOSTILE}")
    assert printable(text, lines=True) == text
    outside, fence = [], ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.rstrip("abcdefghijklmnopqrstuvwxyz")
            assert len(fence) > 4
        else:
            outside.append(line)
    assert fence == ""
    assert all("evil" not in line or "`````" in line for line in outside)
    assert "# done" not in outside


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("", "` `"), ("a\nb", "`a␊b`"), (" a", "`  a `")],
)
def test_code_has_more_backticks_around_than_inside(text: str, shown: str) -> None:
    assert code(text) == shown
