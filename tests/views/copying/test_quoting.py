"""Text as a word of a shell and as an expression of Python."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcexplorer.export.snippets import python_expression, quoted, shell_word, unless_set
from rpcexplorer.text.printable import printable

ODD = [
    "",
    "plain",
    "it's",
    "''",
    '"$HOME" `id` $(id) \\ !! *?[a] {a,b} ~ # ; & | > <',
    "two\nlines\n",
    "\t\r\x1b]52;c;x\x07\x7f",
    "é 漢字 🎉 \u202e\u200b\ufe0f\u2028",
    "\x1bff",
    "-n",
    "=ls",
    "\\",
    "\\'",
]
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)


def read_by_bash(words: list[str], **variables: str) -> list[str]:
    """What bash makes of some words, in the plainest of locales."""
    script = "printf '%s\\0' " + " ".join(words)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", **variables}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=environment)
    assert ran.stderr == b""
    return [part.decode() for part in ran.stdout.split(b"\0")[:-1]]


def test_a_shell_reads_every_word_as_the_text_it_stands_for() -> None:
    assert read_by_bash([quoted(text) for text in ODD]) == ODD


@given(st.lists(TEXTS, min_size=1, max_size=30))
@settings(max_examples=20)
def test_a_shell_reads_any_text_back(texts: list[str]) -> None:
    assert read_by_bash([quoted(text) for text in texts]) == texts


@given(TEXTS)
def test_what_is_quoted_is_printable_and_stays_on_its_lines(text: str) -> None:
    word = quoted(text)
    assert printable(word, lines=True).replace("\t", "tab") == word
    assert word.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ["ping", "https://rpc.example.com:8443/api/v2/", "Accept:json", "user.get", "50%"])
def test_a_word_that_needs_no_quotes_gets_none(text: str) -> None:
    assert quoted(text) == text


SECRET = """a"b\\c'd $HOME `id` é!"""


def test_a_placeholder_becomes_a_variable_whose_value_is_not_read_as_shell() -> None:
    word = shell_word("Cookie: sessionid=«my-shop.session»; a=b", "my-shop")
    assert word == """'Cookie: sessionid='"${RPCEXPLORER_MY_SHOP_SESSION:?}"'; a=b'"""
    assert read_by_bash([word], RPCEXPLORER_MY_SHOP_SESSION=SECRET) == [f"Cookie: sessionid={SECRET}; a=b"]


def test_in_json_the_variables_value_is_spelled_as_json() -> None:
    word = shell_word('{"p":"«shop.password»","u":"«shop.username»"}', "shop", json=True)
    (body,) = read_by_bash([word], RPCEXPLORER_SHOP_PASSWORD=SECRET, RPCEXPLORER_SHOP_USERNAME="ada")
    assert json.loads(body) == {"p": SECRET, "u": "ada"}


def test_a_variable_that_is_not_set_is_complained_about() -> None:
    ran = subprocess.run(
        ["bash", "-c", f"echo {shell_word('«shop.password»', 'shop')}"], capture_output=True, check=False
    )
    assert ran.returncode != 0
    assert ran.stdout == b""
    assert b"RPCEXPLORER_SHOP_PASSWORD" in ran.stderr


@pytest.mark.parametrize(
    "text", ["«a»", "«shop.colour»", "«.password»", "shop.password", "«shop.password", "«é.password»"]
)
def test_what_only_looks_like_a_placeholder_stays_text(text: str) -> None:
    assert "$" not in shell_word(text, "shop")
    assert "environ" not in python_expression(text, "shop")


@given(st.text(max_size=30))
def test_an_expression_of_python_is_printable_and_evaluates_to_the_text(text: str) -> None:
    expression = python_expression(text, "shop")
    assert printable(expression) == expression
    assert eval(expression) == text


def test_python_reads_secrets_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPCEXPLORER_SHOP_PASSWORD", SECRET)
    names = {"os": os, "json": json}
    assert eval(python_expression("x «shop.password»", "shop"), names) == f"x {SECRET}"
    body = eval(python_expression('{"p":"«shop.password»"}', "shop", json=True), names)
    assert json.loads(body) == {"p": SECRET}


OTHERS = ["«other.password»", "«not recorded»", "«RPCEXPLORER_OLD_PASSWORD»"]


@pytest.mark.parametrize("mark", OTHERS)
def test_what_the_profile_has_no_variable_for_is_read_from_one_that_nobody_has_set(mark: str) -> None:
    body = f'{{"a":"{mark}","b":"«shop.password»"}}'
    for text in (
        shell_word(body, "shop", json=True),
        shell_word(body, "shop"),
        python_expression(body, "shop", json=True),
    ):
        assert "NOT_RECORDED" in text
        assert "RPCEXPLORER_OTHER" not in text
        assert "RPCEXPLORER_OLD" not in text
        assert "RPCEXPLORER_SHOP_PASSWORD" in text


def test_a_command_does_not_begin_where_a_variable_inside_of_json_is_not_set() -> None:
    body = '{"p":"«shop.password»","x":"«not recorded»","y":"«not recorded»"}'
    script = f"{unless_set(body, 'shop')}echo {shell_word(body, 'shop', json=True)}"
    for known, missing in (({}, b"SHOP_PASSWORD"), ({"RPCEXPLORER_SHOP_PASSWORD": "x"}, b"NOT_RECORDED")):
        ran = subprocess.run(["bash", "-c", script], capture_output=True, check=False, env={**os.environ, **known})
        assert (ran.returncode != 0, ran.stdout) == (True, b"")
        assert missing in ran.stderr
    assert unless_set("{}", "shop") == ""
