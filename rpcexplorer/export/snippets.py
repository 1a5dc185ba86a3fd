"""Snippets for curl, Python, HTTPie and the rpcexplorer command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
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
_NEEDS_NO_QUOTES = regex(r"[\w@%+:,./-]+", re.ASCII)
_SPECIAL_IN_SED = regex(r"[][\\.*^$/]")
"""Special in a pattern of sed, or the end of one."""
# Each template is formatted with the name of an environment variable, such as "${RPCEXPLORER_SHOP_TOKEN:?}".
# With ``:?``, the shell stops if the variable is not set.
_PLAIN_SHELL = '"${{{}:?}}"'
_JSON_SHELL = r"""$(sed 's/[\\"]/\\&/g' <<< "${{{}:?}}")"""
_BASE64_SHELL = """$(printf %s {} | base64 | tr -d '\\n')"""
_PERCENT_SHELL = """$(printf %s "${{{}:?}}" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g')"""
_PLAIN_PYTHON = 'os.environ["{}"]'
_JSON_PYTHON = 'json.dumps(os.environ["{}"])[1:-1]'
_PERCENT_PYTHON = 'urllib.parse.quote(os.environ["{}"], safe="")'


def _variable(reference: re.Match[str], profile: str) -> str:
    if reference["profile"] == profile:
        return variable(profile, reference["field"])
    return NOT_RECORDED_VARIABLE


def _spelled(text: str, profile: str, literal: Callable[[str], str], read: Callable[[str], str]) -> list[str]:
    """Return a text in pieces: ``literal`` spells text, ``read`` an environment variable."""
    pieces, at = [], 0
    for found in HIDDEN.finditer(text):
        if at < found.start():
            pieces.append(literal(text[at : found.start()]))
        pieces.append(read(_variable(found, profile)))
        at = found.end()
    if at < len(text):
        pieces.append(literal(text[at:]))
    return pieces


def _in_shell_address(name: str) -> str:
    if name == NOT_RECORDED_VARIABLE:  # Its value is already percent-encoded.
        return _PLAIN_SHELL.format(name)
    return f'"{_PERCENT_SHELL.format(name)}"'


def _in_python_address(name: str) -> str:
    if name == NOT_RECORDED_VARIABLE:
        return _PLAIN_PYTHON.format(name)
    return _PERCENT_PYTHON.format(name)


def _login_variables(profile: Profile, body: str) -> dict[str, str]:
    """Return the variables that the login reads, with their fields."""
    fields = [found["field"] for found in PLACEHOLDER.finditer(body) if found["profile"] == profile.name]
    return {variable(profile.name, field): field for field in fields}


def _has_session_in_result(profile: Profile) -> bool:
    """Return whether the login's result contains the session."""
    return profile.login.session is not None or not auth_of(profile).session_cookie


def _result_member(profile: Profile) -> str:
    if profile.envelope == "transmission":
        return "arguments"
    return "result"


def _host_and_port(profile: Profile) -> tuple[str, int]:
    parts = urlsplit(profile.url)
    return parts.hostname or "", parts.port or 443


def _split_headers(subject: Subject) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of the handshake's header, and the other headers.

    The name is empty if this request is sent without it.
    """
    headers = list(subject.headers)
    others = [(name, value) for name, value in headers if name != subject.handed]
    if len(others) == len(headers):
        return "", others
    return subject.handed, others


def quoted(text: str) -> str:
    """Return a shell word for a text, with its secret references."""
    return _quoted(text) or "''"


def _quoted(text: str) -> str:
    """Return a part of a shell word; an empty text needs none."""
    if _NEEDS_NO_QUOTES.fullmatch(text):
        return text
    words = []
    for is_plain, run in groupby(text, key=lambda char: char == "\n" or is_printable(char)):
        part = "".join(run)
        if is_plain:
            escaped_part = part.replace("'", r"'\''")
            words.append(f"'{escaped_part}'")
        else:  # as bytes, because \u has another meaning in a shell whose locale is not UTF-8
            codes = "".join(f"\\x{byte:02x}" for byte in part.encode("utf-8", "surrogatepass"))
            words.append(f"$'{codes}'")
    return "".join(words)


def shell_word(text: str, profile: str, *, json: bool = False) -> str:
    """Return a shell word with variables for secrets.

    With ``json``, secrets are escaped for a JSON string.
    """
    reading = f'"{_JSON_SHELL}"' if json else _PLAIN_SHELL
    return "".join(_spelled(text, profile, _quoted, reading.format)) or "''"


def address_word(address: str, profile: str) -> str:
    """Return a shell word for a URL with percent-encoded secrets."""
    return "".join(_spelled(address, profile, _quoted, _in_shell_address))


def _body_word(subject: Subject) -> str:
    """Return a shell word for a body with secrets."""
    if subject.is_form:
        return address_word(subject.body, subject.profile.name)
    return shell_word(subject.body, subject.profile.name, json=True)


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
    names = dict.fromkeys(_variable(found, profile) for found in HIDDEN.finditer(text))
    if not names:
        return ""
    return f": {' '.join(map(_PLAIN_SHELL.format, names))} && "


def _commands(subject: Subject) -> dict[str, tuple[str, ...]]:
    """Return the commands that print secrets of a snippet, by the variable that can replace each.

    A program that is beside the file of the profile is not found elsewhere.
    """
    found = {}
    for request in (subject, *subject.first, subject.login):
        if request is None or subject.profile.ad_hoc:
            continue
        client = request.by_client()
        user = f"{client.username} {client.password}" if client else ""
        for mark in PLACEHOLDER.finditer("\n".join([request.url, request.body, user, *request.values])):
            words = subject.profile.auth.command_for(mark["field"])
            is_beside = bool(words) and "/" in words[0] and not words[0].startswith("/")
            if words and not is_beside and mark["profile"] == subject.profile.name:
                found[variable(subject.profile.name, mark["field"])] = words
    return found


def _continued(pieces: list[str], margin: int = 0) -> str:
    """Return a command on several lines; pieces keep their line breaks."""
    return f" \\\n{' ' * (margin + 2)}".join(pieces)


def _literally(name: str) -> str:
    """Return a pattern of sed for a text."""
    return _SPECIAL_IN_SED.sub(r"\\\g<0>", name)


def curl(subject: Subject) -> str:
    user = ""
    if client := subject.by_client():
        user = client.username + client.password
    return _shell_commands(subject) + _with_login(subject, _curl, "-sS -o /dev/null -D - ", "-sS -i ", user)


def _curl(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    if set("[]{}") & set(subject.url):
        options += "--globoff "
    address = shell_word(subject.url, name)
    if PLACEHOLDER.search(subject.url):  # Every user of the machine can list the arguments of a program.
        url = quoted('url = "') + address_word(_in_config(subject.url), name) + quoted('"')
        address = f"-K {piped(url)}"
    pieces = [*_saved_certificate(subject.profile), f"curl {options}{address}"]
    if client := subject.by_client():
        user = f'user = "{_in_config(client.username)}:{client.password}"'
        pieces.append(f"{client.curl} -K {piped(shell_word(user, name, json=True))}")
    if subject.socket:
        pieces.append(f"--unix-socket {quoted(subject.socket)}")
    pieces += _certificate_options(subject.profile, "--cacert", "--cert", "--key")
    handed, headers = _split_headers(subject)
    for header, value in headers:
        line = f"{header}: {value}"
        if not value:  # For curl, "Name:" removes a header and "Name;" sends it empty.
            line = f"{header};"
        word = shell_word(line, name)
        if HIDDEN.search(line):
            word = _header_from_pipe("@", line, subject)
        pieces.append(f"-H {word}")
    if handed:  # curl leaves out a header without a value
        pieces.append(f"-H @{piped(quoted(f'{handed}: ') + _HANDED)}")
    if HIDDEN.search(subject.body):
        pieces.append(f"--data-binary @{piped(_body_word(subject))}")
    else:
        pieces.append(f"--data-raw {shell_word(subject.body, name)}")
    return pieces


def httpie(subject: Subject) -> str:
    return _shell_commands(subject) + _with_login(subject, _httpie, "--print=h ", "--print=hb ")


def _shell_commands(subject: Subject) -> str:
    """Return what sets the variables that commands of the profile print."""
    lines = [f': "${{{name}:=$({shlex.join(words)})}}" &&\n' for name, words in _commands(subject).items()]
    return "".join(lines)


def _httpie(subject: Subject, options: str) -> list[str]:
    name = subject.profile.name
    pieces = [*_saved_certificate(subject.profile), f"http {options}POST {address_word(subject.url, name)}"]
    client = subject.by_client()
    if client:  # HTTPie asks for the password
        pieces.append(f"{client.httpie} --auth {shell_word(client.username, name)}")
    handed, headers = _split_headers(subject)
    for header, value in headers:
        if HIDDEN.search(value):
            word = _header_from_pipe(f"{header}:@", value, subject)
        elif not value:
            word = shell_word(f"{header};", name)
        elif value.startswith(("=", "@")):  # HTTPie has its own meaning for ``:=`` and ``:@``
            word = shell_word(f"{header}:\\{value}", name)
        else:
            word = shell_word(f"{header}:{value}", name)
        pieces.append(word)
    if handed:
        pieces.append(f"{quoted(f'{handed}:@')}{piped(_HANDED)}")
    pieces += _certificate_options(subject.profile, "--verify", "--cert", "--cert-key")
    if HIDDEN.search(subject.body):
        pieces.append(f"< {piped(_body_word(subject))}")
    elif client:
        pieces.append(f"--raw {shell_word(subject.body, name)}")
    else:
        pieces.append(f"--ignore-stdin --raw {shell_word(subject.body, name)}")
    return pieces


def _with_login(
    subject: Subject,
    request_pieces: Callable[[Subject, str], list[str]],
    print_headers: str,
    print_response: str,
    user: str = "",
) -> str:
    """Return a command that sends the requests ahead of a call, and the call.

    Its order is handshake, login, call. All variables are checked before any request is sent: those of the request, and
    of the ``user`` that the program authenticates itself. ``print_headers`` and ``print_response`` are the options to
    print only the headers of a response, or all of it.
    """
    name = subject.profile.name
    needed = "".join([subject.url, subject.body, *subject.values, user])
    if subject.login is not None:  # the login command sets the session
        needed = needed.replace(placeholder(subject.profile.label("session")), "")
    pieces = request_pieces(subject, "")
    pieces[0] = unless_set(needed, name) + pieces[0]
    if subject.login is not None:
        options = print_headers
        if _has_session_in_result(subject.profile):
            options = print_response
        call = _shell_login(subject.profile, subject.login.body, request_pieces(subject.login, options), pieces)
    elif subject.first:
        call = _continued(pieces, 2)
    else:
        call = _continued(pieces)
    if not subject.first:
        return call
    # The handshake comes first, because the login needs its header, too.
    handshake, *others = subject.first
    first_needed = "".join([handshake.url, *handshake.values, user])
    header = "".join(_any_case(char) for char in subject.handed)  # Only GNU sed can ignore case.
    steps = [
        f"( handed=$({unless_set(first_needed, name)}{_continued(request_pieces(handshake, print_headers), 2)} |",
        f"  tr -d '\\r' | sed -n {quoted(f's/^{header}: *//p')} | sed -n 1p) &&",
    ]
    steps += [f"  {_continued(request_pieces(other, ''), 2)} >&2 &&" for other in others]
    steps.append(f"  {call} )")
    return "\n".join(steps)


def _any_case(char: str) -> str:
    """Return a pattern of sed for a character of a header's name."""
    if char.isalpha():
        return f"[{char.upper()}{char.lower()}]"
    return _literally(char)


def _shell_login(profile: Profile, body: str, login: list[str], call: list[str]) -> str:
    """Return a shell command for a login and a call, both given in lines.

    ``login`` prints the headers of its response, and the body if that contains the session.
    """
    session = variable(profile.name, "session")
    steps = []
    checked = ""
    for name, field in _login_variables(profile, body).items():
        checked += f'"${{{name}:?}}" '
        steps.append(
            f'[ -n "${{{session}-}}${{{name}-}}" ] || {{\n'
            f"    printf %s {quoted(f'{field} of {profile.name}: ')} >&2; IFS= read -rs {name}; echo >&2; }}"
        )
    patterns = ""
    if cookie := auth_of(profile).session_cookie:
        pattern = rf"s/^[Ss]et-[Cc]ookie: *{_literally(cookie)}=\([^;]*\).*/\1/p"
        patterns += f" -e {quoted(pattern)}"
    if _has_session_in_result(profile):
        member = _result_member(profile)
        for part in names_of(profile.login.session or ""):
            if not part.isdecimal():  # sed finds a member by its own name; an index has none.
                member = part
        pattern = rf's/.*"{_literally(member)}" *: *"\([^"]*\)".*/\1/p'
        patterns += f" -e {quoted(pattern)}"
    steps += [
        f'[ -n "${{{session}-}}" ] || {session}=$(',
        f"  : {checked}&& {_continued(login, 4)} |",
        f"  tr -d '\\r' | sed -n{patterns} | sed -n 1p)",
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


def _certificate_options(profile: Profile, trusted: str, certificate: str, key: str) -> list[str]:
    """Return options for the CA, the client certificate and its key."""
    options = []
    if profile.certificate:
        options.append(f"{trusted} {_SAVED_CERTIFICATE}")
    elif profile.ca_file:
        options.append(f"{trusted} {quoted(profile.ca_file)}")
    if profile.cert_file:
        options.append(f"{certificate} {quoted(profile.cert_file)}")
    if profile.key_file:
        options.append(f"{key} {quoted(profile.key_file)}")
    return options


def _in_config(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _header_from_pipe(sign: str, text: str, subject: Subject) -> str:
    """Return a word that reads a header with a secret from a pipe.

    Every user of the machine can list the arguments of a program. ``sign`` is how the program reads a file.
    """
    name = subject.profile.name
    for header in subject.encoded():
        if text.endswith(header.shown):
            before = text.removesuffix(header.shown) + header.scheme
            return quoted(sign) + piped(f'{_quoted(before)}"{_BASE64_SHELL.format(shell_word(header.text, name))}"')
    return quoted(sign) + piped(shell_word(text, name))


def python(subject: Subject) -> str:
    profile, login = subject.profile, subject.login
    requests = [*subject.first, subject]
    if login:
        requests.append(login)
    trust = _python_trust(profile)
    in_bodies = any(HIDDEN.search(request.body) for request in requests if not request.is_form)
    outside = any(HIDDEN.search("\n".join([request.url, *request.values])) for request in requests)
    by_client = any(request.by_client() for request in requests)
    commands = _commands(subject)
    needed = {
        "base64": any(request.encoded() for request in requests),
        "getpass": login is not None,
        "json": in_bodies,
        "os": login is not None or in_bodies or outside or by_client,
        "hashlib": bool(profile.certificate),
        "ssl": trust != [],
        "subprocess": commands != {},
        "sys": login is not None,
        "urllib.parse": any(request.is_form or PLACEHOLDER.search(request.url) for request in requests),
    }
    lines = [f"import {name}" for name, is_needed in needed.items() if is_needed]
    if lines:
        lines.append("")
    lines += ["import httpx", "", *trust]
    for name, words in commands.items():
        run = f"subprocess.run({[*words]}, capture_output=True, text=True, check=True)"
        lines += [f'if not os.environ.get("{name}"):', f'    os.environ["{name}"] = {run}.stdout.strip()']
    for request in subject.first:
        lines += _python_request(request)
        if request is subject.first[0]:
            lines.append(f'handed = response.headers.get({python_expression(subject.handed, "")}, "")')
    if subject.first:
        lines.append("")
    if login:
        lines += _python_login(login)
    return "\n".join([*lines, *_python_request(subject), "print(response.status_code)", "print(response.text)"])


def _python_request(subject: Subject) -> list[str]:
    profile, name = subject.profile, subject.profile.name
    sender = "httpx"
    if subject.socket:
        sender = f"httpx.Client(transport=httpx.HTTPTransport(uds={_literal(subject.socket)}))"
    lines = [
        f"body = {_python_body(subject)}",
        f"response = {sender}.post(",
        f"    {' + '.join(_spelled(subject.url, name, _literal, _in_python_address))},",
        "    headers=[",
    ]
    encoded = {}
    for header in subject.encoded():
        text = python_expression(header.text, name)
        encoded[header.shown] = f"{_literal(header.scheme)} + base64.b64encode(({text}).encode()).decode()"
    handed, headers = _split_headers(subject)
    for key, value in headers:
        expression = encoded.get(value) or python_expression(value, name)
        lines.append(f"        ({python_expression(key, name)}, {expression}),")
    if handed:
        lines.append(f"        *([({python_expression(handed, name)}, handed)] if handed else []),")
    lines += [
        "    ],",
        "    content=body.encode(),",
        f"    timeout={profile.timeout:g},",
    ]
    if client := subject.by_client():
        username, password = python_expression(client.username, name), python_expression(client.password, name)
        lines.append(f"    auth=httpx.{client.python}({username}, {password}),")
    if _python_trust(profile) and not subject.socket:
        lines.append("    verify=trust,")
    return [*lines, ")"]


def _python_body(subject: Subject) -> str:
    name = subject.profile.name
    if subject.is_form:
        return " + ".join(_spelled(subject.body, name, _literal, _in_python_address))
    return python_expression(subject.body, name, json=True)


def _python_login(login: Subject) -> list[str]:
    profile = login.profile
    session = variable(profile.name, "session")
    lines = [f'if not os.environ.get("{session}"):']
    for name, field in _login_variables(profile, login.body).items():
        lines += [
            f'    if not os.environ.get("{name}"):',
            f'        os.environ["{name}"] = getpass.getpass("{field} of {profile.name}: ")',
        ]
    lines += [f"    {line}" for line in _python_request(login)]
    found = ""
    if cookie := auth_of(profile).session_cookie:
        found = f"response.cookies.get({python_expression(cookie, profile.name)})"
    if not _has_session_in_result(profile):
        return [*lines, f'    os.environ["{session}"] = {found} or sys.exit("{NO_SESSION}")', ""]
    value = "response.json()"
    result = () if profile.login.form else (_result_member(profile),)
    for part in (*result, *names_of(profile.login.session or "")):
        index = part if part.isdecimal() else _literal(part)
        value += f"[{index}]"
    if found:
        value = f"{found} or {value}"
    return [
        *lines,
        "    try:",
        f'        os.environ["{session}"] = {value}',
        "    except (LookupError, TypeError, ValueError):",
        f'        sys.exit("{NO_SESSION}")',
        "",
    ]


def _python_trust(profile: Profile) -> list[str]:
    """Return lines that create ``trust``, if the profile has certificates."""
    name = profile.name
    lines = []
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
    elif profile.cert_file:
        lines = ["trust = ssl.create_default_context()"]
    if profile.cert_file:
        files = [python_expression(file, name) for file in (profile.cert_file, profile.key_file) if file]
        lines.append(f"trust.load_cert_chain({', '.join(files)})")
    return lines


def python_expression(text: str, profile: str, *, json: bool = False) -> str:
    """Return a Python expression for the text.

    With ``json``, secrets are escaped for a JSON string.
    """
    reading = _JSON_PYTHON if json else _PLAIN_PYTHON
    return " + ".join(_spelled(text, profile, _literal, reading.format)) or '""'


def _literal(text: str) -> str:
    spelled = repr(text)
    if '"' not in text:  # Nothing needs an escape then, and most code uses double quotes.
        spelled = f'"{spelled[1:-1]}"'
    return "".join(char if is_printable(char) else _escaped(char) for char in spelled)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def command(subject: Subject) -> str:
    """Return an rpcexplorer command, which adds the credentials itself."""
    profile, draft = subject.profile, subject.draft
    if subject.exchange is not None:  # variables in a recorded call stay text
        draft = escaped(draft)
    read = draft.read()
    params = read.text if isinstance(read, Params) else ""
    where = f"-p {quoted(profile.name)}"
    if profile.ad_hoc:
        where = _typed_server(profile)
        # The profile has another name in this command.
        for field in {found["field"] for found in PLACEHOLDER.finditer(params) if found["profile"] == profile.name}:
            params = params.replace(placeholder(f"{profile.name}.{field}"), placeholder(f"{AD_HOC_NAME}.{field}"))
    if isinstance(draft, Batch):
        return f"printf %s {quoted(params)} | rpcexplorer batch - {where}"
    verb = "notify" if draft.notification else "call"
    words = quoted(as_named(draft.method))
    if params != "[]":
        words += f" {quoted(params)}"
    if draft.method.startswith("-"):  # It would be read as an option.
        return f"rpcexplorer {verb} {where} -- {words}"
    return f"rpcexplorer {verb} {words} {where}"


def _typed_server(profile: Profile) -> str:
    """Return the options for a server without a profile."""
    options = {}
    if profile.command:
        options["--stdio"] = shlex.join(profile.command)
    else:
        options["--url"] = redacted_address(typed_whole(profile.endpoint))
    options["--preset"] = profile.preset
    if not profile.preset and profile.framing != USUAL_FRAMING:
        options["--framing"] = profile.framing
    if profile.secrets and not profile.assumes_auth:
        options["--auth"] = profile.auth.kind
    return " ".join(f"{option} {quoted(value)}" for option, value in options.items() if value)
