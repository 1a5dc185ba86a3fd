from __future__ import annotations

import pytest

from rpcexplorer.client.preview import preview
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview
from rpcexplorer.model.profile import CookieAuth, NoAuth, Profile


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
