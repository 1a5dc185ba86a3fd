"""Secrets never show their value; origins have one spelling."""

from __future__ import annotations

import copy
import json
import logging
import pickle

import pytest

from rpcexplorer.model.secret import (
    PROFILE_NAME,
    UNRECORDED,
    Secret,
    defused,
    for_others,
    is_loopback,
    of_another,
    of_this,
    origin_of,
    reference_paths,
    unsendable,
    without,
)
from rpcexplorer.secrets.leaks import suspects

SECRET = Secret("hunter2hunter2", "staging.password")


@pytest.mark.parametrize(
    "shown",
    [
        repr(SECRET),
        str(SECRET),
        f"{SECRET}",
        f"{SECRET:>30}",
        f"{SECRET!r}",
        "%s" % SECRET,  # noqa: UP031 - this way of formatting is one of the ways out
        repr([SECRET]),
        repr({"x": SECRET}),
        logging.LogRecord("n", 0, "p", 1, "%s", (SECRET,), None).getMessage(),
    ],
)
def test_printed_secret_shows_its_reference(shown: str) -> None:
    assert "hunter2" not in shown
    assert "«staging.password»" in shown


def test_secret_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(SECRET)


def test_secret_cannot_be_encoded_as_json() -> None:
    with pytest.raises(TypeError):
        json.dumps({"password": SECRET})


def test_copy_of_a_secret_is_the_secret_itself() -> None:
    assert copy.copy(SECRET) is SECRET
    assert copy.deepcopy({"x": SECRET})["x"] is SECRET


def test_only_reveal_returns_the_value() -> None:
    assert SECRET.reveal() == "hunter2hunter2"
    assert not hasattr(SECRET, "__dict__")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Example.com/api", "https://example.com"),
        ("https://example.com:443", "https://example.com"),
        ("http://example.com:80/", "http://example.com"),
        ("http://example.com:443", "http://example.com:443"),
        ("https://example.com:8443/x?y", "https://example.com:8443"),
        ("http://[::1]:8000/x", "http://[::1]:8000"),
        ("https://[::1]", "https://[::1]"),
    ],
)
def test_origin_has_one_spelling(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize("url", ["http://x:99999", "http://[", ""])
def test_url_that_cannot_be_split_has_unique_origin(url: str) -> None:
    assert origin_of(url) not in {origin_of("http://x"), origin_of("https://x")}


@pytest.mark.parametrize(
    ("url", "stays"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.1", True),
        ("http://127.8.9.10", True),
        ("http://[::1]:1", True),
        ("http://LOCALHOST", True),
        ("http://app.localhost", False),
        ("http://localhost.", False),
        ("http://127.0.0.1.", False),
        ("http://127.1", False),
        ("http://127.0.0.1.evil.example", False),
        ("http://localhost.evil.example", False),
        ("http://0.0.0.0", False),
        ("http://192.168.0.1", False),
        ("http://127.0.0.²", False),
        ("http://127.0.0.1²", False),
        ("http://١٢٧.0.0.1", False),
        pytest.param(f"http://127.0.0.{'1' * 5000}", False, id="more digits than int() takes"),
        ("http://[", False),
    ],
)
def test_loopback_url_stays_on_this_machine(url: str, stays: bool) -> None:
    assert is_loopback(url) is stays


def test_profile_name_cannot_be_the_mark() -> None:
    assert not PROFILE_NAME.fullmatch(UNRECORDED.strip("«»").partition(".")[0])


@pytest.mark.parametrize(
    "text", ['"«not recorded»"', '"a «not recorded» b"', r'"\u00abnot recorded\u00BB"', "«RPCEXPLORER_X_PASSWORD»"]
)
def test_unsendable_mark_is_also_found_inside_a_text(text: str) -> None:
    assert unsendable(text)


@pytest.mark.parametrize("text", ['"«shop.password»"', '"not recorded"', '"«recorded»"', '"«»"'])
def test_other_text_can_be_sent(text: str) -> None:
    assert not unsendable(text)


def test_references_belong_to_the_profile_they_name() -> None:
    text = '["«a.b.password»", "«a.password»", "«a.colour»"]'
    assert of_this(text, "a.b")
    assert of_another(text, "a.b") == "«a.password»"
    assert of_another('["«a.password»"]', "a") == ""


def test_defused_text_is_equal_json_without_references() -> None:
    value = {"«shop.password»": ["x «shop.session» y", "«é»"]}
    text = defused(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not of_this(text, "shop")


def test_reference_has_a_pointer() -> None:
    text = '{"a": {"note": "«shop.password»"}, "b": [1, "x «shop.session»"], "«shop.username»": "«a.password»"}'
    assert sorted(reference_paths(text, "shop")) == [("/", "username"), ("/a/note", "password"), ("/b/1", "session")]
    assert [field for _, field in reference_paths('["«shop.password»", "never closed', "shop")] == ["password"]


def test_deeply_nested_text_is_searched_quickly() -> None:
    assert reference_paths('{"a":' * 3_000 + '"«shop.password»"' + "}" * 3_000, "shop")


def test_text_from_outside_contains_no_references_of_ours() -> None:
    assert without('["«shop.password»", "«other.password»"]', "shop") == '["«not recorded»", "«other.password»"]'


@pytest.mark.parametrize("mark", [UNRECORDED, "«RPCEXPLORER_OLD_PASSWORD»", r"\u00abnot recorded\u00bb"])
def test_search_for_secrets_ignores_marks(mark: str) -> None:
    assert list(suspects(f'params = "{{\\"password\\":\\"{mark}\\"}}"\npassword = "{mark}"'.encode())) == []


def test_our_environment_variables_are_not_passed_on() -> None:
    given = {"PATH": "/bin", "RPCEXPLORER_SHOP_PASSWORD": "x", "_RPCEXPLORER_COMPLETE": "bash_complete"}
    assert for_others(given) == {"PATH": "/bin"}
