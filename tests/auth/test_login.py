"""Session cookies in every spelling of Set-Cookie that servers use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rpcexplorer.auth.login import SetCookie, session_cookie

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ([], None),
        (["other=1; Path=/"], None),
        (["sessionid"], None),
        (["sessionid=abc"], SetCookie("abc", deleted=False)),
        (["sessionid=abc; Path=/; HttpOnly; Secure; SameSite=Lax"], SetCookie("abc", deleted=False)),
        ([" sessionid = abc ;Path=/"], SetCookie("abc", deleted=False)),
        (["sessionid=a=b=="], SetCookie("a=b==", deleted=False)),
        (["sessionid=old", "sessionid=new"], SetCookie("new", deleted=False)),
        (["sessionid="], SetCookie("", deleted=True)),
        (["sessionid=x; Max-Age=0"], SetCookie("x", deleted=True)),
        (["sessionid=x; max-age=-1"], SetCookie("x", deleted=True)),
        (["sessionid=x; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], SetCookie("x", deleted=False)),
        (["sessionid=x; Max-Age=99999999999999999999"], SetCookie("x", deleted=False)),
        (["sessionid=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], SetCookie("x", deleted=True)),
        (["sessionid=x; Expires=Thu, 01-Jan-1970 00:00:00 GMT"], SetCookie("x", deleted=True)),
        (["sessionid=x; Expires=Sat, 21 Nov 2099 00:00:00 GMT"], SetCookie("x", deleted=False)),
        (["sessionid=x; Expires=whenever"], SetCookie("x", deleted=False)),
        (["sessionid=new", "sessionid=; Max-Age=0"], SetCookie("", deleted=True)),
    ],
)
def test_last_cookie_of_the_session_counts(headers: list[str], found: SetCookie | None) -> None:
    assert session_cookie([("Set-Cookie", text) for text in headers], "sessionid", NOW) == found
