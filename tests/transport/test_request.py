from __future__ import annotations

import httpx
import pytest

from rpcexplorer.transport.port import Headers, Request, Unreachable
from rpcexplorer.transport.request import address_of, request_headers

URL = "https://rpc.example.com/api/v2/"


def request(**settings: object) -> Request:
    return Request(**{"url": URL, "body": b"{}", **settings})  # type: ignore[arg-type]


def headers_of(request: Request) -> Headers:
    return request_headers(request, address_of(request.url))


def refusal(of: Request) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        headers_of(of)
    return caught.value


def test_document_request_has_no_body_headers() -> None:
    headers = headers_of(request(verb="GET", body=b"", headers=(("Authorization", "Bearer x"),)))
    assert headers == (("Host", "rpc.example.com"), ("Accept", "*/*"), ("Authorization", "Bearer x"))


def test_profile_header_replaces_default_in_place() -> None:
    headers = headers_of(request(headers=(("X-Tenant", "acme"), ("content-type", "text/plain"))))
    assert [name for name, _ in headers] == ["Host", "content-type", "Accept", "Content-Length", "X-Tenant"]
    assert dict(headers)["content-type"] == "text/plain"


def test_request_has_one_cookie_header() -> None:
    headers = headers_of(request(headers=(("cookie", "theme=dark"),), cookie="sessionid=abc"))
    assert [value for name, value in headers if name.lower() == "cookie"] == ["theme=dark; sessionid=abc"]


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0", "é", "\x1b[2J", "\x7f", "\ud800"])
def test_unsafe_header_value_is_refused_by_name(value: str) -> None:
    problem = refusal(request(headers=(("X-Key", value),)))
    assert problem.step == "request"
    assert "X-Key" in problem.sentence
    assert value not in problem.sentence


@pytest.mark.parametrize("name", ["", "X Y", "X:", "X\r\nY", "é", "X\x1b"])
def test_invalid_header_name_is_refused_and_escaped(name: str) -> None:
    problem = refusal(request(headers=((name, "v"),)))
    assert problem.step == "request"
    assert problem.sentence.isprintable()
    assert problem.sentence.isascii()


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding"])
def test_framing_headers_of_profile_are_refused(name: str) -> None:
    assert name in refusal(request(headers=((name, "1"),))).sentence


@pytest.mark.parametrize("field", ["content_type", "accept"])
def test_values_of_default_headers_are_checked(field: str) -> None:
    assert refusal(request(**{field: "a\nb"})).step == "request"


@pytest.mark.parametrize("value", ["abc", "", '"quoted"', "a,b", "a b", "a\\b", "a=b==", "!#$%&'()*+-./:<>?@[]^_`{|}~"])
def test_cookies_are_sent_unchanged(value: str) -> None:
    assert ("Cookie", f"sessionid={value}") in headers_of(request(cookie=f"sessionid={value}"))


@pytest.mark.parametrize(
    "value", ["SECRET\n", "SECRET\r\nX: 1", "SECRET; a=b", "SECRÉT", "SECRET\0", " SECRET", "SECRET "]
)
def test_unsafe_cookie_is_refused_without_quoting_it(value: str) -> None:
    problem = refusal(request(cookie=f"sessionid={value}"))
    assert problem.step == "request"
    assert value.strip() not in problem.sentence
    assert "SECR" not in problem.sentence


@pytest.mark.parametrize("cookie", ["", "abc", "=abc", "a b=c", "é=c"])
def test_cookie_without_valid_name_is_refused(cookie: str) -> None:
    assert refusal(request(cookie=cookie)).step == "request"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "http://"),
        ("rpc.example.com", "http://"),
        ("localhost:8000/api", "http://"),
        ("ftp://h/", "http://"),
        ("http://", "no host"),
        ("http:///path", "no host"),
        ("http://:80/", "no host"),
        ("http://h:99999/", "port"),
        ("http://h:0/", "port"),
        ("http://h:x/", "port"),
        ("http://h:-1/", "port"),
        ("http://xn--/", "name"),
        ("http://a..b/", "name"),
        ("http://" + "a" * 64 + "/", "name"),
        ("http://" + "a." * 130 + "a/", "name"),
        ("http://a_b-/", "name"),
        ("http://a\\b/", "name"),
        ("http://a%41/", "name"),
        ("http://999.1.1.1/", "IP address"),
        ("http://[::1/", "host"),
        ("http://[nonsense]/", "host"),
        ("http://[fe80::1%25eth0]/", "IP address"),
        ("http://user:SECRET@h/", "password"),
        ("http://user:SECRET@\u2102\u2100.example/", "host"),
        ("http://user:SECRET@[h/", "host"),
        ("http://SECRET@h/", "password"),
        ("http://h/\0", "U+0000 at position 10"),
        ("http://h/a b", "U+0020"),
        (" http://h/", "position 1"),
        ("http://h/\n", "U+000A"),
        ("http://h/\x1b[2J", "U+001B"),
        ("http://h/\u202e", "U+202E"),
        ("http://h/\ud800", "U+D800"),
        ("http://h/a/../b", "/../"),
        ("http://\u2102\u2100.example/", "host"),
    ],
)
def test_unusable_url_is_refused_with_reason(url: str, words: str) -> None:
    with pytest.raises(Unreachable) as caught:
        address_of(url)
    assert caught.value.step == "url"
    assert caught.value.__context__ is None
    assert words in caught.value.sentence
    assert caught.value.sentence.isprintable()
    assert "SECRET" not in caught.value.sentence


@pytest.mark.parametrize(
    ("url", "authority", "port", "target"),
    [
        ("http://h", "h", 80, "/"),
        ("HTTP://H:80/", "h", 80, "/"),
        ("https://h:443/x", "h", 443, "/x"),
        ("https://h:80/x", "h:80", 80, "/x"),
        ("http://[::1]:8080/", "[::1]:8080", 8080, "/"),
        ("http://[2001:DB8:0::0:1]/", "[2001:db8::1]", 80, "/"),
        ("http://127.0.0.1:1/", "127.0.0.1:1", 1, "/"),
        ("http://my_service.local./", "my_service.local.", 80, "/"),
        ("http://bücher.example/", "xn--bcher-kva.example", 80, "/"),
        ("http://BÜCHER.example/", "xn--bcher-kva.example", 80, "/"),
        ("http://h/ä?q=ä#part", "h", 80, "/%C3%A4?q=%C3%A4"),
        ("http://h/a%2Fb%zz?x=1%", "h", 80, "/a%2Fb%25zz?x=1%25"),
        ("http://h?x={}", "h", 80, "/?x={}"),
        ("http://h/<{\"'^|`>}", "h", 80, "/%3C%7B%22'^|%60%3E%7D"),
        ("http://h/...//a.b", "h", 80, "/...//a.b"),
    ],
)
def test_address_equals_that_of_httpx(url: str, authority: str, port: int, target: str) -> None:
    address = address_of(url)
    assert (address.authority, address.port, address.target) == (authority, port, target)
    theirs = httpx.URL(address.url)
    assert (theirs.netloc.decode(), theirs.raw_path.decode()) == (authority, target)
    assert str(theirs) == address.url
