from __future__ import annotations

import json
import os
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer import drafts as drafts_module
from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.drafts import Drafts
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.model.profile import MethodNote, Profile, ad_hoc
from rpcexplorer.model.secret import Secret, of_this
from rpcexplorer.schema.start import starting_point

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))  # lone surrogates, too


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "drafts"


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def only_file(folder: Path) -> Path:
    (file,) = files_in(folder)
    return file


def test_drafts_differ_by_profile_and_case_of_method(folder: Path) -> None:
    drafts = Drafts(folder)
    for profile, method, text in [("a", "get", "1"), ("b", "get", "2"), ("a", "Get", "3"), ("a", "", "4")]:
        drafts.keep(profile, method, text)
    again = Drafts(folder)
    assert [again.find(*key) for key in [("a", "get"), ("b", "get"), ("a", "Get"), ("a", "")]] == ["1", "2", "3", "4"]
    assert len({str(path).lower() for path in files_in(folder)}) == 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=ANY_TEXT, text=ANY_TEXT)
def test_any_text_of_any_method_is_restored_exactly(folder: Path, method: str, text: str) -> None:
    assert Drafts(folder).keep("staging", method, text) == ""
    assert Drafts(folder).find("staging", method) == text
    assert Drafts(folder).all("staging")[method] == text


def test_drafts_of_profile_include_disk_and_memory(folder: Path) -> None:
    other = Drafts(folder)
    other.keep("staging", "b", "old")
    other.keep("staging", "c", "theirs")
    other.keep("prod", "d", "elsewhere")
    drafts = Drafts(folder)
    drafts.keep("staging", "b", "new")
    drafts.keep("staging", "a", "mine")
    assert drafts.all("staging") == {"a": "mine", "b": "new", "c": "theirs"}
    assert list(drafts.all("staging")) == ["a", "b", "c"]


def test_forgotten_draft_is_gone_for_good(folder: Path) -> None:
    drafts = Drafts(folder)
    drafts.keep("staging", "a", "1")
    assert drafts.forget("staging", "a") == ""
    assert drafts.forget("staging", "never there") == ""
    assert drafts.find("staging", "a") is None
    assert drafts.all("staging") == Drafts(folder).all("staging") == {}
    drafts.keep("staging", "a", "1")
    assert Drafts(folder).find("staging", "a") == "1"


def test_unchanged_text_is_not_written_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Drafts(folder).keep("staging", "a", "1")
    drafts = Drafts(folder)
    text = drafts.find("staging", "a")
    assert text is not None
    written: list[Path] = []
    monkeypatch.setattr(drafts_module, "write_private", lambda path, _content: written.append(path))
    drafts.keep("staging", "a", text)
    assert written == []
    drafts.keep("staging", "a", "2")
    drafts.keep("staging", "a", "2")
    assert len(written) == 1


def test_draft_file_has_only_allowed_keys(folder: Path) -> None:
    drafts = Drafts(folder)
    drafts.keep("staging", "a", "[1]", written="[]")
    assert drafts.find("staging", "a") == "[1]"
    assert Drafts(folder).find("staging", "a") == "[]"


SHOP = Profile("shop", "https://shop.example.com", auth=InlineAuth())
PASSWORD = Secret("hunter2hunter2", "shop.password")


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (None, "[]"),
        (Method("get"), "[]"),
        (Method("get", params=[]), "[]"),
        (Method("get", params={}), "{}"),
        (Method("get", params={"id": 1, "name": "Zoë"}), '{\n  "id": 1,\n  "name": "Zoë"\n}'),
    ],
)
def test_editor_starts_with_params_of_the_method_list(folder: Path, known: Method | None, text: str) -> None:
    assert Drafts(folder).text_for(SHOP, "get", known) == text


def test_unchanged_text_is_not_a_draft(folder: Path) -> None:
    drafts = Drafts(folder)
    assert drafts.keep_typed(SHOP, "get", drafts.text_for(SHOP, "get", None), []) == ""
    assert files_in(folder) == []
    assert drafts.text_for(SHOP, "get", Method("get", params=[1])) == "[\n  1\n]"


def test_project_params_resolve_variables_unlike_server_examples(folder: Path) -> None:
    known = Method("get", params=["{{page}}", {"a": {}}])
    assert '"\\u007b{page}}"' in Drafts(folder).text_for(SHOP, "get", known)
    noted = replace(SHOP, methods={"get": MethodNote(params=known.params)})
    assert '"{{page}}"' in Drafts(folder).text_for(noted, "get", known)


def test_restored_start_text_forgets_the_draft(folder: Path) -> None:
    drafts = Drafts(folder)
    start = drafts.text_for(SHOP, "get", None)
    drafts.keep_typed(SHOP, "get", "[1]", [])
    drafts.keep_typed(SHOP, "get", start, [])
    assert files_in(folder) == []


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ('["hunter2hunter2"]', '["«shop.password»"]'),
        ("[hunter2hunter2", "[«shop.password»"),
        ('{"password": "brand new"}', '{"password": "brand new"}'),
        ('{"user": "bob", "text": "aHVudGVyMmh1bnRlcjI="}', '{"user": "bob", "text": "«not recorded»I="}'),
        ('{"password": 12345678}', '{"password": 12345678}'),
        ('{"id": 1.10}', '{"id": 1.10}'),
    ],
)
def test_draft_keeps_everything_but_known_secrets(folder: Path, typed: str, written: str) -> None:
    drafts = Drafts(folder)
    drafts.keep_typed(SHOP, "get", typed, [PASSWORD])
    assert drafts.find("shop", "get") == typed
    assert Drafts(folder).find("shop", "get") == written


@pytest.mark.parametrize(("profile", "method"), [(ad_hoc("https://x.example.com"), "get"), (SHOP, "hunter2hunter2")])
def test_drafts_without_a_file_stay_in_memory(folder: Path, profile: Profile, method: str) -> None:
    drafts = Drafts(folder)
    assert drafts.keep_typed(profile, method, "[1]", [PASSWORD]) == ""
    assert drafts.text_for(profile, method, None) == "[1]"
    assert files_in(folder) == []


def test_unwritable_draft_is_reported_and_kept_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = Drafts(folder)
    drafts.keep("staging", "a", "1")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _full_disk)
        sentence = drafts.keep("staging", "a", "2")
    assert sentence.startswith("this draft is kept only until you quit: cannot write")
    assert "disk is full" in sentence
    assert drafts.find("staging", "a") == "2"
    assert Drafts(folder).find("staging", "a") == "1"
    assert drafts.keep("staging", "a", "2") == ""  # tried again without a change
    assert Drafts(folder).find("staging", "a") == "2"


def _full_disk(*_: object) -> int:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("how", ["cut", "flipped", "emptied", "no head", "head changed"])
def test_damaged_draft_is_moved_aside_alone(folder: Path, how: str) -> None:
    drafts = Drafts(folder)
    drafts.keep("staging", "a", '{"id": 42}')
    file = only_file(folder)
    drafts.keep("staging", "b", "whole")
    whole = file.read_bytes()
    damaged = {
        "cut": whole[:-1],
        "flipped": whole.replace(b"42", b"43"),
        "emptied": b"",
        "no head": b'{"id": 42}',
        "head changed": whole.replace(b" staging ", b" staring "),
    }[how]
    file.write_bytes(damaged)
    again = Drafts(folder)
    assert again.all("staging") == {"b": "whole"}
    aside = file.with_name(f"{file.name}.damaged-1")
    assert aside.read_bytes() == damaged
    assert str(aside) in again.problem
    again.keep("staging", "a", "new")
    assert Drafts(folder).all("staging") == {"a": "new", "b": "whole"}


def test_draft_under_another_name_is_ignored(folder: Path) -> None:
    Drafts(folder).keep("staging", "a", "1")
    file = only_file(folder)
    file.rename(file.with_name("copy.draft"))
    drafts = Drafts(folder)
    assert drafts.all("staging") == {}
    assert drafts.find("staging", "a") is None


def test_text_made_to_break_the_reader_is_damage(folder: Path) -> None:
    drafts = Drafts(folder)
    drafts.keep("staging", "a", "1")
    file = only_file(folder)
    rest = b"staging a\n\xff"
    file.write_bytes(b"draft 1 %08x %s" % (zlib.crc32(rest), rest))
    again = Drafts(folder)
    assert again.find("staging", "a") is None
    assert "a draft file was damaged" in again.problem
    assert again.keep("staging", "a", "2") == ""


def test_temporarily_unreadable_draft_is_neither_replaced_nor_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Drafts(folder).keep_typed(SHOP, "get", "[1]", [])
    drafts = Drafts(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _broken_disk)
        start = drafts.text_for(SHOP, "get", None)
        assert "the disk reports an error" in drafts.problem
        assert drafts.keep_typed(SHOP, "get", start, []) == "", "the text was not changed"
        assert "the disk reports an error" in drafts.keep("shop", "get", "[2]")
        assert drafts.find("shop", "get") == "[2]"
    assert Drafts(folder).find("shop", "get") == "[1]"
    assert drafts.keep("shop", "get", "[2]") == ""
    assert Drafts(folder).find("shop", "get") == "[2]"


def _broken_disk(*_: object, **__: object) -> object:
    raise OSError(5, "Input/output error")


def test_draft_of_another_program_is_not_forgotten(folder: Path) -> None:
    first, second = Drafts(folder), Drafts(folder)
    start = first.text_for(SHOP, "get", None)
    second.keep_typed(SHOP, "get", "[1]", [])
    first.keep_typed(SHOP, "get", start, [])
    assert Drafts(folder).find("shop", "get") == "[1]"


def test_draft_changed_by_another_program_is_kept_too(folder: Path) -> None:
    first, second = Drafts(folder), Drafts(folder)
    first.keep("shop", "get", "[0]")
    assert second.find("shop", "get") == "[0]"
    first.keep("shop", "get", "[1]")
    assert first.other == ""
    second.keep("shop", "get", "[2]")
    assert Drafts(folder).find("shop", "get") == "[2]"
    (beside,) = folder.rglob("*.other-1")
    assert beside.read_bytes().endswith(b"\n[1]")
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert second.other == f"another program also changed the draft of get: its text is in {beside}"

    first.keep("shop", "get", "[3]")
    assert sorted(path.read_bytes()[-3:] for path in folder.rglob("*.other-*")) == [b"[1]", b"[2]"]
    assert Drafts(folder).all("shop") == {"get": "[3]"}


@pytest.mark.parametrize("there_was_one", [False, True])
def test_forgetting_keeps_a_draft_of_another_program(folder: Path, there_was_one: bool) -> None:
    first, second = Drafts(folder), Drafts(folder)
    if there_was_one:
        first.keep("shop", "get", "[0]")
    first.find("shop", "get")
    second.keep("shop", "get", "[1]")
    assert first.forget("shop", "get") == ""
    assert Drafts(folder).find("shop", "get") is None
    (beside,) = folder.rglob("*.other-1")
    assert beside.read_bytes().endswith(b"\n[1]")


@pytest.mark.parametrize("how", ["the same text", "removed"])
def test_same_draft_of_two_programs_is_kept_once(folder: Path, how: str) -> None:
    first, second = Drafts(folder), Drafts(folder)
    first.keep("shop", "get", "[0]")
    second.keep("shop", "get", "[0]")
    second.keep("shop", "get", "[1]")
    if how == "removed":
        second.forget("shop", "get")
    first.keep("shop", "get", "[1]")
    assert first.other == ""
    assert only_file(folder).read_bytes().endswith(b"\n[1]")


def test_restored_start_text_leaves_nothing_unsaved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = Drafts(folder)
    start = drafts.text_for(SHOP, "get", None)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _full_disk)
        drafts.keep_typed(SHOP, "get", "[1]", [])
    assert drafts.unsaved == {("shop", "get"): "[1]"}
    drafts.keep_typed(SHOP, "get", start, [])
    assert drafts.unsaved == {}
    assert files_in(folder) == []


def test_unwritten_draft_is_written_with_the_next(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = Drafts(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _full_disk)
        drafts.keep_typed(SHOP, "get", '["hunter2hunter2"]', [PASSWORD])
        assert "disk is full" in drafts.save_unsaved()
    assert drafts.unsaved == {("shop", "get"): '["«shop.password»"]'}, "in the form that a file may have"
    assert drafts.keep("shop", "put", "[2]") == drafts.save_unsaved() == ""
    assert Drafts(folder).all("shop") == {"get": '["«shop.password»"]', "put": "[2]"}


def test_file_instead_of_a_folder_is_reported(folder: Path) -> None:
    folder.write_text("")
    drafts = Drafts(folder)
    assert drafts.find("staging", "a") is None
    assert "cannot read" in drafts.problem
    assert drafts.all("staging") == {}
    assert "cannot read" in drafts.keep("staging", "a", "1")
    assert drafts.find("staging", "a") == "1"
    assert "cannot remove" in drafts.forget("staging", "a")


@pytest.mark.parametrize(
    ("known", "schema"),
    [
        (Method("get", params={"text": "«shop.password»", "«shop.session»": 1}), True),
        (Method("get", by="name"), {"examples": ["«shop.password»"]}),
        (Method("get", by="name"), {"default": ["x «shop.session» y"]}),
    ],
)
def test_start_text_of_an_editor_uses_no_secret(folder: Path, known: Method, schema: Any) -> None:
    drafts, described = Drafts(folder), Described((DescribedParam("text", schema, True),))
    text = drafts.text_for(SHOP, "get", known, described=lambda: described)
    assert json.loads(text) == starting_point(known, described)
    assert not of_this(text, "shop")
    drafts.keep_typed(SHOP, "get", text + " ", [PASSWORD])
    assert not of_this(Drafts(folder).text_for(SHOP, "get", known), "shop")
