"""Tests of import summaries: no credentials, no control characters."""

from __future__ import annotations

from rpcexplorer.importing.formats import imported
from rpcexplorer.text.importing import as_values, call_line, hiding, note_lines, other_addresses, skipped_lines
from rpcexplorer.text.json_text import json_of

ADDRESS = "http://a.example/v3/9f86d081884c7d659a2feaa0c55ad015a3bf/"
BODY = '{"method": "m\\u001b", "params": {"again": "header-key-55", "password": "p-1"}}'
TEXT = f"curl -H 'X-Api-Key: header-key-55' -H 'X-Tenant: a' {ADDRESS} -d '{BODY}' ; curl b.example ; curl c.example"


def test_import_summary_has_no_credentials_or_control_characters() -> None:
    found = imported(TEXT)
    line = call_line(found.calls[0], hiding(found.calls))
    told = [line, *note_lines(found.calls), *skipped_lines(found.skipped), json_of(as_values(found)).decode()]
    told.append(other_addresses(found.calls, "http://a.example/"))
    assert not [secret for secret in ("header-key-55", "p-1", "9f86d081") if secret in "".join(told)]
    assert line.startswith("m␛ ")
    assert "requests 2, 3 skipped: GET without a body" in told
    # ``say`` makes the escape visible.
    assert "m\x1b: ignored headers: X-Tenant. To send them, set `headers` in the profile" in told
