"""No command prints or writes a secret of any auth type.

Each is planted like those of `test_secrets_everywhere.py`, in all forms of its auth type: base64 of user name and
password, the proof of a digest, the session of a login, values that a server sends first.
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
    """Yield each auth type and value, stored or in a variable in turn."""
    for turn, (kind, planted) in enumerate(KINDS.items()):
        values = [*fitting(planted, AWKWARD)]
        yield kind, values[turn % len(values)], turn % 2 == 0


def all_cases() -> Iterator[tuple[str, str]]:
    """Yield every value with each auth type that sends it in another spelling."""
    yield from ((kind, value) for kind in RESPELLED for value in fitting(KINDS[kind], AWKWARD))


def given(shell: Shell, planted: Planted, origin: str, secret: str, *, stored: bool) -> None:
    """Add a profile with its secret, stored or as a variable."""
    shell.sessions(f'[profile.p]\nurl = "{origin}"\n{planted.settings}\n')
    if not stored:
        shell.environment[f"RPCEXPLORER_P_{planted.typed.upper()}"] = secret
        return
    explorer = shell.explorer()
    explorer.secrets.save(explorer.profiles.profiles["p"], planted.typed, secret)


def day(planted: Planted, secret: str) -> Iterator[list[str]]:
    """Yield the commands of a typical day with a profile."""
    params = json.dumps([secret, f"x{secret}x"])
    yield from (["call", method, "[]", "--response", "-i"] for method in (*CALLS, "echo.page", "echo.stream"))
    yield ["call", "echo.result", "[]"]
    yield ["call", "echo.page", "[]", "--body"]
    yield from (["call", "echo.result", json.dumps(typed), "--dry-run"] for typed in ([secret], {"of": f"x{secret}x"}))
    yield ["call", "echo.result", params, "--id", "said"]
    yield ["notify", "echo.error", "[]"]
    yield ["batch", "-i"]
    yield from (["methods", *more] for more in (["--refresh"], [], ["--json"]))
    yield from (["profiles", *more] for more in (["show", "p"], ["secret", "p"], ["list"], ["test", "p"]))
    yield from (["copy", "said", "--as", form] for form in FORMS)
    yield from ([verb] for verb in (("login", "logout") if planted.logs_in else ()))
    yield ["call", "echo.result", "[]", "-i"]  # a forgotten secret can no longer be recognized
    yield from (["history", *more] for more in (["show"], ["list", "--json"], ["search", secret]))


@pytest.mark.everyday(1)
@pytest.mark.parametrize(("kind", "value", "stored"), [*cases()])
def test_no_command_leaks_a_secret_of_any_type(tmp_path: Path, kind: str, value: str, stored: bool) -> None:
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
    assert [err for err in failed if "Replace that text" not in err and "cannot be an object" not in err] == []
    assert "told" in offered["bash"]
    found = printed([*runs, ("check", checked)]) | offered | files(shell.home, shell.folder)
    assert leaks(found, gate.secrets) == []
    assert checked.code == 0, checked.err


@pytest.mark.everyday(1)
@pytest.mark.parametrize("kind", ["bearer", "jwt", "basic"])
def test_no_command_leaks_a_secret_that_a_command_prints(tmp_path: Path, kind: str) -> None:
    """The command complains with it, too, and every second run fails."""
    shell, planted = Shell(tmp_path), KINDS[kind]
    secret = AWKWARD["hex digits"]
    gate = Gate(planted, secret)
    program = tmp_path / "print"
    program.write_text(
        f"#!/bin/sh\ncd {tmp_path}; echo ran >>ran; echo '{secret}'; echo 'not {secret}, {secret}!' >&2\n"
        "exit $(( ($(wc -l <ran) + 1) % 2 ))\n"
    )
    program.chmod(0o755)
    batch = json.dumps([{"method": "echo.result", "params": [secret]}, {"method": "echo.error", "params": []}])
    settings = planted.settings.replace('kind = "', f'{planted.typed}_command = ["{program}"], kind = "')
    with RawServer(gate) as server:
        shell.own(f'[profile.p]\nurl = "{server.origin}"\n{settings}\n')
        days = [words for words in day(planted, secret) if secret not in " ".join(words)]
        runs = [(" ".join(words[:2]), shell.run(*words, "-p", "p", stdin=batch.encode())) for words in days]
    assert gate.let_in > 3
    assert any("ended with exit code 1: not «" in ran.err for _, ran in runs)
    assert leaks(printed(runs) | files(shell.home, shell.folder), gate.secrets) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "value"), [*all_cases()])
def test_typed_secret_of_any_type_is_hidden_everywhere(tmp_path: Path, kind: str, value: str) -> None:
    """Search the values for a front end, the texts to copy, and every file."""
    planted, secret, sinks = KINDS[kind], AWKWARD[value], {}
    gate = Gate(planted, secret)
    (tmp_path / "work").mkdir()

    async def use(explorer: Explorer) -> None:
        for method in ("echo.result", "echo.reason"):
            exchange = await explorer.call(Draft(method, "[]"))
            sinks[method] = f"{exchange!r} {exchange.response.body.decode(errors='replace')}"
            assert explorer.profile is not None
            shown, known = explorer.preview, explorer.credentials.in_use()
            subject = subject_of(explorer.profile, exchange, shown, secrets=known, ours=True)
            assert isinstance(subject, Subject)
            sinks[f"{method} copied"] = "\n".join(formats.render(form, subject).decode() for form in SNIPPETS)
        sinks["recent"] = repr(explorer.recent(50))

    async def everything(origin: str) -> None:
        (tmp_path / "work" / "sessions.toml").write_text(f'[profile.p]\nurl = "{origin}"\n{planted.settings}\n')
        home = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
        async with Explorer.open(folder=tmp_path / "work", environment=home, person=Typist(secret)) as explorer:
            explorer.use("p")
            await use(explorer)

    with RawServer(gate) as server:
        asyncio.run(everything(server.origin))
    assert gate.let_in == 2
    assert leaks(sinks | files(tmp_path), gate.secrets) == []


@pytest.mark.everyday(1)
@pytest.mark.parametrize("kind", ["basic", "digest", "bearer"])
def test_call_to_typed_address_hides_its_secret(tmp_path: Path, kind: str) -> None:
    shell, planted, secret = Shell(tmp_path), KINDS[kind], AWKWARD["spaces and signs"]
    shell.environment |= {f"RPCEXPLORER_URL_{planted.typed.upper()}": secret, "RPCEXPLORER_URL_USERNAME": "ada"}
    gate = Gate(planted, secret)
    with RawServer(gate) as server:
        words = ["--url", server.origin, "--auth", kind, "-i"]
        runs = [(method, shell.run("call", *words, method, "[]")) for method in ("echo.result", "echo.reason")]
    assert gate.let_in == 2
    assert leaks(printed(runs) | files(shell.home, shell.folder), gate.secrets) == []


def test_crash_log_has_no_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A library quotes a header that it rejects."""
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
