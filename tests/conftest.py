"""Two tiers: ``pytest`` tests each promise, ``--thorough`` everything.

If you name a file, or a word with ``-k``, all of its tests run. A test that only varies another one is marked
``thorough``. Of a test with many cases the first and the last run every day, or as many as ``everyday(n)`` says. Random
cases are few and always the same. The thorough tier draws many new ones and prints failures; there, no case has to be
fast on a busy machine.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import pytest
import trustme
from hypothesis import settings

from rpcexplorer.demo.http import DemoThread
from rpcexplorer.explorer import Explorer
from tests.fakes.certificates import Identity, self_signed
from tests.fakes.explorer import open_explorer
from tests.fakes.oauth import Issuer, Resource
from tests.fakes.shell import Shell
from tests.fakes.wire import Authority

CASES: Final = 2
"""Cases of one test that run every day."""
settings.register_profile("everyday", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("named", derandomize=True, deadline=None)
settings.register_profile("thorough", deadline=None, print_blob=True, max_examples=20)
TIER: Final = pytest.StashKey[str]()
# Some machines keep no bytecode. There, each worker and each program that a test starts would compile all of its
# files again, which takes longer than most tests.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The tests set proxies and authorities of their own.
for variable in (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "REQUEST_METHOD",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
):
    os.environ.pop(variable, None)
    os.environ.pop(variable.lower(), None)
# nohup, and a shell that starts a job in the background, let it ignore these signals, and so would all of its programs.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        nargs="?",
        const="thorough",
        choices=["thorough", "rest"],
        help="Run all tests, random cases drawn anew; =rest leaves out what runs every day.",
    )


def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than cores: tests of the screen and of processes often wait."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: it varies a promise that another test keeps every day")
    config.addinivalue_line("markers", "everyday(n): so many cases of it run every day")
    config.addinivalue_line("markers", "drawn: the screen is drawn as for a terminal")
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")
    tier = config.getoption("thorough") or ("everyday" if is_whole else "named")
    config.stash[TIER] = getattr(config, "workerinput", {}).get("tier", tier)
    settings.load_profile("thorough" if config.stash[TIER] == "rest" else config.stash[TIER])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the original arguments on: a worker gets all paths by name."""
    node.workerinput["tier"] = node.config.stash[TIER]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the foreign servers, an extra that need not run every day."""
    return True if config.stash[TIER] == "everyday" and collection_path.name == "interop" else None


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make no items that will not run: there are many of them."""
    if collector.config.stash[TIER] != "everyday":
        return None
    return [] if any(mark.name == "thorough" for mark in getattr(obj, "pytestmark", ())) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier = config.stash[TIER]
    if tier in {"named", "thorough"}:
        return
    daily = set(_of_every_day(items))
    wanted = [item for item in items if (item in daily) == (tier == "everyday") or (tier == "rest" and _draws(item))]
    chosen = set(wanted)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = wanted


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asked_for = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in asked_for}))
    return True


def pytest_collection_finish() -> None:
    """Freeze the objects of the collection, so that the collector skips them."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 50)


@pytest.fixture
def soon() -> Iterator[None]:
    """Fail code that grows with the square of its input: it takes minutes."""
    began = time.process_time()
    yield
    assert time.process_time() - began < 60


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    return open_explorer(tmp_path)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Yield the URL of a demo service."""
    with DemoThread() as demo:
        yield demo.url


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as issuer:
        yield issuer


@pytest.fixture
def resource(issuer: Issuer) -> Iterator[Resource]:
    with Resource(issuer) as resource:
        yield resource


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="session")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def box() -> Identity:
    """Return the self-signed certificate of a box in the cellar."""
    return self_signed()


def _of_every_day(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = [case for case in group if not case.get_closest_marker("thorough")]
        mark = cases[0].get_closest_marker("everyday") if cases else None
        count = min(mark.args[0] if mark else CASES, len(cases))
        yield from (cases[number * (len(cases) - 1) // max(count - 1, 1)] for number in range(count))


def _draws(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "function", None), "is_hypothesis_test", False))
