"""Secrets show their name wherever they end up; origins have one spelling."""

from __future__ import annotations

import copy
import json
import logging
import pickle

import pytest

from rpcexplorer.model.secret import Secret, is_loopback, origin_of

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
def test_however_a_secret_is_printed_its_name_comes_out(shown: str) -> None:
    assert "hunter2" not in shown
    assert "«staging.password»" in shown


def test_a_secret_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(SECRET)


def test_a_secret_cannot_be_made_into_json_by_accident() -> None:
    with pytest.raises(TypeError):
        json.dumps({"password": SECRET})


def test_copies_are_the_secret_itself() -> None:
    assert copy.copy(SECRET) is SECRET
    assert copy.deepcopy({"x": SECRET})["x"] is SECRET


def test_only_asking_for_it_reveals_it() -> None:
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
def test_an_origin_is_scheme_host_and_port_in_one_spelling(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize("url", ["http://x:99999", "http://[", ""])
def test_a_url_that_cannot_be_split_is_an_origin_like_no_other(url: str) -> None:
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
def test_what_stays_on_this_machine(url: str, stays: bool) -> None:
    assert is_loopback(url) is stays
