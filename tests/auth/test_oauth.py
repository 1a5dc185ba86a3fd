"""The flows of auth type oauth, driven by hand: which steps they take for a server far away."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from rpcexplorer.auth.credentials import Agreement, AuthCall, AuthRequest, AuthResponse, Fetch, Listen, LoginStep
from rpcexplorer.auth.registry import requests_for
from rpcexplorer.auth.token import OAuthAuth
from rpcexplorer.model.exchange import Refused, Sent
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.transport.port import Response
from tests.auth.driving import NOW, message

FAR = Profile("shop", "https://rpc.example.com", "/v1/rpc", auth=OAuthAuth())
METADATA = "https://rpc.example.com/.well-known/oauth-protected-resource/v1/rpc"


def answered(status: int, body: object = None, challenge: str = "") -> AuthResponse:
    headers = (("WWW-Authenticate", challenge),) if challenge else ()
    return AuthResponse(Sent(), Response(status, headers=headers, body=json.dumps(body).encode()))


def steps(profile: Profile, answers: Iterable[AuthResponse]) -> tuple[list[LoginStep], AuthResponse | Refused | None]:
    """Return the steps that a call without a token takes, until its end or that of the answers."""
    call = AuthCall(profile, message(), None, NOW, lambda: False)
    flow, taken = requests_for(call), list[LoginStep]()
    try:
        request: AuthRequest = next(flow)
        for answer in answers:
            taken += [request.step] if request.step else []
            request = flow.send(answer)
        taken += [request.step] if request.step else []
    except StopIteration as end:
        return taken, end.value
    return taken, None


def resource(*servers: str, covers: str = "https://rpc.example.com/v1/rpc") -> AuthResponse:
    return answered(200, {"resource": covers, "authorization_servers": servers})


def test_metadata_is_at_the_well_known_path_without_a_challenge() -> None:
    found = answered(404)
    taken, _ = steps(FAR, [AuthResponse(Malformed(""), Response(401)), found, found])
    root = "https://rpc.example.com/.well-known/oauth-protected-resource"
    server = "https://rpc.example.com/.well-known/oauth-authorization-server"
    assert taken == [Fetch(METADATA), Fetch(root), Fetch(server)]


def test_issuer_with_a_path_has_three_places_for_metadata() -> None:
    profile = Profile("shop", "https://rpc.example.com", "/", auth=OAuthAuth(issuer="https://id.example.com/tenant"))
    taken, end = steps(profile, [answered(404), answered(404), answered(404)])
    origin = "https://id.example.com"
    assert taken == [
        Fetch(f"{origin}/.well-known/oauth-authorization-server/tenant"),
        Fetch(f"{origin}/.well-known/openid-configuration/tenant"),
        Fetch(f"{origin}/tenant/.well-known/openid-configuration"),
    ]
    assert isinstance(end, Refused)
    assert "has no metadata of an authorization server. Set auth.issuer to the right URL." in end.sentence


@pytest.mark.parametrize(
    ("issuer", "warning"),
    [
        ("https://login.example.com", ""),
        ("https://10.0.0.5", " In your own network or on this machine: https://10.0.0.5."),
        ("http://127.0.0.1:9000", " In your own network or on this machine: http://127.0.0.1:9000."),
        ("https://[::ffff:192.168.1.1]/x", " In your own network or on this machine: https://[::ffff:192.168.1.1]."),
    ],
)
def test_other_server_is_asked_about_before_it_gets_a_request(issuer: str, warning: str) -> None:
    taken, _ = steps(FAR, [answered(401, challenge=f'Bearer resource_metadata="{METADATA}"'), resource(issuer)])
    assert isinstance(taken[-1], Agreement)
    assert taken[-1].question.startswith("https://rpc.example.com uses the authorization server")
    assert taken[-1].question.endswith(f".{warning}")
    assert [step for step in taken if isinstance(step, Fetch)] == [Fetch(METADATA)]


@pytest.mark.parametrize(
    ("page", "is_asked"), [("id", False), ("rpc", False), ("bank", True), ("id.example.com.b", True)]
)
def test_login_at_a_page_of_another_server_needs_a_yes(page: str, *, is_asked: bool) -> None:
    """A hostile issuer would get the code of the bank."""
    origin = "https://id.example.com"
    auth = OAuthAuth(issuer=origin, client_id="x")
    named = {
        "issuer": origin,
        "token_endpoint": f"{origin}/token",
        "authorization_endpoint": f"https://{page}.example.com",
    }
    taken, _ = steps(Profile("shop", "https://rpc.example.com", "/", auth=auth), [answered(200, named)])
    assert isinstance(taken[-1], Agreement) is is_asked
    assert isinstance(taken[-1], Listen) is not is_asked


LINK_LOCAL = [
    *("[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376"),
    *("169.254.43518", "169.254.169.254."),
]


@pytest.mark.parametrize(
    ("issuer", "problem"),
    [
        ("https://169.254.169.254/latest/meta-data", "link-local"),
        ("https://[fe80::1%25eth0]", "link-local"),
        *((f"https://{host}", "link-local") for host in LINK_LOCAL),
        ("https://evil.example\\.example.com", "character"),
        ("http://login.example.com", "https://"),
        ("ftp://login.example.com", "https://"),
        ("https://user:pw@login.example.com", "user name"),
        ("https://login.example.com#x", "fragment"),
        ("https://login.example.com/\u202e", "character"),
        ("https://[", "cannot be read"),
        ("", "must have a host"),
    ],
)
def test_issuer_that_no_request_may_go_to_is_refused(issuer: str, problem: str) -> None:
    taken, end = steps(FAR, [answered(401, challenge=f'Bearer resource_metadata="{METADATA}"'), resource(issuer)])
    assert taken == [Fetch(METADATA)]
    assert isinstance(end, Refused)
    assert "is not used" in end.sentence
    assert problem in end.sentence


@pytest.mark.parametrize(
    ("covers", "is_used"),
    [
        ("https://rpc.example.com", True),
        ("https://rpc.example.com/v1/", True),
        ("https://rpc.example.com/v1/rpc", True),
        ("https://rpc.example.com/v1/rp", False),
        ("https://rpc.example.com/v2", False),
        ("https://rpc.example.com:444/v1/rpc", False),
        ("http://rpc.example.com/v1/rpc", False),
    ],
)
def test_metadata_must_be_about_the_profiles_server(covers: str, is_used: bool) -> None:
    answers = [answered(401, challenge=f'Bearer resource_metadata="{METADATA}"')]
    _, end = steps(FAR, [*answers, resource("https://login.example.com", covers=covers)])
    assert (end is None) is is_used
