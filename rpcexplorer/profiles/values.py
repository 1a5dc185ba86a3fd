"""The checks of single values in ``sessions.toml``, saved calls included."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from rpcexplorer.auth.registry import KINDS, name_token_kind
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.files.toml_shape import Place, ValueCheck, WrongValue, path_rule
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.scan import MAX_INTEGER, SPACE, STRING, decoded
from rpcexplorer.model.destination import as_fingerprint
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.problem import nearest
from rpcexplorer.model.profile import TOKEN_MARK, DocumentSource, HeaderHandshake
from rpcexplorer.model.secret import PROFILE_NAME, named, unsendable
from rpcexplorer.patterns import regex
from rpcexplorer.variables.references import MADE, REFERENCE, can_be_named

URL = regex(r"(https?)://([^/?#]*)([^?#]*)(.*)", re.IGNORECASE)
HOST = regex(r"(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")
UNPRINTABLE = regex(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029]")
"""What parsers of URLs disagree about, so that a secret could go to another host than the one that is shown."""
TOKEN = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = regex(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")
_LONG_OR_USER = regex(r"[\w~%+.-]{12}|@")
"""What every secret in a path holds that has no name of one."""
OWN_KEYS = {"content-type": "content_type", "accept": "accept"}
HTTP_OWN = frozenset({"content-length", "transfer-encoding", "connection"})
TOKEN_WORDS = frozenset({"token", "apikey", "key", "bot"})
"""What stands before a token in ``Authorization`` and is no scheme that an auth type has for itself."""
COOKIE_HEADERS = frozenset({"cookie", "setcookie"})
PASSWORDS = regex(r".*(?:password|passwd|passphrase|passcode|pwd|secret|apikey|privatekey|credentials?)|pass")
"""Keys, in lower case and without separators, whose values are secrets wherever they stand."""
KEYS = regex(r".*(?:token|jwt|bearer|apikey|privatekey|authorization)")
"""Keys whose values are no password, and stand in headers or in the URL of a request."""
TOKENS = regex(r".*(?:token|session|sessionid|jwt|bearer|cookie)")
"""Keys whose values are secrets in a profile, but may be ordinary params of a method."""
PLACEHOLDER = regex(r"\{(?:username|password)\}")


def secret_command(path: KeyPath, field: str = "password") -> str:
    name = path[1] if len(path) > 1 and path[0] == "profile" else "NAME"
    return f"run `rpcexplorer profiles secret {name} {field}`"


def _auth_instead(table: str, place: Place, field: str = "token") -> str:
    """Return the auth table to write instead of a secret, and the command that stores it."""
    return f"write auth = {{ {table} }}, and {secret_command(place.path, field)}"


def refused_key(key: str, value: object, place: Place) -> str | None:
    """Why a key that no profile has must not stand there at all, where it looks like a secret or a command."""
    if isinstance(value, dict):
        return None
    squashed = _squashed(key)
    if squashed.endswith(("command", "helper")):
        return f"a file that is shared runs no commands; remove it, and {secret_command(place.path)} instead"
    if KEYS.fullmatch(squashed):
        instead = f"{name_token_kind()}, and {secret_command(place.path, 'token')}"
        return f"a secret has no place in this file; remove it, {instead}"
    if _is_secret(squashed):
        field = "session" if re.search("session|cookie", squashed) else "password"
        return f"a secret has no place in this file; remove it, and {secret_command(place.path, field)} instead"
    return None


def url_rule(value: Any, place: Place) -> Any:
    found = URL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return WrongValue('must be an address in quotes that begins with "http://" or "https://"')
    authority = found[2]
    if "@" in authority:
        basic = 'write auth = { kind = "basic", username = … } where they go out in a header'
        return WrongValue(f"must hold no user name and no password; {basic}, and {secret_command(place.path)}")
    if UNPRINTABLE.search(value):
        return WrongValue("must hold no space, no backslash and no control character")
    if found[4]:
        return WrongValue("must end before `?` and `#`; what stands behind them belongs into `path` or into params")
    host = HOST.fullmatch(authority)
    if host is None:
        return WrongValue("must name a host after `://`, such as https://rpc.example.com or http://localhost:8080")
    if host["port"] and not 0 < int(host["port"]) < 65536:
        return WrongValue("must have a port from 1 to 65535")
    return value


def url_path_rule(value: Any, place: Place) -> Any:
    if not isinstance(value, str) or UNPRINTABLE.search(value) or "#" in value:
        return WrongValue('must be text such as "/api/v2/", without spaces and without `#`')
    members = [member.partition("=")[0] for member in re.split("[?&;]", value)[1:]]
    secret = next((member for member in members if _is_secret(_squashed(member))), None)
    if secret is not None and KINDS["query"].mismatch({"name": secret}) is None:
        table = _auth_instead(f'kind = "query", name = "{secret}"', place)
        return WrongValue(f"must not contain a secret; remove {secret}, {table}")
    if secret is not None or _holds_secret(value):
        table = _auth_instead('kind = "none"', place)
        return WrongValue(f"must not contain a secret; write {TOKEN_MARK} in its place, {table.removeprefix('write ')}")
    return value


def _holds_secret(path: str) -> bool:
    if not _LONG_OR_USER.search(path):
        return False
    from rpcexplorer.redaction.addresses import places, places_in_address

    return any(places(path, words=True)) or any(places_in_address("http://host/" + path.lstrip("/")))


def header_rule(value: Any, _place: Place) -> Any:
    if isinstance(value, str) and HEADER_VALUE.fullmatch(value):
        return value
    return WrongValue("must be text that a header can hold: plain ASCII, one line, no space at its ends")


def refused_header(key: str, value: object, place: Place) -> str | None:
    lower = key.lower()
    if _squashed(key) in COOKIE_HEADERS or is_named_like_a_secret(key):
        instead = _header_instead(key, value, place)
        return f"this header holds a secret, which has no place in this file; remove it, {instead}"
    if lower in OWN_KEYS:
        return f"this header has a key of its own; write `{OWN_KEYS[lower]}` in the profile instead"
    if lower == "host":
        return "the address alone says which host is meant; remove it, and write the host into `url`"
    if lower in HTTP_OWN:
        return "this header is set by HTTP itself; remove it"
    return None if TOKEN.fullmatch(key) else "this is no name of a header: use letters, digits and `-`"


def _header_instead(name: str, value: object, place: Place) -> str:
    lower = name.lower()
    if lower in {"cookie", "set-cookie", "cookie2"}:
        command = secret_command(place.path, "session")
        return f'write auth = {{ kind = "cookie" }}, with the cookie\'s name where it is another, and {command}'
    scheme = value.partition(" ")[0] if isinstance(value, str) and " " in value else ""
    if lower == "authorization" and scheme.lower() == "bearer":
        return _auth_instead('kind = "bearer"', place)
    if lower == "authorization" and scheme.lower() in {"basic", "digest"}:
        return _auth_instead(f'kind = "{scheme.lower()}", username = …', place, "password")
    header = f'header = "{name}"' if KINDS["header"].mismatch({"header": name}) is None else "header = …"
    shape = f', value = "{scheme} {TOKEN_MARK}"' if scheme.lower() in TOKEN_WORDS else ""
    return _auth_instead(f'kind = "header", {header}{shape}', place)


def seconds_rule(value: Any, _place: Place) -> Any:
    if type(value) in {int, float} and 0 < value <= MAX_INTEGER:
        return float(value)
    return WrongValue("must be a number of seconds greater than 0, without quotes")


def status_rule(value: Any, _place: Place) -> Any:
    return value if type(value) is int and 100 <= value <= 599 else WrongValue("must be an HTTP status from 100 to 599")


def pointer_rule(value: Any, place: Place) -> Any:
    """A JSON pointer; a session id written here by mistake does not pass."""
    if isinstance(value, str) and re.fullmatch(r"(?:/(?:[^~/]|~[01])*)*", value):
        return value
    instead = secret_command(place.path, "session")
    return WrongValue(f'must be a JSON pointer into the response, such as "/sessionid"; to save a session, {instead}')


def ignored_rule(value: Any, _place: Place) -> Any:
    """A JSON pointer into a result, with ``*`` for any member or element; not all of it."""
    if isinstance(value, str) and re.fullmatch(r"(?:/(?:[^~/]|~[01])*)+", value):
        return value
    return WrongValue('must be a JSON pointer into the result, such as "/items/*/seen_at"')


def params_rule(secret_keys: re.Pattern[str]) -> ValueCheck:
    """A JSON array or object in which no member that ``secret_keys`` matches holds a literal text."""

    def check(value: Any, place: Place) -> Any:
        if not isinstance(value, dict | list):
            return WrongValue("must be an array or a table, as params are")
        return _wrong_json(value, (), place, secret_keys) or value

    return check


LOGIN_PARAMS = params_rule(regex(f"{PASSWORDS.pattern}|{TOKENS.pattern}"))
METHOD_PARAMS = params_rule(PASSWORDS)


def _wrong_json(value: Any, inside: KeyPath, place: Place, secret_keys: re.Pattern[str]) -> WrongValue | None:
    """Return what in a value cannot be sent as JSON, or must not be shared."""
    texts = [value] if isinstance(value, str) else [*value] if isinstance(value, dict) else []
    if mark := named(texts):
        return WrongValue(
            f"must not contain the secret reference {mark}: a shared file cannot use secrets. Type it in the editor",
            inside,
        )
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        found = (_wrong_json(member, (*inside, str(key)), place, secret_keys) for key, member in members)
        return next((wrong for wrong in found if wrong), None)
    if isinstance(value, float) and not math.isfinite(value):
        return WrongValue("must be a number that JSON can hold, which inf and nan are not", inside)
    if not isinstance(value, str | int | float):
        return WrongValue("must be something JSON can hold; write a date or time as text, in quotes", inside)
    key = _squashed(inside[-1]) if inside else ""
    if isinstance(value, str) and value and secret_keys.fullmatch(key) and not PLACEHOLDER.search(value):
        instead = secret_command(place.path)
        return WrongValue(f'a secret has no place in this file; write "{{password}}", and {instead} instead', inside)
    return None


def is_named_like_a_secret(key: str) -> bool:
    squashed = _squashed(key)
    return _is_secret(squashed) or bool(KEYS.fullmatch(squashed))


def _is_secret(squashed: str) -> bool:
    return bool(PASSWORDS.fullmatch(squashed) or TOKENS.fullmatch(squashed))


def _squashed(key: str) -> str:
    return re.sub("[^a-z0-9]", "", key.lower())


DIALECTS: Final = (
    "rpc.discover", "system.listMethods", "system.describe", "rpc_methods", "help", "tools/list",
    "JSONRPC.Introspect", "core.describe", "list", "rpc.describe", "jsonrpc.get_methods",
)  # fmt: skip
USED_OTHERWISE: Final = frozenset({*OWN_KEYS, *HTTP_OWN, "host", "authorization", "cookie"})
"""Headers that no handshake hands over."""


def preset_rule(value: Any, _place: Place) -> Any:
    """The name of a preset, which is the name of a file; whether there is one is known when it is read."""
    if isinstance(value, str) and PROFILE_NAME.fullmatch(value):
        return value
    return WrongValue('must be the name of a preset, such as "bitcoin"; `rpcexplorer presets` lists them')


def fingerprint_rule(value: Any, _place: Place) -> Any:
    found = as_fingerprint(value) if isinstance(value, str) else None
    return found or WrongValue('must be the fingerprint of a certificate: "sha256:" and 64 hex digits')


def handshake_rule(value: Any, _place: Place) -> Any:
    """``"mcp"``, or the header that a server wants to get back."""
    if value == "mcp":
        return value
    if not isinstance(value, dict) or list(value) != ["header"]:
        return WrongValue('must be "mcp", or name a header: { header = "X-Transmission-Session-Id" }')
    name = value["header"]
    if not isinstance(name, str) or not TOKEN.fullmatch(name):
        return WrongValue("must be the name of a header: letters, digits and `-`", ("header",))
    if name.lower() in USED_OTHERWISE:
        return WrongValue("must be a header that is used for nothing else", ("header",))
    return HeaderHandshake(name)


def discovery_rule(value: Any, place: Place) -> Any:
    """``"auto"``, ``"none"``, a dialect, or where a document lies."""
    if isinstance(value, dict) and list(value) == ["url"]:
        path = url_path_rule(value["url"], place)
        if isinstance(path, WrongValue) or not path.startswith("/"):
            return WrongValue('must be a path on the same server, such as "/openrpc.json"', ("url",))
        return DocumentSource(url=path)
    if isinstance(value, dict) and list(value) == ["file"]:
        file = path_rule(value["file"], place)
        return WrongValue(file.sentence, ("file",)) if isinstance(file, WrongValue) else DocumentSource(file=file)
    words = ("auto", "none", *DIALECTS)
    if isinstance(value, str) and value in words:
        return value
    guess = nearest(value, words) if isinstance(value, str) else None
    hint = f'did you mean "{guess}"?' if guess else f"the discovery protocols are {', '.join(DIALECTS)}"
    return WrongValue(f'must be "auto", "none", a discovery protocol, {{ url = … }} or {{ file = … }}; {hint}')


LONGEST_NAME: Final = 100
PAIR: Final = regex(rf"(?P<key>{STRING}){SPACE}:{SPACE}(?P<value>{STRING})")
"""A member whose value is text."""
LEFT_OPEN: Final = regex(rf"{REFERENCE.pattern}|\{{(?:username|password)\}}")
"""What says that a value is put in later."""


def params_json_rule(value: Any, place: Place) -> Any:
    """Params as JSON text, which keeps the spelling of its numbers."""
    if not isinstance(value, str):
        return WrongValue("must be the params as JSON text, in quotes; as TOML they are called `params`")
    read = Draft("", value).read()
    if isinstance(read, Typo):
        where = f"line {read.line}, column {read.column} of it is not"
        return WrongValue(f"must be JSON, an array or an object, and {where}: try it in the editor")
    return _secret_in_json(value, place) or value


def params_table_rule(value: Any, place: Place) -> Any:
    """Params as people write them in TOML, as JSON text."""
    found = _ANY_PARAMS(value, place)
    if isinstance(found, WrongValue):
        return found
    spelled = json.dumps(value, ensure_ascii=False)
    return _secret_in_json(spelled, place) or spelled


_ANY_PARAMS: Final = params_rule(regex("(?!)"))
"""What JSON can hold, without a word about its keys."""


def _secret_in_json(spelled: str, place: Place) -> WrongValue | None:
    if mark := named([spelled]):
        return WrongValue(
            f"must not contain the secret reference {mark}: a shared file cannot use secrets. Type it in the editor"
        )
    if mark := unsendable(spelled):
        return WrongValue(f"must not contain {mark}, which cannot be sent: write the value, or {{{{name}}}}")
    for pair in PAIR.finditer(spelled):
        value = decoded(pair["value"])
        if value and PASSWORDS.fullmatch(_squashed(decoded(pair["key"]))) and not LEFT_OPEN.search(value):
            instead = secret_command(place.path)
            return WrongValue(f'a secret has no place in this file; write "{{{{password}}}}", or {instead}')
    return None


def refused_call(key: str, value: object, _place: Place) -> str | None:
    if not key.strip() or key != key.strip() or not key.isprintable() or len(key) > LONGEST_NAME or key[0] == SIGN:
        return f"this is no name for a saved call; use up to {LONGEST_NAME} letters, no space or `{SIGN}` before them"
    if not isinstance(value, dict):
        return None
    if "method" not in value:
        return 'the saved call has no `method`; add one, such as method = "ping"'
    if {"params", "params_json"} <= value.keys():
        return "the saved call has `params` and `params_json`; keep one of them"
    return None


def variable_rule(value: Any, _place: Place) -> Any:
    if isinstance(value, bool | int):
        return json.dumps(value)
    if not isinstance(value, str):
        return WrongValue("must be text, in quotes; a number with a fraction too, for its spelling counts")
    if mark := named([value]):
        return WrongValue(f"must not contain the secret reference {mark}: a shared file cannot use secrets")
    return value


def refused_variable(key: str, _value: object, place: Place) -> str | None:
    if is_named_like_a_secret(key):
        return f"a secret has no place in this file; remove it, and {secret_command(place.path)} instead"
    if key in MADE:
        return f"{{{{{key}}}}} has a meaning of its own; use another name"
    if not can_be_named(key):
        return "not a name of a variable; use letters, digits, `_`, `-` and `.`, and begin with a letter or `_`"
    return None
