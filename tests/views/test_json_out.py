"""What services said, as a part of our own JSON: whatever it is, the whole stays JSON."""

from __future__ import annotations

import json
from typing import Any

from rpcexplorer.text.json_text import json_of, raw_of


def test_whatever_a_service_said_can_stand_in_our_json() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    told = json.loads(json_of([raw_of("\ud800é"), raw_of(deep), raw_of(float("inf")), raw_of({"a": 10**30})]))
    assert told == ["\ud800é", None, None, {"a": 10**30}]
