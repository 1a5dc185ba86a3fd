"""Discovered catalogues on disk: what is kept comes back, for the URL it was learned from and no other."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, Learned
from rpcexplorer.discovery.store import DESCRIPTION, HEAD_BYTES, Catalogues, read_description
from rpcexplorer.files.io import FileError
from rpcexplorer.model.method import Method
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
HOSTILE = Method('[/] \x1b]52;c;?\x07 \u202e"', source="discovered", dialect="system.listMethods")


def found(*methods: Method, when: datetime = WHEN) -> Discovery:
    return Discovery(when, methods, ("said",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "catalogues"


def test_what_was_kept_comes_back_whole(folder: Path) -> None:
    Catalogues(folder).settle(SHOP, found(FULL, HOSTILE))
    again = Catalogues(folder)
    assert again.of(SHOP) == Learned((FULL, HOSTILE), WHEN)
    assert again.problem == ""


def test_nothing_is_read_before_it_is_asked_for_and_then_once(folder: Path) -> None:
    Catalogues(folder).settle(SHOP, found(FULL))
    catalogues = Catalogues(folder)
    assert catalogues.of(SHOP)
    (folder / "shop.json").unlink()
    assert catalogues.of(SHOP) is not None
    assert Catalogues(folder).of(SHOP) is None


def test_a_discovery_is_compared_with_the_one_before(folder: Path) -> None:
    first = Catalogues(folder).settle(SHOP, found(Method("a"), Method("b")))
    assert (first.new, first.gone, first.changed, first.sentences) == ((), (), (), ("said",))
    second = Catalogues(folder).settle(SHOP, found(Method("c"), Method("b")))
    assert (second.new, second.gone) == (("c",), ("a",))


def test_a_discovery_that_found_nothing_leaves_what_was_known(folder: Path) -> None:
    catalogues = Catalogues(folder)
    catalogues.settle(SHOP, found(FULL))
    assert catalogues.settle(SHOP, found()) == found()
    assert Catalogues(folder).of(SHOP) == Learned((FULL,), WHEN)


@pytest.mark.parametrize("moved", [{"url": "https://other.example"}, {"path": "/rpc"}, {"url": "http://shop.example"}])
def test_another_url_has_another_catalogue(folder: Path, moved: Any) -> None:
    catalogues = Catalogues(folder)
    catalogues.settle(SHOP, found(FULL))
    for each in (catalogues, Catalogues(folder)):
        assert each.of(replace(SHOP, **moved)) is None
        assert each.problem == ""


@pytest.mark.parametrize("profile", [replace(SHOP, ad_hoc=True), replace(SHOP, name="../../shop")])
def test_a_profile_of_which_nothing_is_kept_has_its_catalogue_for_this_run(tmp_path: Path, profile: Profile) -> None:
    catalogues = Catalogues(tmp_path / "cache" / "catalogues")
    catalogues.settle(profile, found(FULL))
    assert catalogues.of(profile) == Learned((FULL,), WHEN)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.thorough
def test_any_damage_makes_it_unused_with_a_sentence(folder: Path) -> None:
    Catalogues(folder).settle(SHOP, found(FULL))
    file = folder / "shop.json"
    whole = file.read_bytes()
    damaged = [whole[:cut] for cut in range(len(whole))]
    damaged += [whole[:at] + b"\x00" + whole[at + 1 :] for at in range(whole.index(b"\n", HEAD_BYTES))]
    for content in damaged:
        file.write_bytes(content)
        catalogues = Catalogues(folder)
        assert catalogues.of(SHOP) is None
        assert catalogues.problem.startswith(f"{file} is damaged")


def test_a_damaged_file_is_replaced_by_the_next_discovery(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text("nonsense")
    catalogues = Catalogues(folder)
    assert catalogues.settle(SHOP, found(FULL)).new == ()
    assert catalogues.problem == ""
    assert Catalogues(folder).of(SHOP) == Learned((FULL,), WHEN)


def test_a_folder_that_cannot_be_written_costs_only_the_next_run(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where the folder should be")
    catalogues = Catalogues(folder)
    settled = catalogues.settle(SHOP, found(FULL))
    assert settled.sentences[-1].startswith("the method list is kept only until you quit: ")
    assert catalogues.of(SHOP) == Learned((FULL,), WHEN)


def test_a_file_that_cannot_be_read_is_a_sentence(folder: Path) -> None:
    (folder / "shop.json").mkdir(parents=True)
    catalogues = Catalogues(folder)
    assert catalogues.of(SHOP) is None
    assert f"cannot read {folder / 'shop.json'}" in catalogues.problem


# --- names that the server does not know -----------------------------------------------------------------------------


def reply(error: int | None) -> Any:
    said = '"result":1' if error is None else f'"error":{{"code":{error},"message":"no"}}'
    return decode(f'{{"jsonrpc":"2.0","id":"1",{said}}}'.encode(), "1")


def test_a_name_that_was_answered_with_method_not_found_is_absent_until_it_is_answered_otherwise(folder: Path) -> None:
    catalogues = Catalogues(folder)
    assert catalogues.absent(SHOP) == frozenset()
    for method, error in [("ping", -32601), ("auth", -32601), ("user.get", None), ("auth", -32602)]:
        catalogues.heard(exchange(method=method, outcome=reply(error)), SHOP)
    assert catalogues.absent(SHOP) == {"ping"}
    again = Catalogues(folder)
    assert again.absent(SHOP) == {"ping"}
    assert again.of(SHOP) is None
    elsewhere = replace(SHOP, url="https://other.example")
    assert Catalogues(folder).absent(elsewhere) == frozenset()


def test_what_is_discovered_is_not_absent_and_the_rest_stays_so(folder: Path) -> None:
    catalogues = Catalogues(folder)
    for method in ("ping", "a"):
        catalogues.heard(exchange(method=method, outcome=reply(-32601)), SHOP)
    catalogues.settle(SHOP, found(Method("a")))
    again = Catalogues(folder)
    assert again.absent(SHOP) == {"ping"}
    assert again.of(SHOP) == Learned((Method("a"),), WHEN)


@pytest.mark.parametrize("kind", ["batch", "notification"])
def test_of_a_batch_and_of_a_notification_nothing_is_learned(folder: Path, kind: str) -> None:
    catalogues = Catalogues(folder)
    catalogues.heard(exchange(method="a", kind=kind, outcome=reply(-32601)), SHOP)
    assert catalogues.absent(SHOP) == frozenset()


def test_what_is_not_to_be_kept_is_known_for_this_run_alone(folder: Path) -> None:
    for profile, keep, name in [(SHOP, False, "a"), (ad_hoc("http://127.0.0.1:9"), True, "a")]:
        catalogues = Catalogues(folder)
        catalogues.heard(exchange(method=name, outcome=reply(-32601)), profile, keep=keep)
        assert catalogues.absent(profile) == {name}
        assert Catalogues(folder).absent(profile) == frozenset()
    assert not folder.exists()


def test_a_name_that_holds_a_secret_is_not_written(folder: Path) -> None:
    catalogues = Catalogues(folder, lambda: [Secret("hunter2hunter2", "shop.password")])
    for name in ("hunter2hunter2", "ping"):
        catalogues.heard(exchange(method=name, outcome=reply(-32601)), SHOP)
    assert Catalogues(folder).absent(SHOP) == {"ping"}


EARLIER = {
    "profile": "shop", "endpoint": "https://shop.example/api/v2/", "when": WHEN.isoformat(), "habits": True,
    "columns": [["name", "doc", "source", "parameters", "dialect"], ["name", "required"]],
    "methods": [["user.get", "Gets", "discovered", [["id", True]], "rpc.discover"]], "absent": ["ping"],
}  # fmt: skip


def test_earlier_list_brings_names_and_docs_until_the_next_refresh(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text(f"rpcexplorer catalogue 1 00000000\n{json.dumps(EARLIER)}\n")
    (folder / "shop.00.full").write_text("rpcexplorer methods in full 1\n")
    catalogues = Catalogues(folder)
    line = Method("user.get", "Gets", source="discovered", dialect="rpc.discover")
    assert (catalogues.of(SHOP), catalogues.absent(SHOP)) == (Learned((line,), WHEN), frozenset({"ping"}))
    assert (catalogues.described(SHOP, "user.get"), catalogues.problem) == (None, "")
    catalogues.settle(SHOP, found(FULL))
    assert [path.name for path in folder.iterdir()] == ["shop.json"]
    assert Catalogues(folder).of(SHOP) == Learned((FULL,), WHEN)


@pytest.mark.parametrize("rest", ["", "nonsense", "[]", "{}", '{"profile": "shop"}', "[" * 5_000])
def test_damaged_earlier_list_is_not_read_without_a_word(folder: Path, rest: str) -> None:
    folder.mkdir(parents=True)
    (folder / "shop.json").write_text(f"rpcexplorer catalogue 1 00000000\n{rest}\n")
    catalogues = Catalogues(folder)
    assert (catalogues.of(SHOP), catalogues.described(SHOP, "a"), catalogues.problem) == (None, None, "")


def test_how_a_server_writes_is_news_once_whatever_else_is_learned(folder: Path) -> None:
    assert Catalogues(folder).is_news(SHOP)
    again = Catalogues(folder)
    again.settle(SHOP, found(FULL))
    assert not again.is_news(SHOP)
    assert not Catalogues(folder).is_news(SHOP)
    assert Catalogues(folder).is_news(replace(SHOP, url="https://other.example"))


@pytest.mark.parametrize("learns", ["a habit", "another discovery"])
def test_whatever_is_written_goes_over_what_the_file_holds_by_now(folder: Path, learns: str) -> None:
    one = Catalogues(folder)
    assert one.of(SHOP) is None
    other = Catalogues(folder)
    other.settle(SHOP, found(FULL))
    other.heard(exchange(method="typo", outcome=reply(-32601)), SHOP)
    one.is_news(SHOP) if learns == "a habit" else one.settle(SHOP, found(FULL))
    again = Catalogues(folder)
    assert again.of(SHOP) == Learned((FULL,), WHEN)
    assert again.absent(SHOP) == {"typo"}


# --- descriptions that lie in files ----------------------------------------------------------------------------------


def why_not(source: DocumentSource) -> str:
    with pytest.raises(FileError) as caught:
        read_description(source)
    return caught.value.sentence


def test_a_description_is_read_from_the_file_that_the_profile_names(tmp_path: Path) -> None:
    (tmp_path / "openrpc.json").write_bytes(b"{}")
    assert read_description(DocumentSource(file=str(tmp_path / "openrpc.json"))) == b"{}"
    assert read_description(DocumentSource(file=str(tmp_path / "openrpc.json"), inside=str(tmp_path))) == b"{}"
    assert "it does not exist" in why_not(DocumentSource(file=str(tmp_path / "none.json")))


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege elsewhere")
def test_a_persons_own_file_may_name_a_link_and_that_of_others_none(tmp_path: Path) -> None:
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
def test_a_pipe_a_device_and_an_endless_file_cost_a_sentence_and_nothing_else(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(DESCRIPTION + 1)
    assert "a named pipe" in why_not(DocumentSource(file=str(tmp_path / "pipe")))
    assert "a device" in why_not(DocumentSource(file="/dev/zero"))
    assert "it is too large" in why_not(DocumentSource(file=str(tmp_path / "sparse")))
