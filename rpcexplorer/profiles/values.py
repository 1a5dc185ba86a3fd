"""The checks of single values in ``sessions.toml``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec

from rpcexplorer.auth.registry import KINDS, token_kinds
from rpcexplorer.files.toml import KeyPath, dotted
from rpcexplorer.files.toml_shape import (
    JsonSchema,
    Place,
    Refusal,
    ValueCheck,
    WrongValue,
    accepts,
    in_any_case,
    integer_rule,
    name_rule,
    path_rule,
    schema_of,
    whole,
    without_quotes,
)
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.scan import MAX_INTEGER, SPACE, STRING, decoded
from rpcexplorer.model.destination import as_fingerprint
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.problem import nearest
from rpcexplorer.model.profile import (
    PROCESS,
    SCHEMES,
    TOKEN_MARK,
    URL_BEGINNINGS,
    WITH_SOCKET,
    Answer,
    DocumentSource,
    HeaderHandshake,
    OpeningCall,
    kind_of,
)
from rpcexplorer.model.secret import (
    FIELDS,
    PASSWORDS,
    PROFILE_NAME,
    VARIABLE_NAME,
    is_secret_value,
    is_secret_variable,
    named,
    squashed,
    unsendable,
)
from rpcexplorer.patterns import regex
from rpcexplorer.variables.references import MADE, REFERENCE, can_be_named

URL = regex(r"(https?|wss?|tcp|tls)://([^/?#]*)([^?#]*)(.*)", re.IGNORECASE)
SOCKET = regex(r"(?P<request>http\+|ws\+)?unix://(?P<path>.*)", re.IGNORECASE | re.DOTALL)
HOST = regex(r"(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")
UNPRINTABLE = regex(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029]")
"""Characters on which URL parsers disagree, which is a risk for secrets."""
TOKEN = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = regex(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")
_LONG_OR_USER = regex(r"[\w~%+.-]{12}|@")
"""A part that every unnamed secret in a path contains."""
OWN_KEYS = {"content-type": "content_type", "accept": "accept"}
HTTP_OWN = frozenset({"content-length", "transfer-encoding", "connection"})
TOKEN_WORDS = frozenset({"token", "apikey", "key", "bot"})
"""Words before a token in ``Authorization`` that are not an auth type."""
KEYS = regex(r".*(?:token|jwt|bearer|apikey|privatekey|authorization)")
"""Keys of tokens, which are in headers or the URL of a request."""
TOKENS = regex(r".*(?:token|session|sessionid|jwt|bearer|cookie)")
"""Keys that are secrets in a profile, but may be params of a method."""
PLACEHOLDER = regex(r"\{(?:username|password)\}")
_REFERENCE_REFUSED: Final = (
    "must not contain the secret reference {}: this file cannot use secrets. Type the reference in the editor instead"
)


def secret_command(path: KeyPath, field: str = "password") -> str:
    name = path[1] if len(path) > 1 and path[0] == "profile" else "NAME"
    return f"`rpcexplorer profiles secret {name} {field}`"


def _auth_instead(table: str, place: Place, field: str = "token") -> str:
    """Return the auth table to write instead of a secret, and its command."""
    return f"write auth = {{ {table} }}, and run {secret_command(place.path, field)}"


def refused_key(key: str, value: object, place: Place) -> str | None:
    """Return why an unknown key is refused, if there is a better reason than its name."""
    name = squashed(key)
    if isinstance(value, dict):
        return "this key is called `environment`" if name == "env" else None
    if name == "cwd":
        return "this key is called `folder`"
    if name.endswith(("command", "helper")):
        instead = f"Move or rename this key, or run {secret_command(place.path)}"
        return f"the command of a secret is a key of `auth`, such as auth.token_command. {instead}"
    if KEYS.fullmatch(name):
        remove = f"Remove this key, set auth.kind to one of {token_kinds()}"
        return f"secrets are not allowed in this file. {remove}, and run {secret_command(place.path, 'token')}"
    if _is_secret(key):
        field = "session" if re.search("session|cookie", name) else "password"
        return f"secrets are not allowed in this file. Remove this key, and run {secret_command(place.path, field)}"
    return None


def _schemes(*kinds: str) -> str:
    return "|".join(in_any_case(scheme) for scheme, kind in SCHEMES.items() if kind in kinds and "unix" not in scheme)


_LABEL: Final = r"[^\s/?#@:,.\\\[\]]+"  # In a JSON Schema, \w is ASCII.
_HOST_NAME: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\])"
_PROCESS_URL: Final = f"(?:{_schemes('process')}):"
_SOCKET_URL: Final = rf"(?:[A-Za-z]+\+)?{in_any_case('unix')}:///.*[^/]"
_HTTP_URL: Final = rf"(?:{_schemes('http', 'websocket')})://{_HOST_NAME}(?::[0-9]+)?(?:/[^\x00-\x20?#\\]*)?"
_STREAM_URL: Final = rf"(?:{_schemes('stream')})://{_HOST_NAME}:[0-9]+"


@accepts(type="string", pattern=whole(f"{_PROCESS_URL}|{_SOCKET_URL}|{_HTTP_URL}|{_STREAM_URL}"))
def url_rule(value: Any, place: Place) -> Any:
    no_url = WrongValue(f'must be a URL that begins with {URL_BEGINNINGS}, or be "stdio:"')
    if not isinstance(value, str):
        return no_url
    if kind_of(value) == "process":
        words = 'must be only "stdio:". Write its words into `command`, such as command = ["pylsp"]'
        return PROCESS if value.lower() == PROCESS else WrongValue(words)
    if socket := SOCKET.fullmatch(value):
        return _socket_problem(socket) or value
    found = URL.fullmatch(value)
    if found is None:
        return no_url
    scheme, authority = found[1].lower(), found[2]
    if authority == "unix:":  # nginx
        return WrongValue(f"must name a Unix socket like {WITH_SOCKET.get(scheme, 'unix')}:///run/service.sock")
    if "@" in authority:
        instead = _auth_instead('kind = "basic", username = …', place, "password")
        return WrongValue(f"must not contain a user name or password. For HTTP Basic, {instead}")
    if UNPRINTABLE.search(value):
        return WrongValue("must not contain spaces, backslashes or control characters")
    if found[4]:
        return WrongValue("must not contain `?` or `#`. Write a query into `path` or into the params")
    host = HOST.fullmatch(authority)
    if host is None:
        return WrongValue("must name a host after `://`, such as https://rpc.example.com or http://localhost:8080")
    if host["port"] and not 0 < int(host["port"]) < 65536:
        return WrongValue("must have a port from 1 to 65535")
    if kind_of(value) == "stream" and (found[3] or not host["port"]):
        return WrongValue("must end with host and port, such as tcp://127.0.0.1:1705")
    return value


def _socket_problem(socket: re.Match[str]) -> WrongValue | None:
    path = socket["path"]
    if not path.startswith("/") or path.endswith("/") or not path.isprintable():
        example = f"{socket['request'] or ''}unix:///run/service.sock"
        return WrongValue(f"must have the absolute path of a socket, such as {example}")
    if socket["request"] and ":" in path:
        return WrongValue("must not contain `:` after the scheme. Write the path of the request into `path`")
    return None


_PATH: Final = r"[^\x00-\x20#\\\x7f-\xa0\u2028\u2029]*"


@accepts(type="string", pattern=whole(_PATH))
def url_path_rule(value: Any, place: Place) -> Any:
    if not isinstance(value, str) or UNPRINTABLE.search(value) or "#" in value:
        return WrongValue('must be text such as "/api/v2/", without spaces or `#`')
    secret = _secret_member(value)
    if secret is not None and KINDS["query"].mismatch({"name": secret}) is None:
        table = _auth_instead(f'kind = "query", name = "{secret}"', place)
        return WrongValue(f"must not contain a secret. Remove {secret}, {table}")
    if secret is not None or _holds_secret(value):
        table = _auth_instead('kind = "none"', place)
        return WrongValue(f"must not contain a secret. Replace the secret with {TOKEN_MARK}, {table}")
    return value


@accepts(type="string", pattern=whole(f"/{_PATH}"))
def login_path_rule(value: Any, place: Place) -> Any:
    """Check the path of a login, which is always on the profile's own server."""
    found = url_path_rule(value, place)
    if isinstance(found, str) and not found.startswith("/"):
        return WrongValue('must be a path on the same server, such as "/session/login"')
    return found


def _secret_member(address: str) -> str | None:
    """Return the first member of a query that is named like a secret, or None."""
    for member in re.split("[?&;]", address)[1:]:
        name = member.partition("=")[0]
        if _is_secret(name):
            return name
    return None


def _holds_secret(path: str) -> bool:
    if not _LONG_OR_USER.search(path):
        return False
    from rpcexplorer.redaction.addresses import places, places_in_address

    address = path if "://" in path else "http://host/" + path.lstrip("/")
    return any(places(path, words=True)) or any(places_in_address(address))


MAX_WORDS: Final = 64
MAX_COMMAND_BYTES: Final = 4096
_NAMED_VALUE = regex(r"(-{0,2}[A-Za-z][\w.-]*)(?:=|: ?)(.+)", re.DOTALL)
"""``--token=x``, ``TOKEN=x`` or ``Authorization: x``."""


_WORD: Final = {"type": "string", "pattern": r"^[^\x00-\x1f\x7f]*$"}


@accepts(type="array", prefixItems=[_WORD | {"minLength": 1}], items=_WORD, minItems=1, maxItems=MAX_WORDS)
def command_rule(value: Any, place: Place) -> Any:
    """Check the words of a process."""
    words = value if isinstance(value, list) else []
    if not 1 <= len(words) <= MAX_WORDS or not all(isinstance(word, str) for word in words) or not words[0]:
        return WrongValue(f'must be an array of 1 to {MAX_WORDS} words, such as ["pylsp", "-v"]')
    if not all(word.isprintable() for word in words):  # A text that is not UTF-8 is not printable.
        return WrongValue("must have words of one line, without control characters")
    if sum(len(word.encode()) for word in words) > MAX_COMMAND_BYTES:
        return WrongValue(f"must have at most {MAX_COMMAND_BYTES} bytes")
    if mark := named(words):
        return WrongValue(_REFERENCE_REFUSED.format(mark))
    for at, (before, word) in enumerate(pairwise(["", *words])):
        if _is_secret_word(word, before, place):
            advice = "Remove it, and let the program read it from its environment or from a file"
            return WrongValue(f"must not contain a secret. {advice}", (str(at),))
    return tuple(words)


def _is_secret_word(word: str, before: str, place: Place) -> bool:
    """Return whether a word of a command is, or contains, a secret."""
    if before.startswith("--") and "=" not in before and not word.startswith("-") and _is_secret_name(before):
        return True
    while (found := _NAMED_VALUE.fullmatch(word)) and not word[len(found[1]) :].startswith("://"):
        if _is_secret_name(found[1]) and not REFERENCE.search(found[2]):
            return True
        word = found[2]
    if is_secret_value(word):
        return True
    if "://" in word:
        return _secret_member(word) is not None or _holds_secret(word)
    return password_in_json(word, place) is not None


def _is_secret_name(option: str) -> bool:
    name = squashed(option)
    is_secret = PASSWORDS.fullmatch(name) or KEYS.fullmatch(name) or name.endswith("cookie")
    return bool(is_secret) and not name.startswith("no")


MAX_VARIABLES: Final = 64
MAX_VARIABLE_BYTES: Final = 4096
"""Limit of one value. All values are shown before a command of others is allowed."""


@accepts(type="string", maxLength=MAX_VARIABLE_BYTES)
def environment_rule(value: Any, _place: Place) -> Any:
    """Check the value of an environment variable."""
    if not isinstance(value, str) or not value.isprintable():
        return WrongValue('must be text in one line, in quotes, without control characters, such as DEBUG = "1"')
    if len(value.encode()) > MAX_VARIABLE_BYTES:
        return WrongValue(f"must have at most {MAX_VARIABLE_BYTES} bytes")
    if mark := named([value]):
        return WrongValue(_REFERENCE_REFUSED.format(mark))
    return value


def refused_environment(key: str, value: object, place: Place) -> str | None:
    if wrong := wrong_variable(key):
        return wrong
    if not isinstance(value, str) or not value:
        return None
    if is_secret_variable(key, "") or _is_secret_word(f"{key.lstrip('_')}={value}", "", place):
        instead = f'Remove the variable, set environment_secrets = ["{key}"]'
        return f"secrets are not allowed in this file. {instead}, and run {secret_command(place.path, key)}"
    return None


@accepts(type="array", items={"pattern": whole(VARIABLE_NAME.pattern)}, maxItems=MAX_VARIABLES)
def environment_secrets_rule(value: Any, _place: Place) -> Any:
    """Check the names of the environment variables whose values are secrets."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return WrongValue('must be an array of names, such as ["API_KEY"], without values')
    if len(value) > MAX_VARIABLES:
        return WrongValue(f"must have at most {MAX_VARIABLES} names")
    for at, name in enumerate(value):
        if wrong := wrong_variable(name):
            return WrongValue(wrong, (str(at),))
        if name.upper() == "ORIGIN" or name in FIELDS:  # RPCEXPLORER_<PROFILE>_ORIGIN has another meaning.
            return WrongValue(f"must not be {name}, which rpcexplorer uses itself", (str(at),))
    return tuple(dict.fromkeys(value))


def wrong_variable(name: str) -> str:
    """Return why a name cannot be that of an environment variable of a process, or nothing."""
    if not VARIABLE_NAME.fullmatch(name):
        return "not a valid name of an environment variable. Use at most 64 letters, digits and `_`"
    if name.lstrip("_").startswith("RPCEXPLORER_"):
        return "a process does not get the variables of rpcexplorer. Remove it"
    return ""


@accepts(type="string", pattern=whole(HEADER_VALUE.pattern))
def header_rule(value: Any, _place: Place) -> Any:
    if isinstance(value, str) and HEADER_VALUE.fullmatch(value):
        return value
    return WrongValue("must be a valid header value: printable ASCII, one line, no spaces at the ends")


def pairs_rule(inside: ValueCheck, refuse: Refusal) -> ValueCheck:
    """Return a rule for a table of text that counts as one value."""

    @accepts(type="object", additionalProperties=schema_of(inside))
    def check(value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            return WrongValue("must be a table of text values")
        for name, text in value.items():
            if refused := refuse(name, text, place):
                return WrongValue(refused, (name,))
            checked = inside(text, place)
            if isinstance(checked, WrongValue):
                return WrongValue(checked.sentence, (name,))
        return tuple(value.items())

    return check


@accepts(type=["string", "array"], minLength=1, items={"type": "string"})
def words_rule(value: Any, place: Place) -> Any:
    """Accept words in one text, or an array of them, as one text."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return name_rule(value, place)


@accepts(type="string")
def claim_rule(value: Any, _place: Place) -> Any:
    if not isinstance(value, str):
        return WrongValue("must be text, in quotes")
    if mark := named([value]):
        return WrongValue(_REFERENCE_REFUSED.format(mark))
    return value


def refused_claim(key: str, _value: object, place: Place) -> str | None:
    if key == "iat":
        return "the token of each request has its own time. Remove this claim"
    if is_named_like_a_secret(key):
        return f"secrets are not allowed in this file. Remove the claim, and run {secret_command(place.path, 'key')}"
    return None


def other_names(refused: Iterable[str]) -> JsonSchema:
    """Return the JSON Schema of the name of a header that is not one of these."""
    return {"pattern": whole(TOKEN.pattern), "not": {"pattern": whole("|".join(map(in_any_case, sorted(refused))))}}


HEADER_NAMES: Final = other_names({*OWN_KEYS, *HTTP_OWN, "host", "cookie", "set-cookie", "authorization"})


def refused_header(key: str, value: object, place: Place) -> str | None:
    lower = key.lower()
    if is_named_like_a_secret(key) or (isinstance(value, str) and is_secret_value(value)):
        instead = _header_instead(key, value, place)
        return f"this header contains a secret, which is not allowed in this file. Remove the header, {instead}"
    if lower in OWN_KEYS:
        return f"set the key `{OWN_KEYS[lower]}` instead of this header"
    if lower == "host":
        return "the host comes from `url`. Remove this header, and change `url` instead"
    if lower in HTTP_OWN:
        return "rpcexplorer sets this header. Remove it"
    return None if TOKEN.fullmatch(key) else "not a valid header name. Use letters, digits and `-`"


def _header_instead(name: str, value: object, place: Place) -> str:
    lower = name.lower()
    if lower in {"cookie", "set-cookie"}:
        return _auth_instead('kind = "cookie", cookie = …', place, "session")
    scheme = value.partition(" ")[0] if isinstance(value, str) and " " in value else ""
    if lower == "authorization" and scheme.lower() == "bearer":
        return _auth_instead('kind = "bearer"', place)
    if lower == "authorization" and scheme.lower() in {"basic", "digest"}:
        return _auth_instead(f'kind = "{scheme.lower()}", username = …', place, "password")
    header = f'header = "{name}"' if KINDS["header"].mismatch({"header": name}) is None else "header = …"
    shape = f', value = "{scheme} {TOKEN_MARK}"' if scheme.lower() in TOKEN_WORDS else ""
    return _auth_instead(f'kind = "header", {header}{shape}', place)


def duration_rule(unit: str) -> ValueCheck:

    @accepts(type="number", exclusiveMinimum=0, maximum=MAX_INTEGER)
    def check(value: Any, _place: Place) -> Any:
        if type(value) in {int, float} and 0 < value <= MAX_INTEGER:
            return float(value)
        return WrongValue(f"must be a number of {unit} greater than 0{without_quotes(value)}")

    return check


@accepts(type="integer", minimum=100, maximum=599)
def status_rule(value: Any, _place: Place) -> Any:
    if type(value) is int and 100 <= value <= 599:
        return value
    return WrongValue(f"must be an HTTP status from 100 to 599{without_quotes(value)}")


_POINTER_PART: Final = "(?:/(?:[^~/]|~[01])*)"


@accepts(type="string", pattern=whole(f"{_POINTER_PART}*"))
def pointer_rule(value: Any, place: Place) -> Any:
    """Check a JSON pointer; a session id is refused."""
    if isinstance(value, str) and re.fullmatch(f"{_POINTER_PART}*", value):
        return value
    command = secret_command(place.path, "session")
    return WrongValue(
        f'must be a JSON pointer into the result, such as "/sessionid". To store a session, run {command}'
    )


@accepts(type="string", pattern=whole(f"{_POINTER_PART}+"))
def ignored_rule(value: Any, _place: Place) -> Any:
    """Check a JSON pointer into a result; ``*`` is any member or element."""
    if isinstance(value, str) and re.fullmatch(f"{_POINTER_PART}+", value):
        return value
    return WrongValue('must be a JSON pointer into the result, such as "/items/*/seen_at"')


def params_rule(secret_keys: re.Pattern[str]) -> ValueCheck:
    """Return a rule for params without literal values of secret keys."""

    @accepts(type=["object", "array"])
    def check(value: Any, place: Place) -> Any:
        if not isinstance(value, dict | list):
            return WrongValue("must be an array or a table")
        return wrong_json(value, (), place, secret_keys) or value

    return check


_OF_LOGINS = regex(f"{PASSWORDS.pattern}|{TOKENS.pattern}")
LOGIN_PARAMS = params_rule(_OF_LOGINS)
METHOD_PARAMS = params_rule(PASSWORDS)


def wrong_json(value: Any, inside: KeyPath, place: Place, secret_keys: re.Pattern[str]) -> WrongValue | None:
    """Return why a value cannot be sent as JSON, or must not be shared."""
    mark = ""
    if isinstance(value, str):
        mark = named([value])
    elif isinstance(value, dict):
        mark = named(value)
    if mark:
        return WrongValue(_REFERENCE_REFUSED.format(mark), inside)
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            if wrong := wrong_json(member, (*inside, str(key)), place, secret_keys):
                return wrong
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return WrongValue("must be a JSON number, not inf or nan", inside)
    if not isinstance(value, str | int | float):
        return WrongValue("must be a JSON value. Write a date or time as text, in quotes", inside)
    key = squashed(inside[-1]) if inside else ""
    is_literal = isinstance(value, str) and value and not PLACEHOLDER.search(value)
    if is_literal and secret_keys.fullmatch(key):
        instead = f'Write "{{password}}", and run {secret_command(place.path)}'
        return WrongValue(f"secrets are not allowed in this file. {instead}", inside)
    return None


def is_named_like_a_secret(key: str) -> bool:
    return _is_secret(key) or KEYS.fullmatch(squashed(key)) is not None


def _is_secret(key: str) -> bool:
    name = squashed(key)
    return bool(PASSWORDS.fullmatch(name) or TOKENS.fullmatch(name))


DISCOVERY_PROTOCOLS: Final = (
    "rpc.discover", "system.listMethods", "system.describe", "rpc_methods", "help", "tools/list",
    "JSONRPC.Introspect", "core.describe", "list", "rpc.describe", "jsonrpc.get_methods",
    "__listMethods",
)  # fmt: skip
USED_OTHERWISE: Final = frozenset({*OWN_KEYS, *HTTP_OWN, "host", "authorization", "cookie"})
"""Headers that cannot be a handshake."""


@accepts(type="string", pattern=whole(PROFILE_NAME.pattern))
def preset_rule(value: Any, _place: Place) -> Any:
    """Check the name of a preset, which may not exist."""
    if isinstance(value, str) and PROFILE_NAME.fullmatch(value):
        return value
    return WrongValue('must be the name of a preset, such as "bitcoin". To list the presets, run `rpcexplorer presets`')


@accepts(type="string", pattern="[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){31}$")
def fingerprint_rule(value: Any, _place: Place) -> Any:
    found = as_fingerprint(value) if isinstance(value, str) else None
    return found or WrongValue('must be the fingerprint of a certificate: "sha256:" and 64 hex digits')


_HANDSHAKE_HEADER: Final = {
    "type": "object",
    "properties": {"header": other_names(USED_OTHERWISE)},
    "required": ["header"],
    "additionalProperties": False,
}


@accepts(anyOf=[{"enum": ["mcp", "lsp"]}, _HANDSHAKE_HEADER])
def handshake_rule(value: Any, _place: Place) -> Any:
    """Check ``"mcp"``, ``"lsp"``, or a header that the server sends and needs back."""
    if value in ("mcp", "lsp"):
        return value
    if not isinstance(value, dict) or list(value) != ["header"]:
        return WrongValue('must be "mcp" or "lsp", or name a header: { header = "X-Transmission-Session-Id" }')
    name = value["header"]
    if not isinstance(name, str) or not TOKEN.fullmatch(name):
        return WrongValue("must be the name of a header: letters, digits and `-`", ("header",))
    if name.lower() in USED_OTHERWISE:
        return WrongValue("must be another header: HTTP or rpcexplorer already uses this one", ("header",))
    return HeaderHandshake(name)


ANSWER_KEYS: Final = ("result", "result_json", "error", "ask")


_ERROR: Final = {
    "type": "object",
    "properties": {"code": schema_of(integer_rule), "message": {"type": "string"}},
    "required": ["code", "message"],
    "additionalProperties": False,
}


@accepts(
    type="object",
    properties={"result": {}, "result_json": {"type": "string"}, "error": _ERROR, "ask": {"const": True}},
    minProperties=1,
    maxProperties=1,
    additionalProperties=False,
)
def answer_rule(value: Any, place: Place) -> Any:
    """Check the answer to a request of the server."""
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ANSWER_KEYS:
        sentence = "must be a table with exactly one of result, result_json, error and ask"
        if isinstance(value, dict) and any(isinstance(value[key], dict) for key in value.keys() - ANSWER_KEYS):
            sentence += ". Write a method name with dots in quotes, such as 'answer.\"ask.name\".result'"
        if value == {}:
            sentence += f". To remove the answer, remove all of `{dotted(place.path[-2:])}`"
        return WrongValue(sentence)
    [(key, content)] = value.items()
    if key == "ask":
        return Answer(ask=True) if content is True else WrongValue("must be true", (key,))
    if key == "error":
        return _error_answer(content, place)
    spelled = content
    if key == "result":
        if wrong := wrong_json(content, (key,), place, PASSWORDS):
            return wrong
        spelled = json.dumps(content, ensure_ascii=False)
    line = one_line(spelled) if isinstance(spelled, str) else None
    if line is None:
        return WrongValue("must be JSON text in quotes", (key,))
    if wrong := _secret_in_json(line, place):
        return WrongValue(wrong.sentence, (key,))
    return Answer(line)


def _error_answer(content: Any, place: Place) -> Any:
    wrong_table = WrongValue('must be a table such as { code = -32601, message = "no" }', ("error",))
    if not isinstance(content, dict) or content.keys() != {"code", "message"}:
        return wrong_table
    code, message = content["code"], content["message"]
    if not isinstance(code, int) or not isinstance(message, str):
        return wrong_table
    for checked in (integer_rule(code, place), wrong_json(message, (), place, NO_KEY)):
        if isinstance(checked, WrongValue):
            return WrongValue(checked.sentence, ("error",))
    return Answer(code=code, message=message)


_OPENING_KEYS: Final[Mapping[str, Any]] = {"method": str, "params": (dict, list), "notification": bool, "name": str}
"""The types of the keys of an opening call; its ``result`` can be any value."""
NAME_OF_OPENING: Final = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_OPENING: Final = {
    "type": "object",
    "properties": {
        "method": schema_of(name_rule),
        "params": {"type": ["object", "array"]},
        "notification": {"type": "boolean"},
        "name": {"type": "string", "pattern": f"^$|{whole(NAME_OF_OPENING.pattern)}"},
        "result": {},
    },
    "required": ["method"],
    "additionalProperties": False,
}


@accepts(type="array", items=_OPENING)
def openings_rule(value: Any, place: Place) -> Any:
    """Check the calls that a connection begins with."""
    if not isinstance(value, list) or not all(isinstance(call, dict) for call in value):
        return WrongValue('must be tables, each such as `[[profile.x.open]]` with method = "hello"')
    openings, names = [], set[str]()
    for number, call in enumerate(value):
        if wrong := _wrong_opening(call, place):
            return WrongValue(wrong.sentence, (str(number), *wrong.inside))
        name = call.get("name", "")
        if name in names:
            return WrongValue(f'the name "{name}" appears twice. Rename one of the calls', (str(number), "name"))
        names |= {name} - {""}
        openings.append(OpeningCall(**call))
    return tuple(openings)


def _wrong_opening(call: dict[str, Any], place: Place) -> WrongValue | None:
    known = [*_OPENING_KEYS, "result"]
    if unknown := next((key for key in call if key not in known), None):
        return WrongValue(f"`{unknown}` is not a key of an opening call. Use {', '.join(known)}", (unknown,))
    if not call.get("method"):
        return WrongValue("an opening call needs a method")
    for key, kind in _OPENING_KEYS.items():
        if key in call and not isinstance(call[key], kind):
            return WrongValue(f"`{key}` must be {_KIND_WORDS[key]}", (key,))
    if call.get("name") and not NAME_OF_OPENING.fullmatch(call["name"]):
        return WrongValue("a name has letters, digits, `_` and `-`, and begins with a letter", ("name",))
    if call.get("notification") and {"result", "name"} & {*call}:
        return WrongValue("a notification has no result. Remove `result` and `name`", ("notification",))
    for key in ("params", "result"):
        if key in call and (wrong := wrong_json(call[key], (), place, _OF_LOGINS)):
            return WrongValue(wrong.sentence, (key, *wrong.inside))
    return None


_KIND_WORDS: Final = {
    "method": "text", "params": "an array or a table", "notification": "true or false", "name": "text",
}  # fmt: skip


def refused_answer(key: str, _value: object, _place: Place) -> str | None:
    return None if key.strip() else "an answer needs the name of a method, or `*` for all others"


def one_line(text: str) -> str | None:
    """Return JSON text without line breaks between its parts; None if it is not JSON."""
    try:
        return msgspec.json.format(text.encode(), indent=0).decode()
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


@accepts(
    anyOf=[
        {"enum": ["auto", "none", *DISCOVERY_PROTOCOLS]},
        {"type": "object", "properties": {"url": schema_of(login_path_rule)}, "required": ["url"], "maxProperties": 1},
        {"type": "object", "properties": {"file": schema_of(path_rule)}, "required": ["file"], "maxProperties": 1},
    ]
)
def discovery_rule(value: Any, place: Place) -> Any:
    """Check ``"auto"``, ``"none"``, a discovery protocol, or a document."""
    if isinstance(value, dict) and list(value) == ["url"]:
        path = url_path_rule(value["url"], place)
        if isinstance(path, WrongValue) or not path.startswith("/"):
            return WrongValue('must be a path on the same server, such as "/openrpc.json"', ("url",))
        return DocumentSource(url=path)
    if isinstance(value, dict) and list(value) == ["file"]:
        file = path_rule(value["file"], place)
        if isinstance(file, WrongValue):
            return WrongValue(file.sentence, ("file",))
        return DocumentSource(file=file)
    words = ("auto", "none", *DISCOVERY_PROTOCOLS)
    if isinstance(value, str) and value in words:
        return value
    guess = nearest(value, words) if isinstance(value, str) else None
    hint = f'Did you mean "{guess}"?' if guess else f"The discovery protocols are {', '.join(DISCOVERY_PROTOCOLS)}"
    return WrongValue(f'must be "auto", "none", a discovery protocol, {{ url = … }} or {{ file = … }}. {hint}')


LONGEST_NAME: Final = 100
PAIR: Final = regex(rf"(?P<key>{STRING}){SPACE}:{SPACE}(?P<value>{STRING})")
"""A member whose value is text."""
LEFT_OPEN: Final = regex(rf"{REFERENCE.pattern}|\{{(?:username|password)\}}")
"""A value that is filled in later."""


@accepts(type="string", pattern=r"^\s*(?:[\[{]|$)")
def params_json_rule(value: Any, place: Place) -> Any:
    """Check params as JSON text, which keeps the spelling of numbers."""
    if not isinstance(value, str):
        return WrongValue("must be JSON text in quotes. For a TOML value, use `params`")
    read = Draft("", value).read()
    if isinstance(read, Typo):
        return WrongValue(f"must be a JSON array or object. Check line {read.line}, column {read.column} of the text")
    return _secret_in_json(value, place) or value


@accepts(type=["object", "array"])
def params_table_rule(value: Any, place: Place) -> Any:
    """Convert params in TOML to JSON text."""
    found = _ANY_PARAMS(value, place)
    if isinstance(found, WrongValue):
        return found
    spelled = json.dumps(value, ensure_ascii=False)
    return _secret_in_json(spelled, place) or spelled


NO_KEY: Final = regex("(?!)")
"""It matches no text at all."""
_ANY_PARAMS: Final = params_rule(NO_KEY)
"""Any JSON value, whatever its keys."""


def _secret_in_json(spelled: str, place: Place) -> WrongValue | None:
    if mark := named([spelled]):
        return WrongValue(_REFERENCE_REFUSED.format(mark))
    if mark := unsendable(spelled):
        return WrongValue(
            f"must not contain {mark}, which cannot be sent. Write the value or a variable such as {{{{name}}}}"
        )
    return password_in_json(spelled, place)


def password_in_json(spelled: str, place: Place) -> WrongValue | None:
    for pair in PAIR.finditer(spelled):
        value = decoded(pair["value"])
        if value and PASSWORDS.fullmatch(squashed(decoded(pair["key"]))) and not LEFT_OPEN.search(value):
            instead = f'Write "{{{{password}}}}", or remove the key and run {secret_command(place.path)}'
            return WrongValue(f"secrets are not allowed in this file. {instead}")
    return None


def refused_call(key: str, value: object, _place: Place) -> str | None:
    if not key.strip() or key != key.strip() or not key.isprintable() or len(key) > LONGEST_NAME or key[0] == SIGN:
        advice = f"Use at most {LONGEST_NAME} characters, without `{SIGN}` at the start or spaces at the ends"
        return f"not a valid name for a saved call. {advice}"
    if not isinstance(value, dict):
        return None
    if "method" not in value:
        return 'the saved call has no `method`. Add one, such as method = "ping"'
    if {"params", "params_json"} <= value.keys():
        return "the saved call has `params` and `params_json`. Remove one of them"
    return None


@accepts(type=["string", "integer", "boolean"])
def variable_rule(value: Any, _place: Place) -> Any:
    if isinstance(value, bool | int):
        return json.dumps(value)
    if not isinstance(value, str):
        return WrongValue("must be text, a whole number, true or false. Write other values as text, in quotes")
    if mark := named([value]):
        return WrongValue(_REFERENCE_REFUSED.format(mark))
    return value


def refused_variable(key: str, _value: object, place: Place) -> str | None:
    if is_named_like_a_secret(key):
        return f"secrets are not allowed in this file. Remove the variable, and run {secret_command(place.path)}"
    if key in MADE:
        return f"{{{{{key}}}}} is built in. Use another name"
    if not can_be_named(key):
        return "not a valid variable name. Begin with a letter or `_`, and use only letters, digits, `_`, `-` and `.`"
    return None
