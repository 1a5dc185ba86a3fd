from __future__ import annotations

from rpcexplorer.model.secret import for_others


def test_what_was_meant_for_us_alone_is_not_passed_on() -> None:
    given = {"PATH": "/bin", "RPCEXPLORER_SHOP_PASSWORD": "x", "_RPCEXPLORER_COMPLETE": "bash_complete"}
    assert for_others(given) == {"PATH": "/bin"}
