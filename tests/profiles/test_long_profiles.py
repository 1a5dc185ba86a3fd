"""Generated files with thousands of wrong keys or methods."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml import is_plain, layout, parse_toml
from rpcexplorer.files.toml_shape import MAX_COMPLAINTS, MAX_GUESSES
from rpcexplorer.model.problem import LONGEST, Problem, first_few, nearest
from rpcexplorer.profiles.profiles import Profiles, load

HEAD = 'version = 1\ndefault = "q"\n[profile.q]\nurl = "http://h"\n[profile.p]\nurl = "http://h"\n'


def loaded(tmp_path: Path, text: str) -> Profiles:
    file = tmp_path / "sessions.toml"
    file.write_text(text)
    return load(Paths.of({"RPCEXPLORER_HOME": str(tmp_path / "home")}), tmp_path, {}, file)


def test_thousands_of_wrong_keys_have_few_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guessed: list[str] = []
    real = difflib.get_close_matches

    def guessing(word: str, *arguments: Any, **keywords: Any) -> Any:
        guessed.append(word)
        return real(word, *arguments, **keywords)

    monkeypatch.setattr(difflib, "get_close_matches", guessing)
    found = loaded(tmp_path, HEAD + "".join(f"key_{number} = 1\n" for number in range(2000)))
    assert len(guessed) <= MAX_GUESSES
    assert list(found.profiles) == ["q"]
    assert len(found.problems) == MAX_COMPLAINTS + 1
    assert str(found.problems[-1]).endswith("1,800 more problems in this file. Fix the problems above first")
    sentences = first_few(found.problems, 4)
    assert len(sentences) == 5
    assert sentences[0].startswith(f"{tmp_path / 'sessions.toml'}:7: profile.p.key_0: `key_0` is not a key")
    assert sentences[-1] == "and 1,996 more. To list them, run `rpcexplorer profiles check`"


def test_each_wrong_profile_is_reported(tmp_path: Path) -> None:
    wrong = "".join(f"key_{number} = 1\n" for number in range(2 * MAX_COMPLAINTS))
    found = loaded(tmp_path, HEAD + wrong + '[profile.z]\nurl = "http://h"\nx = 1\n')
    assert list(found.profiles) == ["q"], "a profile of which something is wrong is not used"
    assert [problem.key for problem in found.problems if problem.profile == "z"] == ["profile.z.x"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("", True),
        ('a = "]" # x [\r\n[b."]"]\nc = { d = [1, "}"] }\n', True),
        ("'[[' = 1", True),
        ('a = "\\"[" # "', True),
        ("[[call]]", True),
        ("a = [", False),
        ("a = [\n]", False),
        ("a = [[[1]]]", False),
        ('a = """\n[\n"""', False),
        ("a = '''[", False),
        ('a = "', False),
        ("'", False),
        ("a" + ".b" * 20 + " = 1", False),
        ("]", False),
    ],
)
def test_text_is_plain_only_if_nothing_is_nested(text: str, plain: bool) -> None:
    assert is_plain(text) is plain
    assert not plain or layout(text).too_deep is None


@pytest.mark.parametrize("text", ["a=1\n" * 300_000, "a = [" + "1," * 200_000 + "]", "#" * (1 << 21)])
def test_text_that_would_take_seconds_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("it was read"))
    found = parse_toml(Path("a.toml"), text)
    assert isinstance(found, Problem)
    assert found.sentence.endswith("(limits: 1 MiB and 100,000 entries). Shorten it")


def test_long_key_is_reported_in_one_line(tmp_path: Path) -> None:
    found = loaded(tmp_path, HEAD + "x" * 100_000 + " = 1\n")
    assert all(len(str(problem)) < 1000 for problem in found.problems)
    assert nearest("x" * (LONGEST + 1), ["x" * LONGEST]) is None


def test_only_some_of_thousands_of_profiles_are_named(tmp_path: Path) -> None:
    many = "".join(f'[profile.p{number}]\nurl = "http://h"\n' for number in range(300))
    alike = "".join(f'[profile."x{"".join(ending)}"]\nurl = "http://h"\n' for ending in ("_a", "-a", ".a"))
    found = loaded(tmp_path, HEAD.replace('default = "q"\n', "") + many + alike)
    assert str(found.get("nobody")).endswith("and 285 more")
    assert [len(str(problem)) < 300 for problem in found.problems] == [True] * 3
