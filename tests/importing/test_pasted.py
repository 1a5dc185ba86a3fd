"""Recognition of whole requests among typed or pasted params."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.importing.pasted import pasted

FILES = Path(__file__).parent / "files"
CALL = '{"jsonrpc": "2.0", "id": 1, "method": "user.get", "params": ["«demo.token»", "{{x}}"]}'


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (CALL, "import method user.get"),
        (f"\ufeff [{CALL}, {CALL}]", "import 2 calls"),
        (f"{CALL}\n\n{CALL}\n", "import 2 calls"),
        ((FILES / "firefox.har").read_text(), "import 4 calls"),
        ((FILES / "shop.postman_collection.json").read_text(), "import 5 calls"),
        (CALL.replace("user.get", "m" * 99), f"import method {'m' * 31}…"),
        (f" $ curl http://a.example -d '{CALL}'", "import method user.get"),
    ],
)
def test_whole_request_is_offered_for_import(text: str, label: str) -> None:
    found = pasted(text)
    assert found is not None
    assert found.label == label


def test_pasted_json_is_trusted_and_a_command_not() -> None:
    own, others = pasted(CALL), pasted(f"curl http://a.example -d '{CALL}'")
    assert own is not None
    assert others is not None
    assert own.calls[0].params == '["«demo.token»", "{{x}}"]'
    assert others.calls[0].params == '["\\u00abdemo.token»", "\\u007b{x}}"]'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"method": "a", "params": []}',
        '{"jsonrpc": "2.0", "method": "a", "other": 1}',
        f"[{CALL}, 1]",
        f"{CALL}\n1",
        '{"log": {"entries": [], "request": 1}}',
        '{"jsonrpc": "2.0", "method": "a", "params": [}',
        "curl http://a.example",
        "curling",
        '["jsonrpc", "curl"]',
    ],
)
def test_text_that_may_be_params_is_not_offered(text: str) -> None:
    assert pasted(text) is None
