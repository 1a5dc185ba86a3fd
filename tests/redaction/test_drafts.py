"""Drafts as they are shown, copied and recorded."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.exchange import redacted_draft, redactor_for_files, redactor_of

SHOP = Profile("shop", "https://shop.example.com", auth=InlineAuth("ada"))
SECRETS = [Secret("hunter2-hunter2", "shop.password"), Secret("s3cr3t-of-prod", "prod.password")]


def test_reference_replaces_only_the_secret_it_names() -> None:
    draft = Draft("note.hunter2-hunter2", '["hunter2-hunter2", "s3cr3t-of-prod"]', notification=True)
    kept = redacted_draft(draft, SHOP, redactor_of(SHOP, SECRETS))
    assert kept == Draft("note.«shop.password»", '["«shop.password»", "«not recorded»"]', notification=True)


@pytest.mark.parametrize(
    ("draft", "guessed"),
    [
        (Draft("login", '["ada", "bobs-pw"]'), Draft("login", '["ada", "«not recorded»"]')),
        (Draft("note.add", '["ada", "bobs-pw"]'), None),
        (Draft("note.add", '{"password": "bobs-pw"}'), Draft("note.add", '{"password": "«not recorded»"}')),
        (
            Batch('[{"method": "login", "params": ["ada", "bobs-pw"]}]'),
            Batch('[{"method": "login", "params": ["ada", "«not recorded»"]}]'),
        ),
    ],
)
def test_possible_secret_is_redacted_only_with_guesses(draft: Draft | Batch, guessed: Draft | Batch | None) -> None:
    assert redacted_draft(draft, SHOP, redactor_of(SHOP, SECRETS)) == draft
    assert redacted_draft(draft, SHOP, redactor_of(SHOP, SECRETS, guesses=True)) == (guessed or draft)


LOGIN = Login("call", ["0" * 32, "session", "login", {"username": "{username}", "password": "{password}"}])


@pytest.mark.parametrize(
    ("method", "params", "guessed"),
    [
        ("call", '["system", "board", {}]', None),
        ("call", f'["{"0" * 32}", "session", "login", ["ada", "bobs-pw"]]', ["ada", "«not recorded»"]),
        ("login", '["x", ["ada", "bobs-pw"]]', ["ada", "«not recorded»"]),
    ],
)
def test_params_show_the_login_if_methods_are_equal(method: str, params: str, guessed: list[str] | None) -> None:
    profile = replace(SHOP, login=LOGIN)
    hide = redactor_of(profile, SECRETS, guesses=True)
    kept = redacted_draft(Draft(method, params), profile, hide)
    assert isinstance(kept, Draft)
    assert (kept.text == params) if guessed is None else (json.loads(kept.text)[-1] == guessed)
    batch = '[{"method": "%s", "params": %s}]'
    kept = redacted_draft(Batch(batch % (method, params)), profile, hide)
    assert isinstance(kept, Batch)
    assert ("bobs-pw" not in kept.text) if guessed else (kept.text == batch % (method, params))


def test_address_or_method_like_secret_is_not_recorded() -> None:
    assert redactor_for_files(replace(SHOP, ad_hoc=True), "ping", SECRETS) is None
    assert redactor_for_files(SHOP, "get.hunter2-hunter2", SECRETS) is None
    hide = redactor_for_files(SHOP, "ping", SECRETS)
    assert hide is not None
    assert hide.params('["hunter2-hunter2"]') == '["«shop.password»"]'
