"""Snippets for curl, Python, HTTPie and the rpcexplorer command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final
from urllib.parse import urlsplit

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.export.request import Subject
from rpcexplorer.jsontext.params import Params
from rpcexplorer.jsontext.pointers import names_of
from rpcexplorer.model.draft import Batch
from rpcexplorer.model.method import as_named
from rpcexplorer.model.profile import AD_HOC_NAME, USUAL_FRAMING, Profile, typed_whole, variable
from rpcexplorer.model.secret import HIDDEN, PLACEHOLDER, placeholder
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.text.printable import is_printable
from rpcexplorer.variables.resolve import escaped

NOT_RECORDED_VARIABLE: Final = "NOT_RECORDED"
"""The environment variable for a value without one in the profile.

The command fails if it is not set.
"""
NO_SESSION: Final = "the login returned no session"
_SAVED_CERTIFICATE = '"$certificate"'
"""A temporary file, so that no file of yours is overwritten."""
_HANDED = '"$handed"'
"""The handshake header's value, a shell variable for this command only."""
_BARE = regex(r"[\w@%+:,./-]+", re.ASCII)
_SPECIAL_IN_SED = regex(r"[][\\.*^$/]")
_PLAIN_SHELL = '"${{{}:?}}"'
_JSON_SHELL = r"""$(sed 's/[\\"]/\\&/g' <<< "${{{}:?}}")"""
_BASE64_SHELL = """$(printf %s {} | base64 | tr -d '\\n')"""
_PERCENT_SHELL = """$(printf %s "${{{}:?}}" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g')"""
_PLAIN_PYTHON = 'os.environ["{}"]'
_JSON_PYTHON = 'json.dumps(os.environ["{}"])[1:-1]'
_PERCENT_PYTHON = 'urllib.parse.quote(os.environ["{}"], safe="")'


def _parts(text: str, profile: str) -> Iterator[tuple[str, bool]]:
    """Yield pieces of text (False) and names of variables (True)."""
    at = 0
    for found in HIDDEN.finditer(text):
        if at < found.start():
            yield text[at : found.start()], False
        yield variable(profile, found["field"]) if found["profile"] == profile else NOT_RECORDED_VARIABLE, True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def _in_address(name: str, encoded: str, plain: str) -> str:
    """Return how a variable is read in a URL.

    A value that was not recorded is already percent-encoded.
    """
    return (plain if name == NOT_RECORDED_VARIABLE else encoded).format(name)


def _needed(profile: Profile, body: str) -> Iterator[tuple[str, str]]:
    """Return the variables that the login reads, and their fields."""
    fields = (found["field"] for found in PLACEHOLDER.finditer(body) if found["profile"] == profile.name)
    return ((variable(profile.name, field), field) for field in dict.fromkeys(fields))


def _has_session_in_result(profile: Profile) -> bool:
    """Return whether the login's result contains the session."""
    return profile.login.session is not None or not auth_of(profile).session_cookie


def _result_member(profile: Profile) -> str:
    return "arguments" if profile.envelope == "transmission" else "result"


def _host_and_port(profile: Profile) -> tuple[str, int]:
    parts = urlsplit(profile.url)
    return parts.hostname or "", parts.port or 443


def _split(subject: Subject) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of the handshake header, if sent, and the other headers."""
    headers = list(subject.headers)
    others = [(name, value) for name, value in headers if name != subject.handed]
    return subject.handed if len(others) < len(headers) else "", others


def quoted(text: str) -> str:
    """Return a shell word for a text, with its secret references."""
    return _quoted(text) or "''"


def _quoted(text: str) -> str:
    if _BARE.fullmatch(text):
        return text
    words = []
    for is_plain, run in groupby(text, key=lambda char: char == "\n" or is_printable(char)):
        part = "".join(run)
        if is_plain:
            words.append("'" + part.replace("'", r"'\''") + "'")
        else:  # as bytes, because \u has another meaning in a shell whose locale is not UTF-8
            words.append("$'" + "".join(f"\\x{byte:02x}" for byte in part.encode("utf-8", "surrogatepass")) + "'")
    return "".join(words)


def shell_word(text: str, profile: str, *, json: bool = False) -> str:
    """Return a shell word with variables for secrets.

    With ``json``, secrets are escaped for a JSON string.
    """
    reading = f'"{_JSON_SHELL}"' if json else _PLAIN_SHELL
    return "".join(reading.format(part) if secret else _quoted(part) for part, secret in _parts(text, profile)) or "''"


def address_word(address: str, profile: str) -> str:
    """Return a shell word for a URL with percent-encoded secrets."""
    return "".join(
        _in_address(part, f'"{_PERCENT_SHELL}"', _PLAIN_SHELL) if secret else _quoted(part)
        for part, secret in _parts(address, profile)
    )


def piped(word: str) -> str:
    """Return a process substitution that prints the word.

    The shell itself prints it, so the word is not an argument of a program.
    """
    return f"<(printf %s {word})"


def unless_set(text: str, profile: str) -> str:
    """Return a command that fails if a variable of the text is not set.

    It stops an empty password from being sent. It comes before the command, because a failure within ``$()`` ends only
    the substitution.
    """
    names = dict.fromkeys(part for part, secret in _parts(text, profile) if secret)
    return f": {' '.join(map(_PLAIN_SHELL.format, names))} && " if names else ""


def _continued(pieces: list[str], margin: int = 0) -> str:
    """Return a command on several lines; pieces keep their line breaks."""
    return f" \\\n{' ' * (margin + 2)}".join(pieces)


def _literally(name: str) -> str:
    return _SPECIAL_IN_SED.sub(r"\\\g<0>", name)


def curl(subject: Subject) -> str:
    client = subject.by_client()
    user = client.username + client.password if client else ""
    return _with_login(subject, _curl, "-sS -o /dev/null -D - ", "-sS -i ", user)


def _curl(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    literally = "--globoff " if set("[]{}") & set(subject.url) else ""
    address = shell_word(subject.url, name)
    if PLACEHOLDER.search(subject.url):  # not an argument, because every user can list those
        before, after = (quoted(text) for text in ('url = "', '"'))
        address = f"-K {piped(f'{before}{address_word(_in_config(subject.url), name)}{after}')}"
    pieces = [*_saved_certificate(subject.profile), f"curl {options}{literally}{address}"]
    if client := subject.by_client():
        user = f'user = "{_in_config(client.username)}:{client.password}"'
        pieces.append(f"{client.curl} -K {piped(shell_word(user, name, json=True))}")
    if subject.socket:
        pieces.append(f"--unix-socket {quoted(subject.socket)}")
    pieces += _certificate_options(subject.profile, "--cacert", "--cert", "--key")
    # For curl, "Name:" removes a header and "Name;" sends it empty.
    handed, headers_sent = _split(subject)
    headers = (f"{header}: {value}" if value else f"{header};" for header, value in headers_sent)
    pieces += [f"-H {_unlisted('@', header, subject) or shell_word(header, name)}" for header in headers]
    if handed:  # curl leaves out a header without a value
        pieces.append(f"-H @{piped(quoted(f'{handed}: ') + _HANDED)}")
    if HIDDEN.search(subject.body):
        return [*pieces, f"--data-binary @{piped(shell_word(subject.body, name, json=True))}"]
    return [*pieces, f"--data-raw {shell_word(subject.body, name)}"]


def httpie(subject: Subject) -> str:
    return _with_login(subject, _httpie, "--print=h ", "--print=hb ")


def _httpie(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    pieces = [*_saved_certificate(subject.profile), f"http {options}POST {address_word(subject.url, name)}"]
    if client := subject.by_client():  # HTTPie asks for the password
        pieces.append(f"{client.httpie} --auth {shell_word(client.username, name)}")
    handed, headers_sent = _split(subject)
    for header, value in headers_sent:
        escape = "\\" if value[:1] in {"=", "@"} else ""  # HTTPie has its own meaning for ``:=`` and ``:@``
        item = f"{header}:{escape}{value}" if value else f"{header};"
        pieces.append(_unlisted(f"{header}:@", value, subject) or shell_word(item, name))
    if handed:
        pieces.append(f"{quoted(f'{handed}:@')}{piped(_HANDED)}")
    pieces += _certificate_options(subject.profile, "--verify", "--cert", "--cert-key")
    if HIDDEN.search(subject.body):
        return [*pieces, f"< {piped(shell_word(subject.body, name, json=True))}"]
    alone = "" if subject.by_client() else "--ignore-stdin "
    return [*pieces, f"{alone}--raw {shell_word(subject.body, name)}"]


def _with_login(
    subject: Subject, written: Callable[[Subject, str], list[str]], headers: str, all_of_it: str, also: str = ""
) -> str:
    """Return a command that logs in first if necessary.

    With ``headers`` as options, it prints only the headers of the response. ``also`` has variables that it needs
    besides the request. All variables are checked before any request is sent.
    """
    name = subject.profile.name
    first, *rest = written(subject, "")
    needed = "".join([subject.url, subject.body, *subject.values, also])
    if subject.login is not None:  # the login command sets the session
        needed = needed.replace(placeholder(subject.profile.label("session")), "")
    pieces = [unless_set(needed, name) + first, *rest]
    if subject.login is None:
        call = _continued(pieces, 2 if subject.first else 0)
    else:
        seen = all_of_it if _has_session_in_result(subject.profile) else headers
        call = _shell_login(subject.profile, subject.login.body, written(subject.login, seen), pieces)
    if not subject.first:
        return call
    # The handshake comes first, and the login uses its header.
    asking, *others = (_continued(written(each, "" if at else headers), 2) for at, each in enumerate(subject.first))
    asked = "".join([subject.first[0].url, *subject.first[0].values, also])
    header = "".join(
        f"[{char.upper()}{char.lower()}]" if char.isalpha() else _literally(char) for char in subject.handed
    )
    steps = [
        f"( handed=$({unless_set(asked, name)}{asking} |",
        f"  tr -d '\\r' | sed -n {quoted(f's/^{header}: *//p')} | sed -n 1p) &&",
        *(f"  {command} >&2 &&" for command in others),
        f"  {call} )",
    ]
    return "\n".join(steps)


def _shell_login(profile: Profile, body: str, login: list[str], call: list[str]) -> str:
    """Return a shell command for a login and a call, both given in lines.

    ``login`` prints the headers of its response, and the body if that contains the session.
    """
    session = variable(profile.name, "session")
    steps, checked = [], ""
    for name, field in _needed(profile, body):
        checked += f'"${{{name}:?}}" '
        steps.append(
            f'[ -n "${{{session}-}}${{{name}-}}" ] || {{\n'
            f"    printf %s {quoted(f'{field} of {profile.name}: ')} >&2; IFS= read -rs {name}; echo >&2; }}"
        )
    patterns = []
    if cookie := auth_of(profile).session_cookie:
        patterns.append(rf"s/^[Ss]et-[Cc]ookie: *{_literally(cookie)}=\([^;]*\).*/\1/p")
    if _has_session_in_result(profile):
        names = [part for part in names_of(profile.login.session or "") if not part.isdecimal()]
        member = names[-1] if names else _result_member(profile)
        patterns.append(rf's/.*"{_literally(member)}" *: *"\([^"]*\)".*/\1/p')
    found = " ".join(f"-e {quoted(pattern)}" for pattern in patterns)
    steps += [
        f'[ -n "${{{session}-}}" ] || {session}=$(',
        f"  : {checked}&& {_continued(login, 4)} |",
        f"  tr -d '\\r' | sed -n {found} | sed -n 1p)",
        f': "${{{session}:?{NO_SESSION}}}" &&',
        _continued(call, 2),
    ]
    return "( " + "\n  ".join(steps) + " )"


def _saved_certificate(profile: Profile) -> list[str]:
    """Return pieces that save the server's certificate before the call.

    Each piece ends with ``&&``.
    """
    if not profile.certificate:
        return []
    host, port = _host_and_port(profile)
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    digits = profile.certificate.partition(":")[2]
    shown = ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
    saved = _SAVED_CERTIFICATE
    return [
        "certificate=$(mktemp) &&",
        f"openssl s_client -connect {quoted(place)} </dev/null 2>/dev/null | openssl x509 -out {saved} &&",
        f"openssl x509 -in {saved} -noout -fingerprint -sha256 | grep -qi {quoted(f'={shown}')} &&",
    ]


def _certificate_options(profile: Profile, *names: str) -> list[str]:
    """Return options for the CA, the client certificate and its key."""
    trusted = profile.ca_file and quoted(profile.ca_file)
    own = (file and quoted(file) for file in (profile.cert_file, profile.key_file))
    files = zip(names, (_SAVED_CERTIFICATE if profile.certificate else trusted, *own), strict=True)
    return [f"{name} {file}" for name, file in files if file]


def _in_config(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _unlisted(sign: str, text: str, subject: Subject) -> str:
    """Return a word that reads a header with a secret from a pipe, or "".

    Every user of the machine can list the arguments of a program.
    """
    name = subject.profile.name
    if not HIDDEN.search(text):
        return ""
    for header in subject.encoded():
        if text.endswith(header.shown):
            before = text.removesuffix(header.shown) + header.scheme
            return quoted(sign) + piped(f'{_quoted(before)}"{_BASE64_SHELL.format(shell_word(header.text, name))}"')
    return quoted(sign) + piped(shell_word(text, name))


def python(subject: Subject) -> str:
    profile, login = subject.profile, subject.login
    requests = [*subject.first, *([login] if login else []), subject]
    in_bodies = any(HIDDEN.search(one.body) for one in requests)
    outside = any(HIDDEN.search(text) for one in requests for text in (one.url, *one.values))
    auth = any(one.by_client() for one in requests)
    trust = _python_trust(profile)
    needed: dict[str, object] = {
        "base64": any(one.encoded() for one in requests),
        "getpass": login,
        "json": in_bodies,
        "os": login or in_bodies or outside or auth,
        "hashlib": profile.certificate,
        "ssl": trust,
        "sys": login,
        "urllib.parse": any(PLACEHOLDER.search(one.url) for one in requests),
    }
    imports = [f"import {name}" for name, needs in needed.items() if needs]
    lines = [*imports, *([""] if imports else []), "import httpx", "", *trust]
    for at, request in enumerate(subject.first):
        lines += _python_request(request)
        if at == 0:
            lines.append(f'handed = response.headers.get({python_expression(subject.handed, "")}, "")')
    if subject.first:
        lines.append("")
    if login:
        lines += _python_login(login)
    return "\n".join([*lines, *_python_request(subject), "print(response.status_code)", "print(response.text)"])


def _python_request(subject: Subject) -> list[str]:
    profile, name = subject.profile, subject.profile.name
    address = " + ".join(
        _in_address(part, _PERCENT_PYTHON, _PLAIN_PYTHON) if secret else _literal(part)
        for part, secret in _parts(subject.url, name)
    )
    encoded = {}
    for header in subject.encoded():
        text = python_expression(header.text, name)
        encoded[header.shown] = f"{_literal(header.scheme)} + base64.b64encode(({text}).encode()).decode()"
    handed, headers_sent = _split(subject)
    headers = ((key, encoded.get(value) or python_expression(value, name)) for key, value in headers_sent)
    auth = []
    if client := subject.by_client():
        values = (python_expression(value, name) for value in (client.username, client.password))
        auth = [f"    auth=httpx.{client.python}({', '.join(values)}),"]
    sender = "httpx"
    if subject.socket:
        sender = f"httpx.Client(transport=httpx.HTTPTransport(uds={_literal(subject.socket)}))"
    return [
        f"body = {python_expression(subject.body, name, json=True)}",
        f"response = {sender}.post(",
        f"    {address},",
        "    headers=[",
        *(f"        ({python_expression(key, name)}, {expression})," for key, expression in headers),
        *([f"        *([({python_expression(handed, name)}, handed)] if handed else []),"] if handed else []),
        "    ],",
        "    content=body.encode(),",
        f"    timeout={profile.timeout:g},",
        *auth,
        *(["    verify=trust,"] if _python_trust(profile) and not subject.socket else []),
        ")",
    ]


def _python_login(login: Subject) -> list[str]:
    profile = login.profile
    session = variable(profile.name, "session")
    lines = [f'if not os.environ.get("{session}"):']
    for name, field in _needed(profile, login.body):
        lines += [
            f'    if not os.environ.get("{name}"):',
            f'        os.environ["{name}"] = getpass.getpass("{field} of {profile.name}: ")',
        ]
    lines += [f"    {line}" for line in _python_request(login)]
    cookie = auth_of(profile).session_cookie
    found = f"response.cookies.get({python_expression(cookie, profile.name)})" if cookie else ""
    if not _has_session_in_result(profile):
        return [*lines, f'    os.environ["{session}"] = {found} or sys.exit("{NO_SESSION}")', ""]
    names = (_result_member(profile), *names_of(profile.login.session or ""))
    parts = (part if part.isdecimal() else python_expression(part, "") for part in names)
    value = f"response.json(){''.join(f'[{part}]' for part in parts)}"
    return [
        *lines,
        "    try:",
        f'        os.environ["{session}"] = {f"{found} or {value}" if found else value}',
        "    except (LookupError, TypeError, ValueError):",
        f'        sys.exit("{NO_SESSION}")',
        "",
    ]


def _python_trust(profile: Profile) -> list[str]:
    """Return lines that create ``trust``, if the profile has certificates."""
    name = profile.name
    if profile.certificate:
        digits = python_expression(profile.certificate.partition(":")[2], name)
        host, port = _host_and_port(profile)
        lines = [
            f"certificate = ssl.get_server_certificate(({python_expression(host, name)}, {port}))",
            f"if hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest() != {digits}:",
            '    raise SystemExit("The server has another certificate than the pinned one.")',
            "trust = ssl.create_default_context(cadata=certificate)",
            "trust.check_hostname = False  # only the pinned certificate, with any host name",
            "trust.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN",
        ]
    elif profile.ca_file:
        lines = [f"trust = ssl.create_default_context(cafile={python_expression(profile.ca_file, name)})"]
    else:
        lines = ["trust = ssl.create_default_context()"] if profile.cert_file else []
    if profile.cert_file:
        files = [python_expression(file, name) for file in (profile.cert_file, profile.key_file) if file]
        lines.append(f"trust.load_cert_chain({', '.join(files)})")
    return lines


def python_expression(text: str, profile: str, *, json: bool = False) -> str:
    """Return a Python expression for the text.

    With ``json``, secrets are escaped for a JSON string.
    """
    reading = _JSON_PYTHON if json else _PLAIN_PYTHON
    parts = (reading.format(part) if secret else _literal(part) for part, secret in _parts(text, profile))
    return " + ".join(parts) or '""'


def _literal(text: str) -> str:
    spelled = repr(text)
    if '"' not in text:  # without quotes in the text, nothing needs an escape; most code uses double quotes
        spelled = f'"{spelled[1:-1]}"'
    return "".join(
        char if is_printable(char) else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
        for char in spelled
    )


def command(subject: Subject) -> str:
    """Return an rpcexplorer command, which adds the credentials itself."""
    profile, draft = subject.profile, subject.draft
    where = f"-p {quoted(profile.name)}"
    if profile.ad_hoc:
        options = {
            "--url": "" if profile.command else redacted_address(typed_whole(profile.endpoint)),
            "--stdio": shlex.join(profile.command),
            "--preset": profile.preset,
            "--framing": "" if profile.preset or profile.framing == USUAL_FRAMING else profile.framing,
            "--auth": profile.auth.kind if profile.secrets and not profile.assumes_auth else "",
        }
        where = " ".join(f"{option} {quoted(value)}" for option, value in options.items() if value)
    if subject.exchange is not None:  # variables in a recorded call stay text
        draft = escaped(draft)
    read = draft.read()
    params = read.text if isinstance(read, Params) else ""
    if profile.ad_hoc:  # the profile has another name in this command
        for found in list(PLACEHOLDER.finditer(params)):
            if found["profile"] == profile.name:
                params = params.replace(found[0], placeholder(f"{AD_HOC_NAME}.{found['field']}"))
    if isinstance(draft, Batch):
        return f"printf %s {quoted(params)} | rpcexplorer batch - {where}"
    verb = "notify" if draft.notification else "call"
    words = [quoted(as_named(draft.method)), *([] if params == "[]" else [quoted(params)])]
    # A method that starts with a dash would be read as an option.
    words = [where, "--", *words] if draft.method.startswith("-") else [*words, where]
    return " ".join(["rpcexplorer", verb, *words])
