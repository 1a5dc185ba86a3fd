"""The plan of a load test, and the reports about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

LOGIN: Final = "login"
"""The row of logins."""
NOT_SENT: Final = "not sent"
"""First words of the failure of a call that was not sent."""
NO_RESPONSE: Final = "no response"
"""First words of the failure of a call without a complete response."""


LOOPBACK: Final = "127.0.0.1"
WEB_PORT: Final = 8089
"""The port of Locust's page."""


class PlannedCall(Struct, frozen=True):
    row: str
    """The name of its row in the results, such as ``@list users``."""
    method: str
    text: str
    """Its params, with their variables."""


class Plan(Struct, frozen=True):
    """The work of the users of a load test; each machine has its own plan."""

    profile: str
    calls: tuple[PlannedCall, ...]
    folder: str
    """The working folder, for the search of profiles."""
    home: str
    """The home folder of the user: Locust itself gets an empty one."""
    sessions: str | None = None
    given: Mapping[str, str] = {}
    """Values of variables."""
    pace: float = 0.0
    """Calls per second of each user; 0 for as many as possible."""
    own: Mapping[str, str] = {}
    """The variables ``RPCEXPLORER_…``, which other programs do not get."""
    web_port: int = 0
    """The port of Locust's page; 0 for none."""


class Failures(Struct, frozen=True):
    """Failures of one row for the same reason."""

    row: str
    reason: str
    count: int


class Row(Struct, frozen=True):
    """The calls of one name; times are in milliseconds."""

    name: str
    calls: int = 0
    failed: int = 0
    median: float = 0.0
    p95: float = 0.0
    slowest: float = 0.0
    rate: float = 0.0
    """Calls per second."""


class Report(Struct, frozen=True):
    """The state of a load test, sent every second and at the end."""

    users: int
    rows: tuple[Row, ...]
    total: Row
    failures: tuple[Failures, ...] = ()
    is_final: bool = False
