"""The pytest plugin: saved calls with expectations are tests.

Each run of pytest imports this file. Without ``--rpc-checks``, it imports nothing else of the program.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from rpcexplorer.checks.run import Check, CheckResult
    from rpcexplorer.model.profile import Profile

T = TypeVar("T")


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.getgroup("rpcexplorer").addoption
    add("--rpc-checks", metavar="FILE", action="append", default=[], help="Run the checks in FILE. Can be repeated.")
    add("--rpc-profile", metavar="NAME", help="Send the checks with this profile.")
    variable = "Set variable NAME. Can be repeated."
    add("--rpc-set", metavar="NAME=VALUE", action="append", default=[], type=_name_and_value, help=variable)
    add("--rpc-yes", action="store_true", help="Also send the calls that need confirmation.")


def _name_and_value(word: str) -> tuple[str, str]:
    from rpcexplorer.variables.references import name_and_value

    pair = name_and_value(word)
    if not pair:
        raise ArgumentTypeError(f"{word} is not NAME=VALUE")
    return pair


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path not in _files(parent.config):
        return None
    return ChecksFile.from_parent(parent, path=file_path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Collect the files that no argument of pytest has named.

    This is before ``-k`` selects. Files cannot be arguments: pytest 8 drops tests if one contains another.
    """
    for file in _files(session.config):
        if file not in _checking(session.config).collected:
            items += session.genitems(ChecksFile.from_parent(session, path=file))


def _files(config: pytest.Config) -> list[Path]:
    return [Path(os.path.abspath(file)) for file in config.getoption("rpc_checks")]  # noqa: PTH100 - as pytest does it


class Checking:
    """Sends all checks of a run with one explorer, so there is one login.

    Its event loop has a thread of its own: other tests may use that of the main thread.
    """

    def __init__(self, config: pytest.Config) -> None:
        import asyncio
        from threading import Thread

        from rpcexplorer.checks.run import CheckRun
        from rpcexplorer.explorer import Explorer

        self.chosen: str | None = config.getoption("rpc_profile")
        self.confirmed: bool = config.getoption("rpc_yes")
        self.collected: set[Path] = set()
        self.explorer = Explorer.open()
        self._run = CheckRun(self.explorer, given=dict(config.getoption("rpc_set")))
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._loop.run_forever, name="rpcexplorer", daemon=True)
        self._thread.start()
        config.add_cleanup(self._close)

    def use(self, name: str | None) -> Profile:
        """Return the profile with a name, or that of the option or the files."""
        from rpcexplorer.model.problem import UserError

        try:
            return self.explorer.use(name or self.chosen)
        except UserError as error:
            raise UserError(error.sentence.replace("-p NAME", "--rpc-profile NAME")) from error

    def result_of(self, check: Check) -> CheckResult:
        """Send a check, unless its profile asks for confirmation first."""
        from rpcexplorer.checks.run import CheckResult

        if not self.confirmed and self.explorer.to_ask_about([check.call.draft()], check.profile):
            sentence = f"not sent: profile {check.profile.name} asks for confirmation. Add --rpc-yes to send the call."
            return CheckResult(check, error=sentence)
        return self._wait(self._run.result_of(check))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        import asyncio

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # It has no effect but after Ctrl+C.

    def _close(self) -> None:
        self._wait(self._run.close())
        self._wait(self.explorer.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()
        if problem := self.explorer.put_unsaved_aside():
            print(problem, file=sys.stderr)


CHECKING = pytest.StashKey[Checking]()


def _checking(config: pytest.Config) -> Checking:
    if CHECKING not in config.stash:
        config.stash[CHECKING] = Checking(config)
    return config.stash[CHECKING]


class ChecksFile(pytest.File):
    """A file of saved calls; damaged, it fails the collection."""

    def collect(self) -> Iterator[CheckItem]:
        from rpcexplorer.checks.find import HOW_TO, checks_in
        from rpcexplorer.model.problem import UserError
        from rpcexplorer.text.printable import printable

        try:
            checking = _checking(self.config)
            checking.collected.add(self.path)
            checks = checks_in(checking.explorer, self.path, checking.use, is_chosen=checking.chosen is not None)
        except UserError as error:
            raise self.CollectError(printable(error.sentence, lines=True)) from None
        if not checks:
            raise self.CollectError(f"There are no checks in {self.name}. {HOW_TO}")
        for check in checks:
            name = printable(check.call.name)
            if check.call.profile:  # A call with and one without a profile may be in one file.
                name = f"{name}[{check.call.profile}]"
            yield CheckItem.from_parent(self, name=name, check=check)


class CheckItem(pytest.Item):
    """A check as a test.

    ``setup`` sends the call: if that fails, pytest reports an error and not a failure.
    """

    result: CheckResult

    def __init__(self, *, check: Check, **of_item: Any) -> None:
        super().__init__(**of_item)
        self.check = check

    def setup(self) -> None:
        if self.config.getoption("setupplan", False):  # It must not run anything.
            return
        self.result = _checking(self.config).result_of(self.check)
        if self.result.error:
            self._fail()

    def runtest(self) -> None:
        if self.result.failures:
            self._fail()

    def _fail(self) -> None:
        from rpcexplorer.checks.report import reasons

        place = f"{self.location[0]}:{self.check.call.line or 1}"
        pytest.fail("\n".join([*reasons(self.result), place]), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        line = self.check.call.line
        return self.path, line and line - 1, self.name
