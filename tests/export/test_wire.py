"""Snippets pasted into every available shell, against the demo service.

A proxy between the snippet and the service records each byte.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from rpcexplorer.demo import PASSWORD, USERNAME
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

CURL = Path(__file__).parents[1] / "fakes" / "curl.py"
PROGRAM = f'#!/bin/sh\nexec {sys.executable} -m rpcexplorer "$@"\n'
ODD = [
    "it's \"quoted\" \\ \\\\ \\' $HOME ${HOME} $(id) `id` !x !! ^a^b",
    "two\nlines\r\n\ttab \x00 \x1b]52;c;eA==\x07 \x7f",
    "é 漢字 🎉 👩\u200d🚀 \u202e\u2066 \ufeff \u2028 ﷽",
    "%s %n %% -n --help @/etc/passwd @- =x :=1 ~ * ? [a-z] {a,b} # ; & && | > < ( ) ^ , :",
    "{{today}} {{{{x}} {{nobody}} «shop.nothing» «x» «",
    "\\u0041 \\x41 \\101 \\n",
]
BARE = [each.replace("\x00", "") for each in ODD]
NUMBERS = '"\\ud800 \\u0000 \\u00ab", 1.10, 1e400, -0, 123456789012345678901234567890'
PARAMS = (
    "".join(
        f"{{\n\t{json.dumps(name)} :\r\n [{value}] ,"
        for name, value in {
            "": json.dumps(ODD)[1:-1],
            "it's !$`\\": json.dumps(BARE, ensure_ascii=False)[1:-1],
            "-n": NUMBERS,
        }.items()
    )
    .replace(",{", ",")
    .removesuffix(",")
    + "}"
)
"""Params with escapes, with other letters, and with typed white space."""
METHOD = "demo.echo"
PROFILE = f"""version = 1
[profile.shop]
url = "{{origin}}"
headers = {{{{ X-Odd = "it's $HOME" }}}}
auth = {{{{ kind = "cookie", username = "{USERNAME}" }}}}
"""
SHELLS = {name: [name, *words, "-c"] for name, words in {"bash": ["-u"], "zsh": ["-f"]}.items() if shutil.which(name)}
IN_SHELLS = ["curl", "command", *(["httpie"] if shutil.which("http") else [])]
CASES = [*((form, shell) for form in IN_SHELLS for shell in SHELLS), ("python", "")]


def passed_on(url: str, request: Received) -> Parts:
    """Return the response of the demo service."""
    names = ("Content-Type", "Accept", "Cookie")
    headers = {name: value for name in names if (value := request.header(name))}
    try:
        came = urlopen(Request(f"{url}{request.line.split()[1]}", request.body, headers))
    except HTTPError as error:
        came = error
    with came as reply:
        cookies = [("Set-Cookie", each) for each in reply.headers.get_all("Set-Cookie") or ()]
        return http_reply(reply.read(), reply.status, cookies)


def told(request: Received, *, own: bool) -> tuple[object, ...]:
    """Return the parts of a request that must be the same.

    The rpcexplorer command (``own``) has its own id.
    """
    body = re.sub(rb'"id":"[^"]*"', b"", request.body, count=1) if own else request.body
    return request.line, body, *(request.header(name) for name in ("Content-Type", "Accept", "X-Odd", "Cookie"))


def pasted(form: str, text: str, shell: str, folder: Path, environment: dict[str, str]) -> bytes:
    programs = folder / "programs"
    programs.mkdir()
    for name, script in {"curl": f'#!/bin/sh\nexec {sys.executable} {CURL} "$@"\n', "rpcexplorer": PROGRAM}.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    path = os.pathsep.join([*([str(programs)] if form == "command" else []), os.environ["PATH"], str(programs)])
    whole = {"PATH": path, "NO_PROXY": "*", "HOME": str(folder), "LC_ALL": "C.UTF-8", **environment}
    command = [sys.executable, "-c", text] if form == "python" else [*SHELLS[shell], text]
    ran = subprocess.run(command, capture_output=True, check=False, env=whole, stdin=subprocess.DEVNULL, cwd=folder)
    assert ran.returncode == 0, (text, ran.stderr)
    return ran.stdout


@pytest.mark.everyday(1)
@pytest.mark.parametrize(("form", "shell"), CASES)
def test_pasted_snippet_sends_the_same_bytes(url: str, tmp_path: Path, form: str, shell: str) -> None:
    ours = Shell(tmp_path)
    held = {"RPCEXPLORER_SHOP_PASSWORD": PASSWORD}
    ours.environment |= held
    with RawServer(lambda request: passed_on(url, request)) as server:
        ours.sessions(PROFILE.format(origin=server.origin))
        assert (ran := ours.run("call", METHOD, PARAMS)).code == 0, ran.err
        sent = server.requests[-1]
        text = ours.run("copy", "--as", form).text
        assert PASSWORD not in text
        more = {**held, **ours.environment} if form == "command" else held
        came = pasted(form, text.removesuffix("\n"), shell, ours.folder, more)
        received = server.requests[-1]
    assert received is not sent
    own = form == "command"
    cookies = [re.sub("=.*", "=", str(request.header("Cookie"))) for request in (sent, received)]
    assert cookies == ["sessionid="] * 2, "each has a session of its own"
    assert told(received, own=own)[:-1] == told(sent, own=own)[:-1]
    assert ran.out.strip() in came


BATCH = f'[{{"method": "it\'s %s \\\\ $x !y", "params": {PARAMS}}},\n{{"method": "b", "id": null}}, {{"method": "c"}}]'


@pytest.mark.thorough
@pytest.mark.parametrize(("form", "kind"), [("command", "batch"), ("curl", "notify")])
def test_pasted_batch_or_notification_sends_the_same_bytes(tmp_path: Path, form: str, kind: str) -> None:
    def answer(request: Received) -> Parts:
        calls = request.json if kind == "batch" else []
        replies = [{"jsonrpc": "2.0", "id": call["id"], "result": 1} for call in calls if "id" in call]
        return http_reply(json.dumps(replies).encode() if replies else b"", 200 if replies else 204)

    ours = Shell(tmp_path)
    with RawServer(answer) as server:
        ours.sessions(f'version = 1\n[profile.shop]\nurl = "{server.origin}"\n')
        words = ["batch"] if kind == "batch" else ["notify", "it's %s \\ $x !y", PARAMS]
        assert ours.run(*words, stdin=BATCH.encode()).code == 0
        text = ours.run("copy", "--as", form).text
        pasted(form, text.removesuffix("\n"), next(iter(SHELLS)), ours.folder, ours.environment)
    sent, received = (re.sub(rb'"id":"[^"]*[.]', b'"id":"', request.body) for request in server.requests)
    assert received == sent
    assert sent.count(b"$HOME") > 1
