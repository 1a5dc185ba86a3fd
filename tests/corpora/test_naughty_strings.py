"""Every naughty string in each place for text of a user or server.

The loops are over hundreds of texts. The message of a failure, or the local variable ``text``, shows the text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rpcexplorer.export.formats import FORMS
from rpcexplorer.export.request import Subject, subject_of
from rpcexplorer.history.folder import History
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import is_reserved
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.rpc.messages import ErrorObject, spelled
from rpcexplorer.text.document import Document, matches
from rpcexplorer.text.history import history_line, shown
from rpcexplorer.text.jq import Yield, filtered
from rpcexplorer.tui.call.methods import MethodRows, name_of
from tests.corpora.naughty import NAUGHTY
from tests.corpora.road import Road, short, unseen
from tests.fakes.explorer import open_explorer
from tests.history.recording import exchange

pytestmark = pytest.mark.thorough
HALF = re.compile("[\ud800-\udfff]")
"""A lone surrogate, which UTF-8 cannot carry."""
FAILURE = '{"jsonrpc":"2.0","id":"k7","error":{"code":1,"message":%s,"data":{%s:%s}}}'


def test_method_params_and_message_make_two_round_trips(tmp_path: Path) -> None:
    with short(tmp_path) as way:
        for text in filter(str.strip, NAUGHTY):  # a method needs a name
            assert_it_travels(text, way)


def assert_it_travels(text: str, way: Road) -> None:
    value = spelled(text)
    way.reply = (FAILURE % (value, value, value)).encode()
    outcome = way.round_trip_twice(Draft(text, f'{{"text": [{value}]}}')).outcome
    request = json.loads(way.requests[-1])
    assert (request["method"], request["params"]) == (text, {"text": [text]})
    assert isinstance(outcome, ErrorObject)
    assert (outcome.message, outcome.data) == (text, f"{{{value}:{value}}}".encode())
    assert bool(outcome.remarks) == bool(HALF.search(text))


def test_snippet_is_printable(tmp_path: Path) -> None:
    with short(tmp_path) as way:
        for text in NAUGHTY:
            draft = Draft(text, f"[{spelled(text)}]")
            subject = subject_of(way.profile, draft, way.explorer.preview, ours=True)
            if not text.strip():
                assert isinstance(subject, Refused), text
                continue
            assert isinstance(subject, Subject), text
            for kind, form in FORMS.items():
                assert form.snippet is None or unseen(form.snippet(subject)) == set(), (kind, text)


def test_id_name_and_note_are_kept_and_found(tmp_path: Path) -> None:
    history = History(tmp_path)
    for text in NAUGHTY:
        id = "x" if HALF.search(text) else text or "x"
        history.append(exchange(0, id=id))
        assert history.annotate(id, name=text, note=f"a{text}z"), text
        found = History(tmp_path).find(id)
        assert isinstance(found, Exchange), text
        assert (found.id, found.name, found.note) == (id, text, f"a{text}z")
        assert unseen(shown(found) + history_line(found, 80)) == set(), text
        assert list(history.search(HistoryFilter(text))) == [found], text
        assert list(history.search(HistoryFilter(f"{text} and more"))) == [], text
        assert history.delete(id), text


def test_history_filter_finds_the_call_with_the_text() -> None:
    for text in NAUGHTY:
        wanted = HistoryFilter.of(f'"{text}"', now=exchange().when)
        if '"' not in text:
            assert wanted.matches(exchange(0, params=json.dumps([text], ensure_ascii=False), note=text)), text


def test_search_finds_the_text() -> None:
    document = Document.of_json(f"[{','.join(map(spelled, NAUGHTY))}]".encode())
    for text in filter(None, NAUGHTY):
        needle = spelled(text)[1:-1]
        begin, end = next(matches(document, needle))
        assert document.text[begin:end].decode().casefold() == needle.casefold()


def test_jq_expression_yields_values_or_one_printable_line() -> None:
    for text in NAUGHTY:
        found = filtered(text, f'{{"a": [1, {spelled(text)}]}}'.encode())
        if isinstance(found, Yield):
            document = Document.of_json(found.text)
            assert unseen("".join(map(document.line, range(document.lines)))) == set(), text
        else:
            assert unseen(found.sentence) == set(), text
            assert "\n" not in found.sentence, text


def test_text_in_the_method_list_can_be_called() -> None:
    names = [text for text in NAUGHTY if len(text) < 1000]
    rows = MethodRows({name: Method(name) for name in names})
    for text in names:
        if name := text.strip():
            assert name in map(name_of, rows.listed(text)), text


def test_profile_name_is_accepted_or_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "sessions.toml"
    for text in NAUGHTY:
        file.write_text("version = 1\n")
        problem = open_explorer(tmp_path).edits(file).add(text, "http://127.0.0.1")
        can_be_a_name = PROFILE_NAME.fullmatch(text) is not None and not is_reserved(text)
        assert (problem is None) == can_be_a_name, text
        if problem:
            assert file.read_text() == "version = 1\n", text
        else:
            assert open_explorer(tmp_path).use(text).name == text


def test_profile_name_in_file_is_accepted_or_reported(tmp_path: Path) -> None:
    names = [text for text in NAUGHTY if not HALF.search(text) and not PROFILE_NAME.fullmatch(text)]
    tables = [f"[profile.{toml_key(name)}]\nurl = 'http://127.0.0.1'\n" for name in names]
    (tmp_path / "sessions.toml").write_text("".join(tables))
    profiles = open_explorer(tmp_path).profiles
    assert profiles.profiles == {}
    lines = {problem.profile: problem.line for problem in profiles.problems}
    assert lines == {name: 1 + 2 * number for number, name in enumerate(names)}


def toml_key(text: str) -> str:
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'
