from __future__ import annotations

import pytest

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.client import preview
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret


def cookies(profile: Profile, *, has_session: bool) -> list[str]:
    found = preview(profile, Draft("ping", "[]"), "1", has_session=has_session)
    assert isinstance(found, Preview)
    return [value for name, value in found.headers if name == "Cookie"]


def test_a_session_is_shown_by_its_name() -> None:
    shop = Profile("shop", "https://rpc.example.com", auth=CookieAuth())
    assert cookies(shop, has_session=True) == ["sessionid=«shop.session»"]
    assert cookies(shop, has_session=False) == []


@pytest.mark.parametrize("auth", [CookieAuth(), NoAuth()])
def test_a_cookie_of_the_profiles_own_stays_as_it_is(auth: CookieAuth | NoAuth) -> None:
    shop = Profile("shop", "https://rpc.example.com", auth=auth, headers=(("Cookie", "a=bcd"),))
    assert cookies(shop, has_session=False) == ["a=bcd"]


INLINE = Profile("shop", "https://rpc.example.com", auth=InlineAuth("ada"))


def body_of(text: str, *secrets: Secret, profile: Profile = INLINE) -> tuple[str, str]:
    found = preview(profile, Draft("m", text), "1", has_session=False, secrets=secrets)
    assert isinstance(found, Preview)
    return found.body.decode(), found.doubt


def test_what_was_typed_is_shown_as_it_would_go_out() -> None:
    body, doubt = body_of(
        '{"password":"bobs-new-pw","mine":"hunter2-hunter2"}', Secret("hunter2-hunter2", "shop.password")
    )
    assert '"password":"bobs-new-pw","mine":"«shop.password»"' in body
    assert doubt == ""


def test_what_would_not_be_sent_is_shown_with_the_reason() -> None:
    for mark, said in (
        ("«not recorded»", "not recorded"),
        ("«other.password»", "profile other"),
        ("x «shop.password»", "longer"),
    ):
        body, doubt = body_of(f'{{"x":"{mark}"}}')
        assert mark in body
        assert said in doubt


@pytest.mark.parametrize("path", ["/v3/«not recorded»/x", "/not-recorded/«not recorded»"])
def test_what_an_address_had_that_was_not_recorded_is_marked_and_hides_nothing_else(path: str) -> None:
    profile = Profile("url", f"https://rpc.example.com{path}", path="", ad_hoc=True)
    made = preview(profile, Draft("ping"), "1", has_session=False)
    assert isinstance(made, Preview)
    assert made.line == f"POST {path} HTTP/1.1"
