from __future__ import annotations

import subprocess
import sys

import pytest

from rpcexplorer.transport.port import NOTHING_CAME, Request, Response, Unreachable


def response(*headers: tuple[str, str]) -> Response:
    return Response(200, "OK", "HTTP/1.1", headers, b"secret", 6)


def test_a_header_is_found_whatever_its_case() -> None:
    assert response(("LOCATION", "/x")).header("location") == "/x"


def test_a_header_that_is_not_there_is_none() -> None:
    assert response().header("Location") is None


def test_of_several_headers_of_one_name_the_first_is_found() -> None:
    assert response(("Set-Cookie", "b=1"), ("X", "-"), ("set-cookie", "a=2")).header("Set-Cookie") == "b=1"


def test_no_repr_shows_what_may_be_secret() -> None:
    request = Request("http://h/", b"secret", headers=(("X-Key", "secret"),), cookie="sessionid=secret")
    assert "secret" not in repr(request)
    assert "secret" not in repr(response(("Set-Cookie", "sessionid=secret")))


def test_a_failure_reads_as_its_sentence() -> None:
    problem = Unreachable("url", "The URL has no host.")
    assert str(problem) == problem.sentence == "The URL has no host."
    assert (problem.response, problem.maybe_ran) == (NOTHING_CAME, False)


@pytest.mark.parametrize("module", ["", ".port", ".request", ".response"])
def test_only_sending_costs_the_import_of_httpx(module: str) -> None:
    code = f"import sys, rpcexplorer.transport{module}; sys.exit(any('http' in m.split('.')[0] for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
