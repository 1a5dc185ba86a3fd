"""A call as something to paste: curl, Python, HTTPie, our own command, Markdown for a ticket.

No secret is ever in one. Where it would stand, the environment variable is read that the program itself would use,
so that what was pasted runs where the variable is set; in our own command and in Markdown a placeholder stays. Only
secrets of the profile that the call is made with have a variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.draft import Batch, to_calls
from rpcexplorer.model.method import as_named
from rpcexplorer.model.profile import AD_HOC_NAME, typed_whole
from rpcexplorer.model.secret import HIDDEN, PLACEHOLDER, placeholder
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.variables.resolve import escaped
from rpcexplorer.views.copying.certificates import CURL, HTTPIE, in_options, saved_in_shell
from rpcexplorer.views.copying.certificates import in_python as certificates_in_python
from rpcexplorer.views.copying.handshakes import HANDED, around
from rpcexplorer.views.copying.handshakes import in_python as handed_in_python
from rpcexplorer.views.copying.login import continued, in_python, in_result, in_shell
from rpcexplorer.views.copying.quoting import (
    address_expression,
    address_word,
    encoded_expression,
    encoded_word,
    piped,
    printed,
    python_expression,
    quoted,
    shell_word,
    unless_set,
)
from rpcexplorer.views.copying.subject import Subject
from rpcexplorer.views.copying.ticket import ticket

# --- the forms ---------------------------------------------------------------------------------------------------


def _with_login(
    subject: Subject, written: Callable[[Subject, str], list[str]], headers: str, all_of_it: str, also: str = ""
) -> str:
    """A command that logs in first where it has to; with ``headers`` it prints only those of the reply.

    ``also`` holds what it needs beside the request.
    """
    first, *rest = written(subject, "")
    needed = "".join([subject.url, subject.body, *subject.values, also])
    if subject.login is not None:  # which has looked for the session already
        needed = needed.replace(placeholder(subject.profile.label("session")), "")
    check = unless_set(needed, subject.profile.name)
    call = [check + first, *rest]
    # what is handed over comes first of all; a session is opened with it
    asking = [continued(written(each, "" if at else headers), 2) for at, each in enumerate(subject.first)]
    if asking:
        asked = "".join([subject.first[0].url, *subject.first[0].values, also])
        asking[0] = unless_set(asked, subject.profile.name) + asking[0]
    if subject.login is None:
        return around(subject, asking, continued(call, 2 if asking else 0))
    seen = all_of_it if in_result(subject.profile) else headers
    return around(subject, asking, in_shell(subject.profile, subject.login.body, written(subject.login, seen), call))


def curl(subject: Subject) -> str:
    """A command for bash or zsh."""
    client = subject.by_client()
    user = client.username + client.password if client else ""
    return _with_login(subject, _curl, "-sS -o /dev/null -D - ", "-sS -i ", user)


def _curl(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    literally = "--globoff " if set("[]{}") & set(subject.url) else ""
    address = shell_word(subject.url, name)
    if PLACEHOLDER.search(subject.url):  # no argument, which every user can list
        before, after = (quoted(each) for each in ('url = "', '"'))
        address = f"-K {piped(f'{before}{address_word(_in_config(subject.url), name)}{after}')}"
    pieces = [*saved_in_shell(subject.profile), f"curl {options}{literally}{address}"]
    if client := subject.by_client():
        user = f'user = "{_in_config(client.username)}:{client.password}"'
        pieces.append(f"{client.curl} -K {printed(user, name, json=True)}")
    pieces += in_options(subject.profile, CURL)
    # to curl, "Name:" takes a header away and "Name;" sends it empty
    handed, headers_sent = _split(subject)
    headers = (f"{header}: {value}" if value else f"{header};" for header, value in headers_sent)
    pieces += [f"-H {_unlisted('@', header, subject) or shell_word(header, name)}" for header in headers]
    if handed:  # curl leaves a header out that has no value
        pieces.append(f"-H @{piped(quoted(f'{handed}: ') + HANDED)}")
    if HIDDEN.search(subject.body):
        return [*pieces, f"--data-binary @{printed(subject.body, name, json=True)}"]
    return [*pieces, f"--data-raw {shell_word(subject.body, name)}"]


def httpie(subject: Subject) -> str:
    """A command for bash or zsh."""
    return _with_login(subject, _httpie, "--print=h ", "--print=hb ")


def _httpie(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    pieces = [*saved_in_shell(subject.profile), f"http {options}POST {address_word(subject.url, name)}"]
    if client := subject.by_client():  # it asks for the password
        pieces.append(f"{client.httpie} --auth {shell_word(client.username, name)}")
    handed, headers_sent = _split(subject)
    pieces += [
        _unlisted(f"{header}:@", value, subject) or shell_word(_item(header, value), name)
        for header, value in headers_sent
    ]
    if handed:
        pieces.append(f"{quoted(f'{handed}:@')}{piped(HANDED)}")
    pieces += in_options(subject.profile, HTTPIE)
    if HIDDEN.search(subject.body):
        return [*pieces, f"< {printed(subject.body, name, json=True)}"]
    alone = "" if subject.by_client() else "--ignore-stdin "
    return [*pieces, f"{alone}--raw {shell_word(subject.body, name)}"]


def _split(subject: Subject) -> tuple[str, list[tuple[str, str]]]:
    """The name of the header that goes out with what the server handed over, where one does; and the others."""
    headers = list(subject.headers)
    others = [(name, value) for name, value in headers if name != subject.handed]
    return subject.handed if len(others) < len(headers) else "", others


def _in_config(text: str) -> str:
    """As curl reads it within quotes in a file of options."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _unlisted(sign: str, text: str, subject: Subject) -> str:
    """What reads a text with a secret from elsewhere than the arguments, which every user can list; else empty."""
    name = subject.profile.name
    if not HIDDEN.search(text):
        return ""
    for header in subject.encoded():
        if text.endswith(header.shown):
            before = text.removesuffix(header.shown) + header.scheme
            return quoted(sign) + piped(encoded_word(before, header.text, name))
    return quoted(sign) + printed(text, name)


def _item(name: str, value: str) -> str:
    """A header as HTTPie reads it, to which ``:=`` and ``:@`` are signs of their own."""
    escape = "\\" if value[:1] in {"=", "@"} else ""
    return f"{name}:{escape}{value}" if value else f"{name};"


def command(subject: Subject) -> str:
    """Our own command line, which fills in credentials by itself."""
    profile, draft = subject.profile, subject.draft
    where = f"-p {quoted(profile.name)}"
    if profile.ad_hoc:
        auth = f" --auth {profile.auth.kind}" if profile.secrets and not profile.assumes_auth else ""
        where = f"--url {quoted(redacted_address(typed_whole(profile.endpoint)))}{auth}"
    if subject.exchange is not None:  # what was sent is sent again, whatever has a value by now
        draft = escaped(draft)
    read = draft.read()
    params = read.text if isinstance(read, Params) else ""
    if profile.ad_hoc:  # there it goes by another name
        params = PLACEHOLDER.sub(partial(_by_its_other_name, profile.name), params)
    if isinstance(draft, Batch):
        return f"printf %s {quoted(params)} | rpcexplorer batch - {where}"
    verb = "notify" if draft.notification else "call"
    words = [quoted(as_named(draft.method)), *([] if params == "[]" else [quoted(params)])]
    # what begins with a dash would be read as an option
    words = [where, "--", *words] if draft.method.startswith("-") else [*words, where]
    return " ".join(["rpcexplorer", verb, *words])


def _by_its_other_name(profile: str, found: re.Match[str]) -> str:
    return placeholder(f"{AD_HOC_NAME}.{found['field']}") if found["profile"] == profile else found[0]


def python(subject: Subject) -> str:
    login = subject.login
    each = [*subject.first, *([login] if login else []), subject]
    in_bodies = any(HIDDEN.search(one.body) for one in each)
    outside = any(HIDDEN.search(text) for one in each for text in (one.url, *one.values))
    auth = any(one.by_client() for one in each)
    needed: dict[str, object] = {
        "base64": any(one.encoded() for one in each),
        "getpass": login,
        "json": in_bodies,
        "os": login or in_bodies or outside or auth,
    }
    trust = certificates_in_python(subject.profile)
    needed |= {"hashlib": subject.profile.certificate, "ssl": trust, "sys": login}
    needed["urllib.parse"] = any(PLACEHOLDER.search(one.url) for one in each)
    imports = [f"import {name}" for name, needs in needed.items() if needs]
    ahead = handed_in_python(subject, [_python(each) for each in subject.first])
    first = in_python(subject.profile, login.body, _python(login)) if login else []
    script = [*trust, *ahead, *first, *_python(subject), "print(response.status_code)", "print(response.text)"]
    return "\n".join([*imports, *([""] if imports else []), "import httpx", "", *script])


def _python(subject: Subject) -> list[str]:
    name = subject.profile.name
    encoded = {each.shown: encoded_expression(each.scheme, each.text, name) for each in subject.encoded()}
    handed, headers_sent = _split(subject)
    headers = ((key, encoded.get(value) or python_expression(value, name)) for key, value in headers_sent)
    return [
        f"body = {python_expression(subject.body, name, json=True)}",
        "response = httpx.post(",
        f"    {address_expression(subject.url, name)},",
        "    headers=[",
        *(f"        ({python_expression(key, name)}, {expression})," for key, expression in headers),
        *([f"        *([({python_expression(handed, name)}, handed)] if handed else []),"] if handed else []),
        "    ],",
        "    content=body.encode(),",
        f"    timeout={subject.profile.timeout:g},",
        *_python_auth(subject),
        *(["    verify=trust,"] if certificates_in_python(subject.profile) else []),
        ")",
    ]


def _python_auth(subject: Subject) -> list[str]:
    client, name = subject.by_client(), subject.profile.name
    if client is None:
        return []
    values = (python_expression(each, name) for each in (client.username, client.password))
    return [f"    auth=httpx.{client.python}({', '.join(values)}),"]


def request_told(subject: Subject) -> str:
    """The request for people: its body is laid out."""
    headers = list(subject.headers)
    if not any(name.lower() == "host" for name, _ in headers):
        headers.insert(0, ("Host", urlsplit(subject.url).netloc))
    head = [subject.preview.line, *(f"{name}: {value}".rstrip() for name, value in headers)]
    return "\n".join([*head, "", indented(subject.body)])


def markdown(subject: Subject) -> str:
    calls = to_calls(subject.draft, "")
    method = "" if isinstance(calls, Problem) else ", ".join(call.method for call in calls)
    exchange, profile = subject.exchange, subject.profile
    named = exchange.profile if exchange and exchange.profile else profile.name
    return ticket(method, named, subject.url, request_told(subject), subject.exchange)


SNIPPETS: Final[Mapping[str, Callable[[Subject], str]]] = {
    "curl": curl,
    "python": python,
    "httpie": httpie,
    "command": command,
    "markdown": markdown,
}
"""The forms there are, by name."""
