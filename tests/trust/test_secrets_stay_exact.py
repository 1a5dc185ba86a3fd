"""Values stay values, and shared files use no secret unasked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.problem import UserError
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.editor import type_in
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received
from tests.text.exchanges import exchange
from tests.trust.planted import spellings
from tests.tui.program import Program, open_program

STORED = "hunter2-the-stored-one"
INLINE = '[profile.shop]\nurl = "{url}"\nauth = {{ kind = "inline", username = "ada"{more} }}\n{rest}\n'


def echo(request: Received) -> bytes:
    return request.reply(result="done")


def params_sent(server: RawServer) -> list[object]:
    return [request.json["params"] for request in server.requests]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = STORED
    return shell


def opened(shell: Shell, person: PersonOnScreen | None = None) -> Explorer:
    explorer = shell.explorer(person)
    explorer.use("shop")
    return explorer


def run(shell: Shell, *drafts: Draft) -> list[Exchange]:
    async def calls() -> list[Exchange]:
        async with opened(shell) as explorer:
            return [await explorer.call(draft) for draft in drafts]

    return asyncio.run(calls())


@pytest.mark.parametrize("more", ["", ', password_member = "text"'])
def test_typed_password_is_not_replaced_by_stored_one(shell: Shell, more: str) -> None:
    typed = '{"user": "bob", "password": "bobs-new-pw", "text": "for bob"}'
    with RawServer(echo) as server:
        shell.sessions(INLINE.format(url=server.origin, more=more, rest=""))
        assert type_in(opened(shell), "user.add", typed) == ""
        again = opened(shell).draft_of("user.add")
        run(shell, Draft("user.add", again))
        record = opened(shell).recent(1)[0]
        (resent,) = run(shell, Draft("user.add", record.params))
    assert again == typed
    (sent,) = params_sent(server)
    assert isinstance(sent, dict)
    assert sent | json.loads(typed) == sent
    assert json.loads(record.params) == json.loads(typed) | {"password": "«not recorded»"}
    assert isinstance(resent.outcome, Refused)
    assert "Replace it with a value" in resent.outcome.sentence


def test_typed_secret_is_restored_from_draft_and_record(shell: Shell) -> None:
    with RawServer(echo) as server:
        shell.sessions(INLINE.format(url=server.origin, more="", rest=""))
        type_in(opened(shell), "m", json.dumps({"note": STORED}))
        draft = opened(shell).draft_of("m")
        run(shell, Draft("m", draft))
        run(shell, Draft("m", opened(shell).recent(1)[0].params))
    assert json.loads(draft) == {"note": "«shop.password»"}
    assert [params["note"] for params in params_sent(server) if isinstance(params, dict)] == [STORED, STORED]


def test_profile_name_is_unchanged_in_records_and_previews(shell: Shell) -> None:
    with RawServer(echo) as server:
        rest = "".join(f'[profile.{name}]\nurl = "http://{name}"\n' for name in ("my-prof", "aaa"))
        shell.sessions(INLINE.format(url=server.origin, more="", rest=rest))
        shell.environment |= {"RPCEXPLORER_MY_PROF_PASSWORD": "value-of-my-prof", "RPCEXPLORER_AAA_PASSWORD": STORED}
        shell.environment["RPCEXPLORER_GONE_PASSWORD"] = "value-of-nobody"
        dry = shell.run("call", "-p", "my-prof", "m", '["value-of-my-prof"]', "--dry-run").text
        run(shell, Draft("m", json.dumps({"own": STORED, "other": "value-of-my-prof", "gone": "value-of-nobody"})))
        record = opened(shell).recent(1)[0]
    assert '"«my-prof.password»"' in dry
    params = {"own": "«shop.password»", "other": "«not recorded»", "gone": "«not recorded»"}
    assert json.loads(record.params) == params


def test_secret_reference_of_another_profile_is_refused(shell: Shell) -> None:
    with RawServer(echo) as server:
        rest = '[profile.other]\nurl = "http://other"\n'
        shell.sessions(INLINE.format(url=server.origin, more="", rest=rest))
        shell.environment["RPCEXPLORER_OTHER_PASSWORD"] = "the-others"
        ran = shell.run("call", "-p", "shop", "m", '{"x": "«other.password»"}')
        dry = shell.run("call", "-p", "shop", "m", '{"x": "«other.password»"}', "--dry-run")
        explorer = opened(shell)
        explorer.history.append(exchange(Result(b"1"), params='{"x": "«other.password»"}', profile="shop"))
        copied = shell.run("copy", "-p", "shop").text
    assert server.requests == []
    assert (ran.code, dry.code) == (2, 2)
    for err in (ran.err, dry.err):
        assert "«other.password» works only with profile other" in err
    assert "RPCEXPLORER_OTHER_PASSWORD" not in copied
    assert "NOT_RECORDED" in copied


HOSTILE = [
    '[profile.shop.method.m]\nparams = { note = "«shop.password»" }',
    '[profile.shop.login]\nparams = { note = "«shop.password»" }',
]


@pytest.mark.parametrize("rest", HOSTILE)
def test_params_of_a_shared_file_use_no_secret(shell: Shell, rest: str) -> None:
    with RawServer(echo) as server:
        shell.sessions(INLINE.format(url=server.origin, more="", rest=rest))
        with suppress(UserError):
            run(shell, Draft("m", opened(shell).draft_of("m")))
        listed = shell.run("profiles", "list")
    assert "this file cannot use secrets" in listed.err
    assert not [params for params in params_sent(server) if isinstance(params, dict) and params.get("note")]


def test_example_from_a_server_uses_no_secret(shell: Shell) -> None:
    example = {"name": "text", "required": True, "schema": {"default": "«shop.password»"}}
    document = {
        "openrpc": "1.2.6",
        "info": {},
        "methods": [{"name": "m", "paramStructure": "by-name", "params": [example]}],
    }

    def answer(request: Received) -> bytes:
        return request.reply(result=document)

    async def discover() -> str:
        async with opened(shell) as explorer:
            await explorer.discover()
            draft = explorer.draft_of("m")
            await explorer.call(Draft("m", draft))
            return draft

    with RawServer(answer) as server:
        shell.sessions(INLINE.format(url=server.origin, more="", rest=""))
        draft = asyncio.run(discover())
    last = params_sent(server)[-1]
    assert json.loads(draft) == {"text": "«shop.password»"}
    assert isinstance(last, dict)
    assert last["text"] == "«shop.password»"


def forged() -> Exchange:
    return exchange(Result(b"1"), method="note.add", params='{"text": "«shop.password»"}', profile="shop")


@asynccontextmanager
async def with_forged_record(shell: Shell, history: str) -> AsyncIterator[tuple[Program, RawServer, bool]]:
    """Open the program on a record of another user; yield also whether the record is this user's."""
    with RawServer(echo) as server:
        shell.sessions(INLINE.format(url=server.origin, more="", rest=history))
        assert (await asyncio.to_thread(shell.run, "profiles", "allow", "shop", "--yes")).code == 0
        explorer = opened(shell, PersonOnScreen())
        explorer.history.append(forged())
        async with open_program(explorer, profile="shop") as program:
            yield program, server, explorer.journal.is_ours(forged(), explorer.profile)


SHARED = 'history = "hist"'


@pytest.mark.thorough
async def test_shared_record_uses_no_secret_without_permission(shell: Shell) -> None:
    async with with_forged_record(shell, SHARED) as (program, server, ours):
        program.calls.again(forged(), ours=ours)
        question = await program.on(Confirm)
        await program.sees("note.add", "/text", "password", "http://127.0.0.1")
        question.dismiss(None)
        await program.on(CallScreen)
        assert json.loads(program.calls.params.text) == {"text": "«not recorded»"}
        await program.sent()
        assert program.calls.exchange is not None
        assert isinstance(program.calls.exchange.outcome, Refused)
        assert server.requests == []


@pytest.mark.thorough
async def test_shared_record_is_sent_unchanged_after_permission(shell: Shell) -> None:
    async with with_forged_record(shell, SHARED) as (program, server, ours):
        program.calls.load(forged(), ours=ours)
        (await program.on(Confirm)).dismiss("insert")
        await program.until(lambda: "«shop.password»" in program.calls.params.text)
        program.calls.again(forged(), ours=ours)
        (await program.on(Confirm)).dismiss("insert")
        await program.sees("✓ result", '"done"')
        (sent,) = params_sent(server)
        assert isinstance(sent, dict)
        assert sent["text"] == STORED


@pytest.mark.thorough
async def test_record_of_own_history_needs_no_permission(shell: Shell) -> None:
    async with with_forged_record(shell, "") as (program, server, ours):
        program.calls.again(forged(), ours=ours)
        await program.sees("✓ result", '"done"')
        (sent,) = params_sent(server)
        assert isinstance(sent, dict)
        assert sent["text"] == STORED


@pytest.mark.thorough
async def test_record_in_shared_folder_needs_permission(shell: Shell) -> None:
    """A record in a shared folder can name a profile with a private history."""
    with RawServer(echo) as server:
        rest = f'{SHARED}\n[profile.prod]\nurl = "{server.origin}"'
        shell.sessions(INLINE.format(url=server.origin, more="", rest=rest))
        assert (await asyncio.to_thread(shell.run, "profiles", "allow", "shop", "--yes")).code == 0
        explorer = opened(shell, PersonOnScreen())
        explorer.history.append(
            exchange(Result(b"1"), method="note.add", params='{"text": "«prod.password»"}', profile="prod")
        )
        async with open_program(explorer, profile="shop") as program:
            await program.press("f6")
            await program.on(HistoryScreen)
            await program.press("p")
            await program.sees("note.add prod")
            await program.press("enter")
            question = await program.on(Confirm)
            await program.sees("Insert your password into this call?")
            question.dismiss(None)
            await program.on(CallScreen)
            await program.sees("«not recorded»")


def test_copied_record_of_another_address_reads_no_variable(shell: Shell) -> None:
    shell.sessions(INLINE.format(url="http://127.0.0.1:9", more="", rest=SHARED))
    for profile in ("shop", "gone"):
        opened(shell).history.append(
            exchange(
                Result(b"1"),
                id=f"id-{profile}",
                params=f'{{"text": "«{profile}.password»"}}',
                profile=profile,
                url="https://evil.example/x",
            )
        )
        for form in ("curl", "python", "httpie", "command"):
            text = shell.run("copy", "-p", "shop", f"id-{profile}", "--as", form).text
            assert "evil.example" in text
            assert "RPCEXPLORER_SHOP" not in text
            assert "RPCEXPLORER_GONE" not in text


def test_stored_password_is_in_no_other_file(shell: Shell) -> None:
    with RawServer(echo) as server:
        shell.sessions(INLINE.format(url=server.origin, more="", rest=""))
        typed = json.dumps({"all": list(spellings(STORED))})
        type_in(opened(shell), "m", typed)
        run(shell, Draft("m", typed))
    written = "".join(shell.files().values())
    assert not [spelled for spelled in spellings(STORED) if spelled in written]
