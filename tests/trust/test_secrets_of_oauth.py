"""Tokens, codes and secrets of OAuth are in no output, even if both servers repeat what they got."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from tests.cli.test_oauth import Browser, login, profile
from tests.fakes.oauth import CLIENT, REFRESH, SECRET, TOKEN, Issuer, Resource, json_reply
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, Received
from tests.trust.planted import spellings


class RepeatingIssuer(Issuer):
    """Repeats each form and header in an error, once it is told to."""

    repeats = False

    def token(self, request: Received) -> bytes:
        answer = super().token(request)
        if not self.repeats:
            return answer
        names = ("code", "code_verifier", "refresh_token", "client_secret")
        heard = " ".join([request.header("Authorization") or "", *(self.forms[-1].get(name, "") for name in names)])
        return json_reply({"error": "invalid_grant", "error_description": heard}, 400)


class RepeatingResource(Resource):
    """Repeats the token in its result, and all tokens that its issuer knows."""

    def _serve(self, request: Received) -> Parts:
        if request.line.startswith("POST") and request.header("Authorization"):
            known = [*self.issuer.tokens, *self.issuer.refresh]
            return request.reply(result=[request.header("Authorization"), *known], headers={"X-Token": str(known)})
        return super()._serve(request)


def test_planted_tokens_are_in_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path)
    with RepeatingIssuer() as issuer, RepeatingResource(issuer) as resource:
        browser = Browser(monkeypatch)
        runs = [login(shell, resource), shell.run("call", "ping", "--no-input", "-i", "--body")]
        issuer.repeats = True
        issuer.revoke()
        runs += [login(shell, resource), shell.run("call", "ping", json.dumps([f"{REFRESH}-1"]), "--no-input")]
        assert len(browser.visited) == 2
        proofs = [form[name] for form in issuer.forms for name in ("code", "code_verifier") if name in form]
        shell.own(profile(resource, f', grant = "client", client_id = "{CLIENT}", issuer = "{issuer.url}"'))
        shell.run("profiles", "secret", "shop", "client_secret", "--stdin", stdin=SECRET.encode())
        issuer.repeats = False
        runs += [shell.run("call", "ping", "--no-input")]
        issuer.repeats = True
        runs += [shell.run("login", "--no-input"), shell.run("profiles", "show", "shop")]
        runs += [shell.run("copy", "--as", form) for form in ("curl", "python", "httpie", "report", "request")]
        runs += [shell.run("history", "list"), shell.run("history", "show", "--json"), shell.run("profiles", "check")]
        planted = [f"{TOKEN}-1", f"{REFRESH}-1", f"{TOKEN}-{issuer.issued}", SECRET, *proofs]
        planted.append(b64encode(f"{quote_plus(CLIENT)}:{quote_plus(SECRET)}".encode()).decode())
        sinks = [*(run.text + run.err for run in runs)]
        sinks += [text for path, text in shell.files().items() if not path.endswith("secrets.toml")]
        assert len(planted) == 9
        assert any("«shop.session»" in sink for sink in sinks)
        for value in planted:
            for spelled in spellings(value):
                assert [sink for sink in sinks if spelled in sink] == [], spelled
