"""Stored method lists: one per URL, shared, without secrets."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, Learned
from rpcexplorer.discovery.store import HEAD_BYTES, MAX_DESCRIPTION_BYTES, MethodLists, read_description
from rpcexplorer.files.io import FileError
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import DocumentSource, Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.codec import decode
from tests.history.recording import exchange

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SHOP = Profile("shop", "https://shop.example")
FULL = Method(
    "user.get", "Gets", {"id": [1.5, None]}, "inline", False, "discovered", "name", True, "rpc.discover", ("id",), True,
    (("doc", "help"),),
)  # fmt: skip
HOSTILE = Method('[/] \x1b]52;c;?\x07 \u202e"', source="discovered", protocol="system.listMethods")


def found(*methods: Method, when: datetime = WHEN) -> Discovery:
    return Discovery(when, methods, ("said",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "catalogues"


def test_stored_list_is_read_back_whole(folder: Path) -> None:
    MethodLists(folder).settle(SHOP, found(FULL, HOSTILE))
    again = MethodLists(folder)
    assert again.learned(SHOP) == Learned((FULL, HOSTILE), WHEN)
    assert again.problem == ""


def test_list_is_read_once_when_needed(folder: Path) -> None:
    MethodLists(folder).settle(SHOP, found(FULL))
    method_lists = MethodLists(folder)
    assert method_lists.learned(SHOP)
    (folder / "shop.json").unlink()
    assert method_lists.learned(SHOP) is not None
    assert MethodLists(folder).learned(SHOP) is None


def test_discovery_reports_changes_since_the_previous_one(folder: Path) -> None:
    first = MethodLists(folder).settle(SHOP, found(Method("a"), Method("b")))
    assert (first.new, first.gone, first.changed, first.sentences) == ((), (), (), ("said",))
    second = MethodLists(folder).settle(SHOP, found(Method("c"), Method("b")))
    assert (second.new, second.gone) == (("c",), ("a",))


def test_discovery_without_methods_keeps_the_list(folder: Path) -> None:
    method_lists = MethodLists(folder)
    method_lists.settle(SHOP, found(FULL))
    assert method_lists.settle(SHOP, found()) == found()
    assert MethodLists(folder).learned(SHOP) == Learned((FULL,), WHEN)


@pytest.mark.parametrize("moved", [{"url": "https://other.example"}, {"path": "/rpc"}, {"url": "http://shop.example"}])
def test_another_url_has_its_own_list(folder: Path, moved: Any) -> None:
    method_lists = MethodLists(folder)
    method_lists.settle(SHOP, found(FULL))
    for lists in (method_lists, MethodLists(folder)):
        assert lists.learned(replace(SHOP, **moved)) is None
        assert lists.problem == ""


@pytest.mark.parametrize("profile", [replace(SHOP, ad_hoc=True), replace(SHOP, name="../../shop")])
def test_ad_hoc_profile_keeps_its_list_until_exit(tmp_path: Path, profile: Profile) -> None:
    method_lists = MethodLists(tmp_path / "cache" / "catalogues")
    method_lists.settle(profile, found(FULL))
    assert method_lists.learned(profile) == Learned((FULL,), WHEN)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.thorough
def test_damaged_list_is_not_used_and_reported(folder: Path) -> None:
    MethodLists(folder).settle(SHOP, found(FULL))
    file = folder / "shop.json"
    whole = file.read_bytes()
    damaged = [whole[:cut] for cut in range(len(whole))]
    damaged += [whole[:at] + b"\x00" + whole[at + 1 :] for at in range(whole.index(b"\n", HEAD_BYTES))]
    for content in damaged:
        file.write_bytes(content)
        method_lists = MethodLists(folder)
        assert method_lists.learned(SHOP) is None
        assert method_lists.problem.startswith(f"cannot use {file}: it is damaged")


def test_damaged_list_is_replaced_by_the_next_discovery(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text("nonsense")
    method_lists = MethodLists(folder)
    assert method_lists.settle(SHOP, found(FULL)).new == ()
    assert method_lists.problem == ""
    assert MethodLists(folder).learned(SHOP) == Learned((FULL,), WHEN)


def test_read_only_folder_keeps_the_list_until_exit(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where the folder should be")
    method_lists = MethodLists(folder)
    settled = method_lists.settle(SHOP, found(FULL))
    assert settled.sentences[-1].startswith("the method list is kept only until you quit: ")
    assert method_lists.learned(SHOP) == Learned((FULL,), WHEN)


def test_unreadable_list_is_reported(folder: Path) -> None:
    (folder / "shop.json").mkdir(parents=True)
    method_lists = MethodLists(folder)
    assert method_lists.learned(SHOP) is None
    assert f"cannot read {folder / 'shop.json'}" in method_lists.problem


def reply(error: int | None, message: str = "no") -> Any:
    member = '"result":1' if error is None else f'"error":{{"code":{error},"message":"{message}"}}'
    return decode(f'{{"jsonrpc":"2.0","id":"1",{member}}}'.encode(), "1")


def test_method_not_found_marks_a_name_as_absent(folder: Path) -> None:
    method_lists = MethodLists(folder)
    assert method_lists.absent(SHOP) == frozenset()
    for method, error in [("ping", -32601), ("auth", -32601), ("user.get", None), ("auth", -32602)]:
        method_lists.note_response(exchange(method=method, outcome=reply(error)), SHOP)
    assert method_lists.absent(SHOP) == {"ping"}
    method_lists.note_response(exchange(method="a", outcome=reply(1, "No such method: a")), SHOP)
    assert method_lists.absent(SHOP) == {"ping", "a"}
    method_lists.note_response(exchange(method="a", outcome=reply(1, "no")), SHOP)
    again = MethodLists(folder)
    assert again.absent(SHOP) == {"ping"}
    assert again.learned(SHOP) is None
    elsewhere = replace(SHOP, url="https://other.example")
    assert MethodLists(folder).absent(elsewhere) == frozenset()


def test_discovered_methods_are_no_longer_absent(folder: Path) -> None:
    method_lists = MethodLists(folder)
    for method in ("ping", "a"):
        method_lists.note_response(exchange(method=method, outcome=reply(-32601)), SHOP)
    method_lists.settle(SHOP, found(Method("a")))
    again = MethodLists(folder)
    assert again.absent(SHOP) == {"ping"}
    assert again.learned(SHOP) == Learned((Method("a"),), WHEN)


@pytest.mark.parametrize("kind", ["batch", "notification"])
def test_batches_and_notifications_mark_no_absent_names(folder: Path, kind: str) -> None:
    method_lists = MethodLists(folder)
    method_lists.note_response(exchange(method="a", kind=kind, outcome=reply(-32601)), SHOP)
    assert method_lists.absent(SHOP) == frozenset()


def test_unrecorded_call_marks_absent_names_until_exit(folder: Path) -> None:
    for profile, keep, name in [(SHOP, False, "a"), (ad_hoc("http://127.0.0.1:9"), True, "a")]:
        method_lists = MethodLists(folder)
        method_lists.note_response(exchange(method=name, outcome=reply(-32601)), profile, keep=keep)
        assert method_lists.absent(profile) == {name}
        assert MethodLists(folder).absent(profile) == frozenset()
    assert not folder.exists()


def test_name_with_a_secret_is_not_stored(folder: Path) -> None:
    method_lists = MethodLists(folder, lambda: [Secret("hunter2hunter2", "shop.password")])
    for name in ("hunter2hunter2", "ping"):
        method_lists.note_response(exchange(method=name, outcome=reply(-32601)), SHOP)
    assert MethodLists(folder).absent(SHOP) == {"ping"}


def test_value_that_became_a_secret_is_no_change(folder: Path) -> None:
    secrets: list[Secret] = []
    method_lists = MethodLists(folder, lambda: secrets)

    def discovered(password: str) -> Discovery:
        described = Described(doc=f"Needs {password}", definitions={"#/a": {"default": password}})
        return replace(found(Method("a"), Method(f"try.{password}")), described={"a": described})

    method_lists.settle(SHOP, discovered("hunter2hunter2"))
    secrets.append(Secret("hunter2hunter2", "shop.password"))
    assert method_lists.settle(SHOP, discovered("«shop.password»")).changed == ()
    assert method_lists.settle(SHOP, discovered("hunter2hunter2")).changed == ()
    assert method_lists.settle(SHOP, discovered("no password")).changed[0].what == ("docs changed",)


EARLIER = {
    "profile": "shop", "endpoint": "https://shop.example/api/v2/", "when": WHEN.isoformat(), "habits": True,
    "columns": [["name", "doc", "source", "parameters", "dialect"], ["name", "required"]],
    "methods": [["user.get", "Gets", "discovered", [["id", True]], "rpc.discover"]], "absent": ["ping"],
}  # fmt: skip


def test_earlier_list_has_names_and_docs(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text(f"rpcexplorer catalogue 1 00000000\n{json.dumps(EARLIER)}\n")
    (folder / "shop.00.full").write_text("rpcexplorer methods in full 1\n")
    method_lists = MethodLists(folder)
    line = Method("user.get", "Gets", source="discovered", protocol="rpc.discover")
    assert (method_lists.learned(SHOP), method_lists.absent(SHOP)) == (Learned((line,), WHEN), frozenset({"ping"}))
    assert (method_lists.described(SHOP, "user.get"), method_lists.problem) == (None, "")
    method_lists.settle(SHOP, found(FULL))
    assert [path.name for path in folder.iterdir()] == ["shop.json"]
    assert MethodLists(folder).learned(SHOP) == Learned((FULL,), WHEN)


@pytest.mark.parametrize("rest", ["", "nonsense", "[]", "{}", '{"profile": "shop"}', "[" * 5_000])
def test_damaged_earlier_list_is_ignored(folder: Path, rest: str) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text(f"rpcexplorer catalogue 1 00000000\n{rest}\n")
    method_lists = MethodLists(folder)
    assert (method_lists.learned(SHOP), method_lists.described(SHOP, "a"), method_lists.problem) == (None, None, "")


def test_quirks_of_a_server_are_reported_once(folder: Path) -> None:
    assert MethodLists(folder).report_quirks_once(SHOP)
    again = MethodLists(folder)
    again.settle(SHOP, found(FULL))
    assert not again.report_quirks_once(SHOP)
    assert not MethodLists(folder).report_quirks_once(SHOP)
    assert MethodLists(folder).report_quirks_once(replace(SHOP, url="https://other.example"))


@pytest.mark.parametrize("learns", ["a quirk", "another discovery"])
def test_write_merges_with_the_current_file(folder: Path, learns: str) -> None:
    one = MethodLists(folder)
    assert one.learned(SHOP) is None
    other = MethodLists(folder)
    other.settle(SHOP, found(FULL))
    other.note_response(exchange(method="typo", outcome=reply(-32601)), SHOP)
    one.report_quirks_once(SHOP) if learns == "a quirk" else one.settle(SHOP, found(FULL))
    again = MethodLists(folder)
    assert again.learned(SHOP) == Learned((FULL,), WHEN)
    assert again.absent(SHOP) == {"typo"}


def why_not(source: DocumentSource) -> str:
    with pytest.raises(FileError) as caught:
        read_description(source)
    return caught.value.sentence


def test_description_is_read_from_the_profiles_file(tmp_path: Path) -> None:
    (tmp_path / "openrpc.json").write_bytes(b"{}")
    assert read_description(DocumentSource(file=str(tmp_path / "openrpc.json"))) == b"{}"
    assert read_description(DocumentSource(file=str(tmp_path / "openrpc.json"), inside=str(tmp_path))) == b"{}"
    assert "it does not exist" in why_not(DocumentSource(file=str(tmp_path / "none.json")))


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")
def test_only_the_user_file_may_name_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.json").write_bytes(b"{}")
    team = tmp_path / "team"
    team.mkdir()
    (team / "a.json").symlink_to(tmp_path / "real" / "a.json")
    (team / "docs").symlink_to(tmp_path / "real")
    assert read_description(DocumentSource(file=str(team / "a.json"))) == b"{}"
    for file in (team / "a.json", team / "docs" / "a.json"):
        assert "symbolic link" in why_not(DocumentSource(file=str(file), inside=str(team)))


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes with names elsewhere")
def test_pipe_device_or_endless_file_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(MAX_DESCRIPTION_BYTES + 1)
    assert "a named pipe" in why_not(DocumentSource(file=str(tmp_path / "pipe")))
    assert "a device" in why_not(DocumentSource(file="/dev/zero"))
    assert "it is too large" in why_not(DocumentSource(file=str(tmp_path / "sparse")))
