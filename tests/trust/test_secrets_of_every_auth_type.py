"""Secrets of every kind of auth on servers that check them strictly and repeat them: none is printed or written.

Each is planted as `test_everywhere.py` plants those of a cookie and of params, with what a kind makes of it on the way:
base64 of user name and password, the proof of a digest, the session of a login, what a server hands over first.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from rpcexplorer.__main__ import main
from rpcexplorer.explorer import Explorer
from rpcexplorer.export import formats
from rpcexplorer.export.formats import FORMS
from rpcexplorer.export.request import Subject, subject_of
from rpcexplorer.model.draft import Draft
from tests.export.snippets import SNIPPETS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer
from tests.trust.auth_types import KINDS, Gate, Planted, fitting
from tests.trust.planted import AWKWARD, leaks
from tests.trust.test_completion import emitted
from tests.trust.test_secrets_everywhere import CALLS, Typist, files, printed

RESPELLED = ("basic", "digest", "query", "path", "member with a login")


def cases() -> Iterator[tuple[str, str, bool]]:
    """Each kind with a value of its own, stored or in a variable in turn."""
    for turn, (kind, planted) in enumerate(KINDS.items()):
        values = [*fitting(planted, AWKWARD)]
        yield kind, values[turn % len(values)], turn % 2 == 0


def all_cases() -> Iterator[tuple[str, str]]:
    """Every value, with each kind that spells it otherwise on the way."""
    yield from ((kind, value) for kind in RESPELLED for value in fitting(KINDS[kind], AWKWARD))


def given(shell: Shell, planted: Planted, origin: str, secret: str, *, stored: bool) -> None:
    """A profile with its secret, by whichever way."""
    shell.sessions(f'[profile.p]\nurl = "{origin}"\n{planted.settings}\n')
    if not stored:
        shell.environment[f"RPCEXPLORER_P_{planted.typed.upper()}"] = secret
        return
    kept = Explorer.open(folder=shell.folder, environment=shell.environment)
    kept.secrets.save(kept.profiles.profiles["p"], planted.typed, secret)


def day(planted: Planted, secret: str) -> Iterator[list[str]]:
    """What one does with a profile."""
    said = json.dumps([secret, f"x{secret}x"])
    yield from (["call", method, "[]", "--response", "-i"] for method in (*CALLS, "echo.page", "echo.stream"))
    yield ["call", "echo.result", "[]"]
    yield ["call", "echo.page", "[]", "--body"]
    yield from (["call", "echo.result", json.dumps(typed), "--dry-run"] for typed in ([secret], {"of": f"x{secret}x"}))
    yield ["call", "echo.result", said, "--id", "said"]
    yield ["notify", "echo.error", "[]"]
    yield ["batch", "-i"]
    yield from (["methods", *more] for more in (["--refresh"], [], ["--json"]))
    yield from (["profiles", *more] for more in (["show", "p"], ["secret", "p"], ["list"], ["test", "p"]))
    yield from (["copy", "said", "--as", form] for form in FORMS)
    yield from ([verb] for verb in (("login", "logout") if planted.logs_in else ()))
    yield ["call", "echo.result", "[]", "-i"]  # nothing that was forgotten can be recognized any more
    yield from (["history", *more] for more in (["show"], ["list", "--json"], ["search", secret]))


@pytest.mark.everyday(1)
@pytest.mark.parametrize(("kind", "value", "stored"), [*cases()])
def test_no_command_prints_or_writes_a_secret_of_any_kind(tmp_path: Path, kind: str, value: str, stored: bool) -> None:
    shell, planted, secret = Shell(tmp_path), KINDS[kind], AWKWARD[value]
    gate = Gate(planted, secret)
    batch = json.dumps([{"method": "echo.result", "params": [secret]}, {"method": "echo.error", "params": []}])
    with RawServer(gate) as server:
        given(shell, planted, server.origin, secret, stored=stored)
        runs = [(" ".join(words[:2]), shell.run(*words, stdin=batch.encode())) for words in day(planted, secret)]
        runs.append(("on a terminal", shell.run("call", "echo.error", "[]", "-i", terminal=True)))
        offered = {kind: emitted(shell, kind, "call", "") for kind in ("bash", "zsh")}
        checked = shell.run("profiles", "check")
    assert gate.let_in > len(CALLS), "the credentials arrive where the server wants them"
    failed = [ran.err for _, ran in runs if ran.code in {2, 3, 70}]
    assert [err for err in failed if "write that text anew" not in err and "an object has no first" not in err] == []
    assert "told" in offered["bash"]
    found = printed([*runs, ("check", checked)]) | offered | files(shell.home, shell.folder)
    assert leaks(found, gate.secrets) == []
    assert checked.code == 0, checked.err


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "value"), [*all_cases()])
def test_whatever_is_typed_for_any_kind_is_told_to_nobody(tmp_path: Path, kind: str, value: str) -> None:
    """In what a front is handed, in what a person may copy, and in every file."""
    planted, secret, told = KINDS[kind], AWKWARD[value], {}
    gate = Gate(planted, secret)
    (tmp_path / "work").mkdir()

    async def use(explorer: Explorer) -> None:
        for method in ("echo.result", "echo.reason"):
            exchange = await explorer.call(Draft(method, "[]"))
            told[method] = f"{exchange!r} {exchange.response.body.decode(errors='replace')}"
            assert explorer.profile is not None
            shown, known = explorer.preview, explorer.credentials.in_use()
            subject = subject_of(explorer.profile, exchange, shown, secrets=known, ours=True)
            assert isinstance(subject, Subject)
            told[f"{method} copied"] = "\n".join(formats.render(form, subject).decode() for form in SNIPPETS)
        told["recent"] = repr(explorer.recent(50))

    async def everything(origin: str) -> None:
        (tmp_path / "work" / "sessions.toml").write_text(f'[profile.p]\nurl = "{origin}"\n{planted.settings}\n')
        home = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
        async with Explorer.open(folder=tmp_path / "work", environment=home, person=Typist(secret)) as explorer:
            explorer.use("p")
            await use(explorer)

    with RawServer(gate) as server:
        asyncio.run(everything(server.origin))
    assert gate.let_in == 2
    assert leaks(told | files(tmp_path), gate.secrets) == []


@pytest.mark.everyday(1)
@pytest.mark.parametrize("kind", ["basic", "digest", "bearer"])
def test_a_call_to_an_address_that_is_typed_hides_what_its_kind_sends(tmp_path: Path, kind: str) -> None:
    shell, planted, secret = Shell(tmp_path), KINDS[kind], AWKWARD["spaces and signs"]
    shell.environment |= {f"RPCEXPLORER_URL_{planted.typed.upper()}": secret, "RPCEXPLORER_URL_USERNAME": "ada"}
    gate = Gate(planted, secret)
    with RawServer(gate) as server:
        words = ["--url", server.origin, "--auth", kind, "-i"]
        runs = [(method, shell.run("call", *words, method, "[]")) for method in ("echo.result", "echo.reason")]
    assert gate.let_in == 2
    assert leaks(printed(runs) | files(shell.home, shell.folder), gate.secrets) == []


def test_the_log_of_a_crash_has_no_header_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A library quotes a header that it does not take."""
    gate = Gate(KINDS["basic"], AWKWARD["six characters"])

    def crash(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(f"Illegal header value b'Basic {gate.secrets[-1]}'")

    monkeypatch.setattr("rpcexplorer.explorer.Explorer.call", crash)
    monkeypatch.setattr(sys, "argv", ["rpcexplorer", "call", "-p", "p", "ping"])
    for name, value in {"HOME": str(tmp_path), "P_PASSWORD": gate.secrets[0]}.items():
        monkeypatch.setenv(f"RPCEXPLORER_{name}", value)
    (tmp_path / "sessions.toml").write_text(f'[profile.p]\nurl = "http://127.0.0.1:9"\n{KINDS["basic"].settings}\n')
    monkeypatch.chdir(tmp_path)
    assert main() == 70
    out, err = capfdbinary.readouterr()
    written = files(tmp_path)
    assert any("Illegal header value b'Basic «not recorded»'" in text for text in written.values())
    assert leaks({"stdout": out.decode(), "stderr": err.decode()} | written, gate.secrets) == []
