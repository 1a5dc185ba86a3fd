"""The facade, as front ends and programs use it."""

from __future__ import annotations

import asyncio
import pydoc
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.discovery.interview import discovery_of
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange, Refused, Unreached
from rpcexplorer.model.expectation import Expectation
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import Changes, Checked, UserError
from rpcexplorer.model.profile import Answer, MethodNote, Profile, ad_hoc
from rpcexplorer.rpc.messages import Result
from tests.fakes.editor import type_in
from tests.fakes.explorer import open_explorer
from tests.fakes.peers import Peer, framed, peer
from tests.fakes.wire import NEXT, RawServer, http_reply

SHOP_IS_KNOWN = {"RPCEXPLORER_SHOP_USERNAME": "ada", "RPCEXPLORER_SHOP_PASSWORD": "hunter2hunter2"}
REPLY = http_reply(b'{"jsonrpc":"2.0","id":"x","result":{"session":"s3ss10n-s3ss10n","n":1.10}}')


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Explorer]:
    return partial(open_explorer, tmp_path)


def call(explorer: Explorer, draft: Draft) -> Exchange:
    async def run() -> Exchange:
        async with explorer:
            return await explorer.call(draft, id="x")

    return asyncio.run(run())


def test_call_is_recorded_with_written_params(opened: Callable[..., Explorer]) -> None:
    with RawServer(REPLY) as server:
        explorer = opened(
            f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n',
            RPCEXPLORER_SHOP_PASSWORD="hunter2hunter2",
        )
        explorer.use()
        exchange = call(explorer, Draft("arg_test", '{ "n": 1.10 }'))
    assert isinstance(exchange.outcome, Result)
    (recorded,) = explorer.history.newest(1)
    assert isinstance(recorded, Exchange)
    assert (recorded.params, recorded.profile, recorded.id) == ('{ "n": 1.10 }', "shop", "x")
    assert recorded.outcome == exchange.outcome


def test_history_is_valid_toml(opened: Callable[..., Explorer], tmp_path: Path) -> None:
    with RawServer(REPLY) as server:
        explorer = opened(f'[profile.shop]\nurl = "{server.origin}"\n')
        explorer.use("shop")
        call(explorer, Draft("ping"))
        call(explorer, Draft("ping"))
    (file,) = (tmp_path / "home" / "state" / "history").glob("*.toml")
    assert [block["method"] for block in tomllib.loads(file.read_text())["call"]] == ["ping", "ping"]


def test_unsent_call_is_not_recorded(opened: Callable[..., Explorer]) -> None:
    explorer = opened('[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = { kind = "inline" }\n')
    explorer.use()
    assert isinstance(call(explorer, Draft("arg_test")).outcome, Refused)
    assert list(explorer.history.newest(1)) == []


def test_unwritable_history_loses_no_exchange(opened: Callable[..., Explorer], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "state").write_text("a file where the folder should be")
    with RawServer(REPLY) as server:
        explorer = opened(f'[profile.shop]\nurl = "{server.origin}"\n')
        explorer.use()
        exchange = call(explorer, Draft("ping"))
        assert isinstance(exchange.outcome, Result)
        assert "state" in explorer.journal.problem
        (tmp_path / "home" / "state").unlink()
        call(explorer, Draft("ping"))
    assert explorer.journal.problem == ""
    assert len(list(explorer.history.newest(9))) == 2


def test_secret_given_by_position_is_not_recorded(opened: Callable[..., Explorer]) -> None:
    with RawServer(REPLY) as server:
        explorer = opened(
            f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie" }}\n',
            RPCEXPLORER_SHOP_SESSION="s3ss10n-s3ss10n",
        )
        explorer.use()
        call(explorer, Draft("auth", '{"password": "pw", "x": "s3ss10n-s3ss10n"}'))
    (recorded,) = explorer.history.newest(1)
    assert isinstance(recorded, Exchange)
    assert recorded.params == '{"password": "«not recorded»", "x": "«shop.session»"}'
    assert b"s3ss10n" not in recorded.response.body


@pytest.mark.parametrize(
    ("auth", "label", "words"),
    [
        ('{ kind = "cookie" }', "Login", "Not reached. The user name and the password are missing."),
        ('{ kind = "cookie", username = "ada" }', "Login", "Not reached. The password is missing."),
        ('{ kind = "inline", username = "known" }', "Credentials", "Not reached. The password is missing."),
        ('{ kind = "none" }', "Login", "Calls are sent without credentials."),
    ],
)
def test_missing_response_reveals_nothing_about_the_login(
    opened: Callable[..., Explorer], auth: str, label: str, words: str
) -> None:
    explorer = opened(f'[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = {auth}\n')
    login = asyncio.run(explorer.test(explorer.profiles.profiles["shop"])).checks[-1]
    assert (login.label, login.words) == (label, words)
    known = opened(f'[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = {auth}\n', **SHOP_IS_KNOWN)
    last = asyncio.run(known.test(known.profiles.profiles["shop"])).checks[-1]
    assert last.words == (words if "none" in auth else "Not reached.")


def test_page_instead_of_response_reveals_no_login(opened: Callable[..., Explorer]) -> None:
    with RawServer(http_reply(b"<h1>not here</h1>", status=404)) as server:
        explorer = opened(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie" }}\n')
        login = asyncio.run(explorer.test(explorer.profiles.profiles["shop"])).checks[-1]
    assert (login.label, login.state, login.words) == (
        "Login",
        "unknown",
        "Not reached. The user name and the password are missing.",
    )


OLD = '{{"id":"x","result":{result},"error":{error}}}'
"""A response in the form of JSON-RPC 1.0."""


def test_calls_of_a_profile_share_a_connection(
    opened: Callable[..., Explorer],
) -> None:
    async def run(explorer: Explorer, profile: Profile) -> list[bool]:
        async with explorer:
            reused = [(await explorer.call(Draft("ping"))).response.phases.kept for _ in range(2)]
            explorer.use(replace(profile, headers=(("X-Tenant", "acme"),)))
            reused.append((await explorer.call(Draft("ping"))).response.phases.kept)
            assert await asyncio.to_thread(server.wait_for_hangup)
            server.forget_hangup()
        assert await asyncio.to_thread(server.wait_for_hangup)
        return reused

    with RawServer([REPLY, NEXT]) as server:
        explorer = opened(f'[profile.shop]\nurl = "{server.origin}"\n')
        profile = explorer.use("shop")
        assert asyncio.run(run(explorer, profile)) == [False, True, False]
    assert server.connections == 2


@pytest.mark.parametrize(
    ("keeps", "edit"),
    [
        (True, {"description": "Node"}),
        (True, {"timeout": 5.0}),
        (True, {"methods": {"ping": MethodNote(safe=True)}}),
        (False, {"methods": {"initialize": MethodNote(params={"capabilities": {}})}}),
        (False, {"framing": "length"}),
        (False, {"envelope": "1.0"}),
        (False, {"answers": {}}),
        (False, {"auth": InlineAuth(username="ada")}),
        (False, {"ca_file": "/ca.pem"}),
    ],
)
def test_edit_keeps_a_connection_that_still_fits(
    opened: Callable[..., Explorer], keeps: bool, edit: dict[str, Any]
) -> None:
    async def answer(peer: Peer) -> None:
        await peer.receive()
        await peer.send(peer.frame(b'{"id":7,"method":"ask"}'))
        await peer.receive()

    async def run(explorer: Explorer) -> Event:
        events: asyncio.Queue[Event] = asyncio.Queue()
        explorer.hooks = Hooks(on_event=lambda _, event: events.put_nowait(event), can_ask=lambda _: True)
        async with peer(framed(answer, "lines")) as port, explorer:
            before = Profile("live", f"tcp://127.0.0.1:{port}", answers={"*": Answer(ask=True)})
            explorer.use(before)
            waiting = asyncio.create_task(explorer.call(Draft("wait"), timeout=60))
            asked = await events.get()
            explorer.use(after := replace(before, **edit))
            connection = explorer.connection_of(after)
            assert connection is not None
            await explorer.close_edited()
            assert connection.is_open is keeps
            assert explorer.connection_of(after) is (connection if keeps else None)
            if keeps:
                assert (await explorer.client_of(after)).profile is after
                assert explorer.answer(after, asked, '"result":1') == ""
                await explorer.close_connection()
            outcome = (await waiting).outcome
            assert isinstance(outcome, Unreached)
            assert outcome.step == "closed"
        return asked

    assert asyncio.run(run(opened(""))).answer == (b'"result":1' if keeps else None)


def test_old_json_rpc_is_reported_once_per_profile(opened: Callable[..., Explorer]) -> None:
    good, bad = OLD.format(result=1, error="null"), OLD.format(result="null", error='{"code":1,"message":"m"}')
    scripts = [http_reply(body.encode()) for body in (good, good, bad, f"[{good}]", bad, good)]

    async def run() -> list[Exchange]:
        drafts: list[Draft | Batch] = [Draft("a"), Draft("a"), Draft("a"), Batch('[{"method":"a","id":"x"}]')]
        async with explorer:
            explorer.use("shop")
            exchanges = [await explorer.call(draft, id="x") for draft in drafts]
            explorer.use("other")
            return [*exchanges, *[await explorer.call(Draft("a"), id="x") for _ in range(2)]]

    with RawServer(*scripts) as server:
        explorer = opened(f'[profile.shop]\nurl = "{server.origin}"\n[profile.other]\nurl = "{server.origin}"\n')
        exchanges = asyncio.run(run())
    said = [note for exchange in exchanges for note in exchange.notes]
    assert [bool(exchange.notes) for exchange in exchanges] == [True, False, False, False, True, False]
    assert all("as in JSON-RPC 1.0). rpcexplorer handles this and reports it only once" in note for note in said)
    assert [exchange.remarks for exchange in exchanges] == [()] * 6
    assert [exchange.exit_code for exchange in exchanges] == [0, 0, 1, 0, 1, 0]
    assert not any(
        record.notes or record.remarks for record in explorer.history.newest(9) if isinstance(record, Exchange)
    )


def test_unknown_profile_raises_and_names_the_nearest(opened: Callable[..., Explorer]) -> None:
    explorer = opened('[profile.staging]\nurl = "https://x.example"\n')
    chosen = explorer.use("staging")
    with pytest.raises(UserError, match="staging"):
        explorer.use("stagin")
    assert explorer.profile is chosen


def test_explorer_without_profile_says_what_to_do(opened: Callable[..., Explorer]) -> None:
    with pytest.raises(UserError, match="Choose one first"):
        opened("").methods()


def test_typed_address_with_secret_lists_its_calls(tmp_path: Path) -> None:
    token = "0123456789abcdef0123456789abcdef"
    made = open_explorer(tmp_path)
    with RawServer(http_reply(b"no", 403, reason="Forbidden")) as server:
        made.use(ad_hoc(f"{server.origin}/v3/{token}"))
        exchange = call(made, Draft("ping"))
    assert token not in repr(exchange)
    assert [record.id for record in made.recent(5)] == [exchange.id]


def test_public_names_are_listed_without_their_imports() -> None:
    script = "import rpcexplorer, sys; print(*dir(rpcexplorer)); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names, modules = map(str.split, ended.stdout.splitlines())
    assert {"Client", "Explorer", "Result", "Exchange", "BatchExchange", "CookieAuth"} <= {*names}
    assert not [name for name in modules if name.startswith("rpcexplorer.")]


def test_help_shows_public_classes_and_methods() -> None:
    import rpcexplorer

    shown = pydoc.plain(pydoc.render_doc(rpcexplorer))
    assert "class Client(" in shown
    assert "class Explorer(" in shown
    methods = ("call", "batch", "notify", "listen", "close", "login")
    documented = [rpcexplorer.Result, rpcexplorer.Exchange, *(getattr(rpcexplorer.Client, name) for name in methods)]
    assert all(item.__doc__ for item in documented)


def test_client_settings_are_keys_of_a_profile() -> None:
    import rpcexplorer

    assert {*rpcexplorer.ClientSettings.__annotations__} <= {*Profile.__struct_fields__}


def test_every_public_name_exists() -> None:
    import rpcexplorer

    assert all(getattr(rpcexplorer, name) for name in rpcexplorer.__all__)
    with pytest.raises(AttributeError):
        _ = rpcexplorer.nonsense


SAFE = '[profile.shop]\nurl = "{url}"\n[profile.shop.method.get]\nparams = {{ id = 1 }}\nsafe = {safe}\n'


@pytest.mark.parametrize(("safe", "start"), [("true", '{"id": 7}'), ("false", '{\n  "id": 1\n}')])
def test_method_starts_with_draft_last_call_or_params(opened: Callable[..., Explorer], safe: str, start: str) -> None:
    with RawServer(REPLY) as server:
        explorer = opened(SAFE.format(url=server.origin, safe=safe))
        explorer.use()
        assert explorer.draft_of("get") == '{\n  "id": 1\n}'
        call(explorer, Draft("get", '{"id": 7}'))
    assert explorer.draft_of("get") == start
    assert explorer.draft_of("get", called=False) == '{\n  "id": 1\n}'
    type_in(explorer, "get", "[typed")
    assert explorer.draft_of("get") == "[typed"


def test_method_unknown_to_the_server_is_unlisted(opened: Callable[..., Explorer]) -> None:
    gone = http_reply(b'{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}')
    with RawServer(gone) as server:
        profile = f'[profile.shop]\nurl = "{server.origin}"\nconfirm = "unsafe"\n'
        explorer = opened(profile)
        explorer.use()
        assert not explorer.to_ask_about([Draft("ping")])
        call(explorer, Draft("ping"))
        call(explorer, Draft("typo"))
        again = opened(profile)
        again.use()
    for each in (explorer, again):
        assert list(each.methods()) == ["arg_test", "auth"]
        assert each.to_ask_about([Draft("ping")])


def test_reload_changes_only_changed_profiles(opened: Callable[..., Explorer], tmp_path: Path) -> None:
    explorer = opened('[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = { kind = "inline", username = "ada" }\n')
    filed = explorer.use("shop")
    other = replace(filed, auth=InlineAuth(username="bob"))
    explorer.use(other)
    explorer.reload()
    assert explorer.profile == other
    (tmp_path / "sessions.toml").write_text('[profile.shop]\nurl = "http://127.0.0.1:10"\n')
    explorer.reload()
    assert explorer.profile is not None
    assert explorer.profile.url == "http://127.0.0.1:10"
    used = explorer.profile
    (tmp_path / "sessions.toml").write_text("[profile.")
    explorer.reload()
    assert explorer.profile is used


MINE = '[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = {{ kind = "inline", username = "ada" }}\n{}\n'
FORM = [("content_type", "text/plain"), ("accept", "text/html"), ("empty_params", "omit")]


@pytest.fixture
def shop(opened: Callable[..., Explorer]) -> Explorer:
    """Open an explorer with a stored password and a typed session."""
    explorer = opened(MINE.format(""))
    profile = explorer.use()
    explorer.secrets.save(profile, "password", "hunter2hunter2")
    explorer.credentials.hold(profile, "session", "s3ss10n-s3ss10n", keep=False)
    return explorer


@pytest.mark.parametrize(
    "values",
    [
        {"/user": "hunter2hunter2"},
        {"": {"users": [{"hunter2hunter2": 1}]}},
        {"/s3ss10n-s3ss10n": 1},
        {"/user": "«not recorded»"},
    ],
)
def test_secret_is_not_written_as_expected_value(shop: Explorer, values: dict[str, Any]) -> None:
    file = shop.profiles.files[0]
    call = SavedCall("x", "ping", file=str(file), profile="shop")
    assert shop.save_call(call) is None
    before = file.read_bytes()
    problem = shop.expect(call, {"values": values})
    assert problem is not None
    assert problem.sentence == "the value contains a secret. Expect another value"
    assert file.read_bytes() == before


def test_expectation_counts_at_once(shop: Explorer) -> None:
    call = SavedCall("x", "ping", file=str(shop.profiles.files[0]), profile="shop")
    assert shop.save_call(call) is None
    assert shop.expect(call, {"values": {"/user": "Ada"}}) is None
    assert shop.saved_calls()["x"].expect == Expectation(values=(("/user", '"Ada"'),))


def held_back(explorer: Explorer) -> bool:
    """Return whether password and session are blocked."""
    profile = explorer.profiles.profiles["shop"]
    states = [explorer.credentials.is_known(profile, field) for field in ("password", "session")]
    assert states[0] == states[1]
    return not states[0]


def accept(explorer: Explorer, changes: Changes, *keys: str) -> None:
    profile, file = explorer.profiles.profiles["shop"], explorer.profiles.files[0]
    assert explorer.apply(profile, changes, file, keys) is None


@pytest.mark.parametrize("change", FORM)
def test_accepted_request_form_needs_no_second_yes(shop: Explorer, change: tuple[str, str]) -> None:
    accept(shop, (change,))
    assert not held_back(shop)


@pytest.mark.parametrize("change", FORM)
def test_request_form_from_a_file_is_asked_about(shop: Explorer, change: tuple[str, str]) -> None:
    shop.profiles.files[0].write_text(MINE.format(f'{change[0]} = "{change[1]}"'))
    shop.reload()
    assert held_back(shop)


def test_path_that_was_not_accepted_is_asked_about(shop: Explorer) -> None:
    accept(shop, (("path", "/a"), FORM[0]))
    assert held_back(shop)
    accept(shop, (("path", "/b"),), "path")
    assert held_back(shop), "it was blocked before"


def test_accepted_keys_need_no_second_yes(shop: Explorer) -> None:
    accept(shop, (("path", "/a"), ("auth.kind", "basic"), FORM[0]), "path", "auth.kind")
    assert not held_back(shop)


def test_another_server_is_asked_about(shop: Explorer) -> None:
    accept(shop, (("url", "http://127.0.0.1:10"),), "url", "path")
    assert held_back(shop)


def test_accepted_preset_brings_its_values_along(shop: Explorer) -> None:
    accept(shop, (("preset", "zabbix"), ("auth.kind", "cookie")), "preset", "auth.kind")
    assert shop.profiles.profiles["shop"].path == "/api_jsonrpc.php"
    assert not held_back(shop)


@pytest.mark.parametrize(
    "dormant",
    ['login = { method = "note.add", params = { text = "{password}" } }', 'headers = { X-Tenant = "evil" }'],
)
def test_accepted_auth_frees_no_other_key(shop: Explorer, dormant: str) -> None:
    basic = MINE.format("").replace("inline", "basic")
    shop.profiles.files[0].write_text(basic)
    shop.reload()
    profile = shop.profiles.profiles["shop"]
    shop.secrets.save(profile, "password", "hunter2hunter2")
    shop.profiles.files[0].write_text(basic + dormant)
    shop.reload()
    accept(shop, (("auth.kind", "cookie"),), "auth.kind")
    now = shop.profiles.profiles["shop"]
    assert now.auth.kind == "cookie"
    assert not shop.credentials.is_known(now, "password")


def test_change_by_someone_else_meanwhile_is_not_accepted(shop: Explorer) -> None:
    profile, file = shop.profiles.profiles["shop"], shop.profiles.files[0]
    file.write_text(MINE.format('path = "/log"'))
    assert shop.apply(profile, (FORM[0],), file, ["path"]) is None
    assert held_back(shop)


def test_accepted_auth_gets_no_secret_of_another_server(shop: Explorer) -> None:
    hostile = '[profile.shop]\nurl = "http://127.0.0.1:10"\nauth = { kind = "none" }\n'
    shop.profiles.files[0].write_text(hostile)
    shop.reload()
    accept(shop, (("auth.kind", "inline"), ("auth.username", "ada")), "auth.kind", "auth.username")
    assert held_back(shop)


def test_typed_secret_of_address_survives_changed_request_form(opened: Callable[..., Explorer]) -> None:
    explorer = opened("")
    profile = explorer.use(ad_hoc("http://127.0.0.1:9", InlineAuth("ada")))
    explorer.credentials.hold(profile, "password", "hunter2hunter2", keep=False)
    explorer.use_changed(changed := replace(profile, content_type="text/plain"))
    assert explorer.credentials.is_known(changed, "password")


def test_explorer_without_calls_or_drafts_opens_no_store(opened: Callable[..., Explorer]) -> None:
    explorer = opened('[profile.shop]\nurl = "http://127.0.0.1:9"\n')
    assert explorer.put_unsaved_aside() == ""
    assert not {"journal", "drafts", "rescue", "method_lists"} & vars(explorer).keys()


def test_draft_that_cannot_be_written_is_reported(opened: Callable[..., Explorer]) -> None:
    explorer = opened('[profile.shop]\nurl = "http://127.0.0.1:9"\n')
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("in the way")
    explorer.drafts.keep("shop", "get", "[1]")
    assert explorer.put_unsaved_aside().startswith("1 draft could not be saved: cannot read ")


def test_params_are_checked_by_the_discovered_schema(opened: Callable[..., Explorer]) -> None:
    """The schemas have definitions from the file of the method list."""
    explorer = opened('[profile.shop]\nurl = "http://127.0.0.1:9"\n')
    profile = explorer.use()
    schemas = {"Count": {"type": "integer"}}
    params = [{"name": "count", "schema": {"$ref": "#/components/schemas/Count"}}]
    listing = read_openrpc({"methods": [{"name": "find", "params": params}], "components": {"schemas": schemas}})
    explorer.method_lists.settle(profile, discovery_of(datetime(2026, 1, 2, tzinfo=UTC), listing, ()))

    async def check(*texts: str) -> list[Checked]:
        described = explorer.described("find")
        assert described is not None
        async with explorer:
            return [await explorer.checker.params(described, text) for text in texts]

    right, wrong = asyncio.run(check('{"count": 1}', '{"count": "one"}'))
    assert right == Checked()
    assert [problem.pointer for problem in wrong.problems] == [("count",)]


@pytest.mark.parametrize(("more", "asks"), [("", False), ('badge = "prod"\n', True)])
def test_confirmation_agrees_with_the_listed_safety(opened: Callable[..., Explorer], more: str, asks: bool) -> None:
    explorer = opened(f'[profile.shop]\nurl = "http://127.0.0.1:9"\nconfirm = "unsafe"\n{more}')
    listing = read_openrpc({"methods": [{"name": "find", "params": [], "x-safe": True}]})
    explorer.method_lists.settle(explorer.use(), discovery_of(datetime(2026, 1, 2, tzinfo=UTC), listing, ()))
    assert bool(explorer.to_ask_about([Draft("find")])) is asks
    assert (explorer.methods()["find"].safe is not True) is asks


@pytest.mark.parametrize(
    ("own", "project", "marked"),
    [
        ('[profile.x]\nurl = "http://own"\n', "[profile.x.method.m]\nsafe = true\n", "own"),
        ("[profile.x.method.m]\nsafe = false\n", '[profile.x]\nurl = "http://project"\n', "own"),
        ("", '[profile.x]\nurl = "http://project"\n', "local"),
        ('[profile.x]\nbadge = "prod"\n', '[profile.x]\nurl = "http://project"\n', "local"),
    ],
)
def test_method_is_marked_safe_in_the_right_file(own: str, project: str, marked: str, tmp_path: Path) -> None:
    files = {
        "own": tmp_path / "home" / "config" / "sessions.toml",
        "project": tmp_path / "sessions.toml",
        "local": tmp_path / "sessions.local.toml",
    }
    files["own"].parent.mkdir(parents=True)
    for name, text in (("own", own), ("project", project)):
        files[name].write_text(f"# mine\n{text}")
    explorer = open_explorer(tmp_path)
    profile = explorer.use("x")
    file = explorer.profiles.safe_home("x", "m", explorer.paths.user_sessions)
    assert file == files[marked]
    assert explorer.mark_safe(profile, "m", safe=True, file=file) is None
    assert explorer.profiles.profiles["x"].methods["m"].safe is True
    assert files["project"].read_text() == f"# mine\n{project}"
    assert files["own"].read_text().startswith("# mine\n")
    assert explorer.mark_safe(profile, "m", safe=False, file=file) is None
    assert explorer.profiles.profiles["x"].methods["m"].safe is False


OWN_FILE = 'default = "mine"\n[profile.mine]\nurl = "http://mine"\n[profile.private]\nurl = "http://private"\n'
SHOP = '[profile.shop]\nurl = "http://shop"\n[profile.prod]\nurl = "http://prod"\n'


@pytest.fixture
def in_folder(tmp_path: Path) -> Callable[..., Explorer]:
    """Return a function that opens a front end's explorer in a folder with this project file."""

    def build(name: str, sessions: str = "", own: str = OWN_FILE) -> Explorer:
        (tmp_path / "home" / "config").mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / "config" / "sessions.toml").write_text(own)
        (tmp_path / name).mkdir(exist_ok=True)
        if sessions:
            (tmp_path / name / "sessions.toml").write_text(sessions)
        environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
        return Explorer.open(folder=tmp_path / name, environment=environment, hooks=Hooks(continues=True))

    return build


def use_last(explorer: Explorer, name: str) -> None:
    explorer.use(name)
    explorer.remember_profile()


def test_last_profile_of_another_folder_is_not_used(in_folder: Callable[..., Explorer]) -> None:
    use_last(in_folder("notes"), "private")
    assert in_folder("shop", 'default = "shop"\n' + SHOP).use().name == "shop"
    assert in_folder("bare").use().name == "mine"
    assert in_folder("notes").use().name == "private"


def test_last_profile_of_this_folder_wins_over_defaults(in_folder: Callable[..., Explorer]) -> None:
    use_last(in_folder("shop", 'default = "shop"\n' + SHOP), "prod")
    explorer = in_folder("shop")
    assert explorer.use().name == "prod"
    explorer.hooks = Hooks()  # A program gets the default.
    assert explorer.use().name == "shop"
    assert in_folder("shop", 'default = "shop"\n' + SHOP.replace("prod", "test")).use().name == "shop"


def test_last_profile_with_an_error_is_not_replaced(in_folder: Callable[..., Explorer]) -> None:
    use_last(in_folder("shop", 'default = "shop"\n' + SHOP), "prod")
    explorer = in_folder("shop", 'default = "shop"\n' + SHOP.replace("http://prod", "ftp://prod"))
    with pytest.raises(UserError, match="prod"):
        explorer.use()


def test_chosen_default_wins_over_the_last_profile(in_folder: Callable[..., Explorer], tmp_path: Path) -> None:
    explorer = in_folder("shop", SHOP)
    use_last(explorer, "prod")
    assert explorer.set_default("shop", tmp_path / "shop" / "sessions.toml") is None
    assert explorer.use().name == in_folder("shop").use().name == "shop"


def test_default_without_a_profile_is_not_replaced(in_folder: Callable[..., Explorer]) -> None:
    explorer = in_folder("shop", 'default = "shpo"\n' + SHOP)
    with pytest.raises(UserError, match=r"sessions.toml:1: default: there is no profile `shpo`. Did you mean `shop`\?"):
        explorer.use()
    explorer = in_folder("one", 'default = "shpo"\n[profile.shop]\nurl = "http://shop"\n', own="")
    with pytest.raises(UserError, match="`shpo`"):
        explorer.use()
    use_last(explorer, "shop")
    assert in_folder("one").use().name == "shop"
