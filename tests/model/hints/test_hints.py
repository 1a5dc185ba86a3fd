"""What is told of a call that failed, from what real servers send."""

from __future__ import annotations

import shlex

import pytest

from rpcexplorer.model.hints.hint import Changes, setting
from rpcexplorer.model.profile import Profile, ad_hoc

FILED = Profile("staging", "http://h")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("content_type", "application/json"),), ["content_type=application/json"]),
        ((("empty_params", "{}"), ("auth.kind", "basic")), ["empty_params={}", "auth.kind=basic"]),
        ((("handshake", {"header": "X-Id"}),), ['handshake={ header = "X-Id" }']),
        ((("path", "/it's; rm -rf $HOME"),), ["path=/it's; rm -rf $HOME"]),
        ((("content_type", None), ("timeout", 5)), ["content_type=", "timeout=5"]),
    ],
)
def test_a_command_says_the_same_to_any_shell(changes: Changes, words: list[str]) -> None:
    (line,) = setting(FILED, "http://h", changes)
    assert shlex.split(line) == ["rpcexplorer", "profiles", "set", "staging", *words]


def test_an_address_is_kept_as_a_profile_first() -> None:
    lines = setting(ad_hoc("http://h"), "http://h/api/v2/", (("auth.kind", "basic"),), "password")
    assert lines == (
        "rpcexplorer profiles add NAME --url=http://h/api/v2/ --auth=none",
        "rpcexplorer profiles set NAME auth.kind=basic",
        "rpcexplorer profiles secret NAME password",
    )
