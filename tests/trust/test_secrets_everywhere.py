"""Planted secrets are in no file and no output after all commands ran.

The server repeats each secret in each of its spellings in every part of its responses. Only the socket may contain it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn, get_args

import pytest

from rpcexplorer.__main__ import main
from rpcexplorer.explorer import Explorer
from rpcexplorer.export import formats
from rpcexplorer.export.formats import FORMS as COPIES
from rpcexplorer.export.request import Subject, subject_of
from rpcexplorer.model.destination import DestinationChanged, Nobody
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.event import Event, EventKind
from rpcexplorer.model.exchange import Exchange
from tests.export.snippets import SNIPPETS
from tests.fakes.editor import type_in
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, Received, http_reply
from tests.trust.planted import AWKWARD, Parrot, leaks, spellings

SESSION = "s3ss10n+of/a.kind=%41=="
"""A cookie cannot hold characters as awkward as the others."""
PROFILES = """\
version = 1
default = "cookie"

[profile.cookie]
url = "{url}"
auth = {{ kind = "cookie", username = "ada" }}

[profile.inline]
url = "{url}"
auth = {{ kind = "inline", username = "ada" }}
"""
CHECKS = """
call.login = { method = "auth", expect.values = { "/sessionid" = 1, "" = 1 } }
call.values = { method = "echo.result", expect.values = { "/0" = 1, "/9" = "x", "" = 1 } }
call.whole = { method = "echo.result", expect.result_json = "[]" }
call.schema = { method = "echo.result", expect.schema = { items.enum = [1] } }
call.jq = { method = "echo.result", expect.jq = [".", ".[0] | @base64", "error(.[0])", ".[:60] | join(\\"\\")"] }
call.outcome = { method = "echo.error", expect.outcome = "result" }
call.code = { method = "echo.error", expect.code = 1 }
call.page = { method = "echo.page", expect.outcome = "result" }
call.cut = { method = "echo.cut", expect.outcome = "result" }
"""
"""Checks that fail, each because of a response with secrets."""
FORMS: tuple[list[str], ...] = ([], ["--body"], ["--response", "--include"])
CALLS = ("echo.result", "echo.error", "echo.reason", "echo.redirect", "echo.cut")
EVERY = pytest.mark.parametrize("secret", AWKWARD.values(), ids=AWKWARD.keys())


def files(*folders: Path) -> dict[str, str]:
    """Return every file that was written, except the secret store."""
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_text(errors="replace") for path in found if path.name != "secrets.toml"}


def printed(runs: list[tuple[str, Ran]]) -> dict[str, str]:
    """Return everything that was printed, by command."""
    texts = {f"{number} {name}": ran for number, (name, ran) in enumerate(runs)}
    both = {f"{name} stdout": ran.out.decode(errors="replace") for name, ran in texts.items()}
    return both | {f"{name} stderr": ran.err for name, ran in texts.items()}


def commands(secret: str, url: str) -> Iterator[list[str]]:
    """Yield the commands of a typical day."""
    for profile in ("cookie", "inline"):
        for method in CALLS:
            yield from (
                ["call", "-p", profile, method, "{}", *form] for form in (FORMS if method == CALLS[0] else FORMS[2:])
            )
        yield ["call", "-p", profile, "echo.result", json.dumps({"p": f"«{profile}.password»"})]
        yield ["call", "-p", profile, "echo.result", json.dumps({"said": secret, "in": f"x{secret}x"}), "--dry-run"]
        yield ["call", "-p", profile, "echo.result", json.dumps({"said": secret, "in": f"x{secret}x"}), "--id", profile]
        yield ["notify", "-p", profile, "echo.result", "{}"]
        yield ["batch", "-p", profile, "-i"]
        yield ["methods", "-p", profile, "--refresh"]
        yield ["methods", "-p", profile, "--json"]
        yield from (["check", "-p", profile, *form] for form in ([], ["--tap"], ["--json"]))
        yield ["check", "-p", profile, "--junit", f"{profile}.xml", "--case", f"{profile}.toml"]
        yield ["profiles", "show", profile]
        yield ["profiles", "secret", profile]
        yield from (["copy", profile, "--as", form] for form in COPIES)
    yield ["copy", "cookie", "inline", "--as", "report"]
    yield from (["call", "--url", url, "--auth", kind, "echo.result", "{}", "-i"] for kind in ("cookie", "inline"))
    yield from ([verb, "-p", "cookie"] for verb in ("login", "logout"))
    yield ["call", "--url", url, "--auth", "cookie", "echo.over", "-i"]
    yield ["login", "-p", "cookie"]
    yield ["call", "-p", "cookie", "echo.over", "-i"]
    yield ["login", "-p", "cookie"]  # a forgotten secret can no longer be recognized
    yield from (["history", "show", "-p", "cookie", *part] for part in ([], ["--params"], ["--body"]))
    yield from (["history", "list", "-n", "500", *form] for form in ([], ["--json"]))
    yield ["history", "search", "echo"]
    yield ["history", "search", secret]
    yield ["replay", "inline", "cookie"]
    yield ["history", "export", "--last", "500", "--jsonl"]
    yield ["history", "export", "--last", "3", "--note", f"of {secret}", "-o", "case.toml"]
    yield ["history", "import", "case.toml"]
    yield ["replay", "case.toml", "-p", "inline", "--json"]
    yield ["profiles", "list"]


@pytest.mark.everyday(1)
@EVERY
def test_no_command_prints_or_writes_a_secret(shell: Shell, secret: str) -> None:
    parrot = Parrot(secret, session=SESSION)
    batch = json.dumps([{"method": "echo.result", "params": {}}, {"method": "echo.error", "params": {"said": secret}}])
    with RawServer(parrot) as server:
        shell.sessions(CHECKS + PROFILES.format(url=server.origin))
        shell.environment |= {"RPCEXPLORER_INLINE_PASSWORD": secret, "RPCEXPLORER_URL_PASSWORD": secret}
        shell.environment["GITHUB_ACTIONS"] = "true"
        shell.environment["RPCEXPLORER_URL_USERNAME"] = "ada"
        explorer = shell.explorer()
        explorer.secrets.save(explorer.profiles.profiles["cookie"], "password", secret)
        day = commands(secret, server.origin)
        runs = [(" ".join(words[:4]), shell.run(*words, stdin=batch.encode())) for words in day]
        again = [["call", "-p", "inline", "echo.result", "{}", "-i"], ["history", "show", "inline"], ["methods"]]
        runs += [(words[0], shell.run(*words, terminal=True)) for words in again]
        checked = shell.run("profiles", "check")
    assert any(json.dumps(secret, ensure_ascii=False).encode() in heard for heard in parrot.heard)
    assert sum(ran.code in {0, 1, 4, 5} for _, ran in runs) > len(runs) * 0.9
    assert leaks(printed([*runs, ("check", checked)]) | files(shell.home, shell.folder), [secret, SESSION]) == []
    assert checked.code == 0, checked.err


class Typist(Nobody):
    """A user who types a password when asked for one, and confirms everything."""

    is_there = True

    def __init__(self, value: str) -> None:
        self.value = value

    async def secret(self, question: str, *, field: str = "password", store: object = None) -> tuple[str, bool]:
        return self.value, False

    async def agrees(self, question: str, title: str = "") -> bool:
        return True

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        return True


@pytest.mark.thorough
@EVERY
def test_typed_password_is_known_only_to_the_server(tmp_path: Path, secret: str) -> None:
    parrot = Parrot(secret, session=SESSION)
    (tmp_path / "work").mkdir()
    environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    sinks: dict[str, str] = {}

    async def use(explorer: Explorer, profile: str) -> None:
        explorer.use(profile)
        sinks[f"{profile} first"] = repr(await explorer.call(Draft("echo.error", "{}")))
        typed = Draft("echo.result", json.dumps({"said": secret}))
        exchange = await explorer.call(typed)
        sinks[f"{profile} response"] = f"{exchange.outcome!r} {exchange.response.body!r} {exchange.response.headers}"
        sinks[f"{profile} batch"] = repr(await explorer.call(Batch('[{"method": "echo.error"}]')))
        sinks[f"{profile} found"] = repr(await explorer.discover())
        sinks[f"{profile} test"] = repr(await explorer.test(explorer.profiles.profiles[profile]))
        sinks[f"{profile} preview"] = repr(explorer.preview(typed))
        sinks[f"{profile} recent"] = repr(explorer.recent(50))
        credentials = explorer.credentials
        assert explorer.profile is not None
        for what in (typed, exchange):
            subject = subject_of(explorer.profile, what, explorer.preview, secrets=credentials.in_use(), ours=True)
            assert isinstance(subject, Subject)
            for kind in SNIPPETS:
                sinks[f"{profile} {type(what).__name__} {kind}"] = formats.render(kind, subject).decode()
        assert type_in(explorer, "echo.result", typed.text) == ""
        assert explorer.journal.annotate(explorer.profile, exchange.id, name=f"with {secret}", note=secret) == ""
        explorer.remembered.add_expression("filter", f'.[] | select(. == "{secret}")')
        sinks[f"{profile} held"] = (
            f"{explorer.credentials.in_use()} {explorer.credentials.state(explorer.profiles.profiles[profile])}"
        )

    async def everything(url: str) -> None:
        (tmp_path / "work" / "sessions.toml").write_text(PROFILES.format(url=url))
        person = Typist(secret)
        async with Explorer.open(folder=tmp_path / "work", environment=environment, person=person) as explorer:
            await use(explorer, "cookie")
            await use(explorer, "inline")
            sinks["history"] = repr([record for record in explorer.history.all() if isinstance(record, Exchange)])

    with RawServer(parrot) as server:
        asyncio.run(everything(server.origin))
    assert any(json.dumps(secret, ensure_ascii=False).encode() in heard for heard in parrot.heard)
    sinks |= files(tmp_path)
    assert any("annotated" in name or "history" in name for name in sinks)
    assert leaks(sinks, [secret, SESSION]) == []


@pytest.mark.parametrize("place", ["rpcexplorer.explorer.Explorer.open", "rpcexplorer.explorer.Explorer.call"])
def test_crash_prints_no_value_and_logs_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], place: str
) -> None:
    secret = AWKWARD["quotes and backslashes"]

    def crash(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(f"with {secret} in it", secret)

    monkeypatch.setattr(place, crash)
    monkeypatch.setattr(sys, "argv", ["rpcexplorer", "call", "-p", "cookie", "ping"])
    monkeypatch.setenv("RPCEXPLORER_HOME", str(tmp_path))
    (tmp_path / "sessions.toml").write_text(PROFILES.format(url="http://127.0.0.1:9"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RPCEXPLORER_COOKIE_PASSWORD", secret)
    assert main() not in {0, 1, 2}
    out, err = capfdbinary.readouterr()
    assert b"RuntimeError" in err
    label = "cookie.password" if place.endswith("call") else "RPCEXPLORER_COOKIE_PASSWORD"  # no profile was read before
    logs = [file for file in tmp_path.rglob("crashes/*.txt") if f"with «{label}» in it" in file.read_text()]
    assert [str(file).encode() in err for file in logs] == [True]
    assert leaks({"stdout": out.decode(), "stderr": err.decode()} | files(tmp_path), [secret]) == []


def test_short_password_is_hidden_by_its_position(shell: Shell) -> None:
    reply = Parrot("tiny5", session=SESSION)
    with RawServer(reply) as server:
        shell.sessions(PROFILES.format(url=server.origin))
        ran = shell.run("call", "-p", "inline", "echo.result", "{}", RPCEXPLORER_INLINE_PASSWORD="tiny5")
    assert json.loads(ran.out)[-1] == {"password": "«inline.password»", "n": 1.1}


def test_hidden_secret_in_a_response_is_reported(shell: Shell) -> None:
    secret = AWKWARD["six characters"]
    with RawServer(Parrot(secret, session=SESSION)) as server:
        shell.sessions(PROFILES.format(url=server.origin))
        ran = shell.run("call", "-p", "inline", "echo.result", "{}", RPCEXPLORER_INLINE_PASSWORD=secret)
    assert json.loads(ran.out)[0] == "«inline.password»"
    assert "it is shown as" in ran.err


@pytest.mark.everyday(1)
@EVERY
def test_no_event_is_recorded_with_a_secret(shell: Shell, secret: str) -> None:
    shell.sessions(PROFILES.format(url="ws://127.0.0.1:9"))
    explorer = shell.explorer(RPCEXPLORER_INLINE_PASSWORD=secret)
    inline, now = explorer.profiles.profiles["inline"], datetime.now(UTC)
    for text in (*spellings(secret), *(json.dumps(spelled) for spelled in spellings(secret))):
        answer = b'"result":' + json.dumps(text).encode()
        for kind in get_args(EventKind):
            event = Event(now, kind, f'{{"params":["{text}"]}}'.encode(), text, b"1", remark=text, answer=answer)
            explorer.journal.record_event(event, inline)
    assert explorer.put_unsaved_aside() == ""
    listed = [shell.run("history", "list", "--outcome", "event", "-n", "9999", *form) for form in ([], ["--json"])]
    assert len(listed[0].text.splitlines()) == 2 * len(get_args(EventKind)) * len(spellings(secret))
    assert leaks(printed([("list", ran) for ran in listed]) | files(shell.home), [secret]) == []


@pytest.mark.thorough
def test_secret_at_end_of_large_response_is_hidden(shell: Shell) -> None:
    secret, filling = AWKWARD["unicode"], "é" * 1_000_000
    body = json.dumps({"jsonrpc": "2.0", "id": "x", "result": [filling, secret]}).encode()
    with RawServer(http_reply(body)) as server:
        shell.sessions(PROFILES.format(url=server.origin))
        ran = shell.run("call", "-p", "inline", "any", "--id", "x", RPCEXPLORER_INLINE_PASSWORD=secret)
    assert json.loads(ran.out) == [filling, "«inline.password»"]


def test_spellings_are_many_and_not_empty() -> None:
    for secret in AWKWARD.values():
        assert len(spellings(secret)) >= 5  # The hex digits have no letters in hexadecimal.
        assert all(len(spelled) >= 6 for spelled in spellings(secret))


def test_unknown_session_of_a_response_is_not_recorded(shell: Shell) -> None:
    token, session = "9f86d081884c7d659a2feaa0c55ad015", "0424bd59b807674191e7d77572075f33"
    link = f"https://ada:0ther-pass@hooks.example/v3/{token}/x?access_token=0ther-token"

    def answer(request: Received) -> bytes:
        call = request.json
        result = session if call["method"] == "user.login" else {"see": link}
        return request.reply(result=result, headers=[("Set-Cookie", "other=0ther-cookie"), ("Location", link)])

    with RawServer(answer) as server:
        node = f"{server.origin}/v3/{token}"
        for method in ("user.login", "hook.set"):
            ran = shell.run("call", "--url", node, method, json.dumps({"hook": link}))
            assert ran.code == 0
        shown = [
            shell.run(*words) for words in (["history", "show"], ["history", "show", "--json"], ["history", "list"])
        ]
        shown += [shell.run("copy", "--as", form) for form in COPIES]
        checked = shell.run("profiles", "check")
    # the user who asked for it sees it
    assert (session.encode() in ran.out, b"0ther-token" in ran.out) == (False, True)
    sinks = printed([(str(at), output) for at, output in enumerate(shown)]) | files(shell.home, shell.folder)
    assert leaks(sinks, [token, session, "0ther-pass", "0ther-token", "0ther-cookie"]) == []
    assert "«not recorded»" in "".join(sinks.values())
    assert checked.code == 0, checked.err


def test_expected_secret_is_in_no_report_of_checks(shell: Shell) -> None:
    secret = AWKWARD["quotes and backslashes"]
    text = json.dumps(secret)
    expect = f'values = {{ "" = {text} }}\nresult_json = {json.dumps(text)}\nschema = {{ const = {text} }}\n'
    checks = f'[call.x]\nmethod = "echo.result"\n[call.x.expect]\n{expect}jq = [{json.dumps(f". == {text}")}]\n'
    with RawServer(Parrot("another password", session=SESSION)) as server:
        sessions = shell.sessions(PROFILES.format(url=server.origin) + checks)
        shell.environment |= {"RPCEXPLORER_INLINE_PASSWORD": secret, "GITHUB_ACTIONS": "true"}
        forms: tuple[list[str], ...] = (["--junit", "out.xml", "--case", "case.toml"], ["--tap"], ["--json"])
        runs = [("check", shell.run("check", "-p", "inline", *form)) for form in forms]
    sessions.unlink()
    assert [ran.code for _, ran in runs] == [6, 6, 6]
    assert all('expected "«inline.password»"' in ran.text for _, ran in runs[:2])
    assert leaks(printed(runs) | files(shell.home, shell.folder), [secret]) == []


def test_unknown_session_is_in_no_report_of_checks(shell: Shell) -> None:
    session, link = "0424bd59b807674191e7d77572075f33", "https://hooks.example/?access_token=0ther-token"

    def answer(request: Received) -> bytes:
        call = request.json
        if call["method"] == "hook.set":
            return http_reply(b"", 307, {"Location": link})
        return request.reply(result=session)

    jq = '".", "explode | implode", "error(.)"'
    expect = f'values = {{ "" = "x" }}, result_json = "1", schema.const = "x", jq = [{jq}]'
    checks = f'[call]\nlogin = {{ method = "user.login", expect = {{ {expect} }} }}\n'
    checks += 'hook = { method = "hook.set", expect.outcome = "result" }\n'
    with RawServer(answer) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n{checks}')
        forms: tuple[list[str], ...] = (["--junit", "out.xml", "--case", "case.toml"], ["--tap"], ["--json"])
        runs = [("check", shell.run("check", *form, GITHUB_ACTIONS="true")) for form in forms]
    assert [ran.code for _, ran in runs] == [5, 5, 5]
    assert 'result: expected 1, got "«not recorded»"' in runs[0][1].text
    assert leaks(printed(runs) | files(shell.home, shell.folder), [session, "0ther-token"]) == []
