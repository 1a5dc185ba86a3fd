"""A comparison for a plain terminal: what was before the lines of one difference, then what is now."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.compare.compare import compared_texts
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.text.compare import compared_lines, printed


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"a": [1, 2]}, {"a": {"b": 3}},
         ["  {", '-   "a": [', "-     1", "-     2", "-   ]", '+   "a": {', '+     "b": 3', "+   }", "  }"]),
        ({"a": "«x.token»", "b": "«x.token»"}, {"a": "«y.token»", "b": "«x.token»"},
         ["  {", '·   "a": "«x.token»"  (hidden, not compared)', '·   "a": "«y.token»"  (hidden, not compared)',
          '    "b": "«x.token»"', "  }"]),
        (["a" * 200], ["a" * 150], ["  [",
                                    f'-   …"{"a" * 90}"',
                                    f'+   …"{"a" * 40}"  (from character 151 on)', "  ]"]),
    ],
)  # fmt: skip
def test_each_side_of_a_difference_stands_together(left: object, right: object, expected: list[str]) -> None:
    one, two = (json.dumps(side, ensure_ascii=False).encode() for side in (left, right))
    lines = compared_lines(at_once(compared_texts(one, two)))
    assert list(printed(lines)) == expected
    assert "\x1b[31m" not in "".join(printed(lines))
    assert "".join(printed(lines, colour=True)).count("\x1b[0m") >= 2
