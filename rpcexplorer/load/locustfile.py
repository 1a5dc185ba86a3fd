"""The file that Locust runs for `rpcexplorer load`.

The first line of stdin is the plan. This process ends when stdin is closed. Reports are lines of JSON on
stdout, to which nothing else is printed.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import gevent
import gevent.select
import msgspec
from locust import constant_throughput, events, task
from locust.runners import WorkerRunner
from locust.stats import CSV_STATS_INTERVAL_SEC

from rpcexplorer.load.plan import LOOPBACK, Failures, Plan, Report, Row
from rpcexplorer.load.user import RpcUser, Service
from rpcexplorer.transport.port import is_loopback_host

REPORT_SECONDS = 1.0
END_SECONDS = 5.0
"""For Locust to write its files and to exit."""
PACE = "rpcexplorer_pace"
"""The option in which workers get the calls per second of each user."""

logging.basicConfig(level=logging.WARNING, format="%(message)s")
plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=Plan)
os.environ["HOME"] = plan.home
reports = os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Locust prints tables of its own.
shared = Service.open(
    plan.profile,
    folder=Path(plan.folder),
    environment={**os.environ, **plan.own},
    sessions=Path(plan.sessions) if plan.sessions else None,
    given=plan.given,
)


class SavedCalls(RpcUser):
    """Sends the saved calls of the plan, one after the other."""

    abstract = False
    host = shared.profile.origin
    """Only shown: a master cannot name another one."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._sent = 0
        pace = getattr(environment.parsed_options, PACE, plan.pace)
        self._pace = constant_throughput(pace) if isinstance(pace, float) and pace > 0 else None

    @classmethod
    def open_service(cls) -> Service:
        return shared

    def wait_time(self) -> float:
        return max(super().wait_time(), self._pace(self) if self._pace else 0.0)

    @task
    def next_call(self) -> None:
        call = plan.calls[self._sent % len(plan.calls)]
        self._sent += 1
        self.send(call)


def begin(environment: Any, **_: object) -> None:
    """Start to report."""
    setattr(environment.parsed_options, PACE, plan.pace)
    runners.append(environment.runner)
    gevent.get_hub().loop.update_now()  # Else the time of the imports counts as time of the test.
    if isinstance(environment.runner, WorkerRunner):
        return
    gevent.spawn(report_regularly, environment)
    if plan.web_port:  # A page of Locust's own would outlast the test.
        web_ui = environment.create_web_ui(LOOPBACK, plan.web_port, delayed_start=True)
        web_ui.app.wsgi_app = only_shown(web_ui.app.wsgi_app)
        web_ui.start()


def end_with_rpcexplorer() -> None:
    """End the test when stdin is closed, and this process in any case."""
    gevent.select.select([0], [], [])
    for runner in runners:  # A worker has none until it has found its master.
        runner.quit()
        gevent.sleep(END_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def report_regularly(environment: Any) -> None:
    """Report every second; end the test if no user is left."""
    while True:
        gevent.sleep(REPORT_SECONDS)
        report(environment)
        runner = environment.runner
        if runner.state == "running" and not runner.user_count and runner.stats.num_requests:
            runner.quit()


def end(environment: Any, **_: object) -> None:
    if isinstance(environment.runner, WorkerRunner):
        return
    report(environment, is_final=True)
    if environment.parsed_options.csv_prefix:
        gevent.sleep(CSV_STATS_INTERVAL_SEC * 1.5)  # Locust writes these files regularly, but not at the end.


def report(environment: Any, *, is_final: bool = False) -> None:
    stats = environment.runner.stats
    found = Report(
        users=environment.runner.user_count,
        rows=tuple(row_of(entry) for entry in sorted(stats.entries.values(), key=lambda entry: entry.name)),
        total=row_of(stats.total),
        failures=tuple(Failures(one.name, str(one.error), one.occurrences) for one in stats.errors.values()),
        is_final=is_final,
    )
    with suppress(OSError):  # If rpcexplorer has ended, this process ends, too.
        reports.write(msgspec.json.encode(found) + b"\n")
        reports.flush()


def row_of(entry: Any) -> Row:
    return Row(
        entry.name,
        entry.num_requests,
        entry.num_failures,
        entry.median_response_time or 0,
        entry.get_response_time_percentile(0.95) or 0,
        entry.max_response_time,
        entry.total_rps,
    )


def only_shown(application: Any) -> Any:
    """Let nobody change a test, whose users and rate were confirmed, and no foreign page read it.

    Any page in a browser could ask this address, and Locust allows every origin to read the answer.
    """

    def respond(environ: dict[str, Any], start: Any) -> Any:
        def start_without_origins(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            own = [(name, value) for name, value in headers if not name.lower().startswith("access-control-")]
            return start(status, own, *error)

        host = environ.get("HTTP_HOST", "")
        is_own = is_loopback_host(host.rpartition(":")[0]) and environ.get("HTTP_ORIGIN") in {None, f"http://{host}"}
        if environ["REQUEST_METHOD"] != "GET" or not is_own:
            start("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"This page only shows the load test. End it with Ctrl+C."]
        return application(environ, start_without_origins)

    return respond


for event, listener in ((events.init, begin), (events.quitting, end)):
    event.add_listener(listener)  # type: ignore[no-untyped-call]
runners: list[Any] = []
gevent.spawn(end_with_rpcexplorer)
