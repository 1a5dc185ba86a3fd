"""Load tests on Locust: saved calls, sent by many users at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcexplorer.load.user import RpcUser

__all__ = ["RpcUser"]


def __getattr__(name: str) -> Any:
    """Import Locust only if it is needed: it replaces sockets and threads."""
    if name == "RpcUser":
        from rpcexplorer.load.user import RpcUser

        return RpcUser
    raise AttributeError(f"module {__name__} has no attribute {name}")
