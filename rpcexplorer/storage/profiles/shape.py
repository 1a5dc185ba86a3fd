"""The shape of ``sessions.toml`` as one table, and the profile that values of that shape make.

Which files are read, and which of them wins, is settled in loading.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from rpcexplorer.auth.registry import KINDS, USUAL, fields
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.files.toml_shape import (
    Each,
    Place,
    TableRule,
    ValueCheck,
    WrongValue,
    beside,
    choice,
    flag,
    listed,
    name,
    text,
    version,
    whole,
)
from rpcexplorer.model.profile import (
    PATH,
    RESERVED,
    Auth,
    Login,
    MethodNote,
    Profile,
    is_reserved,
    misplaced_token,
    usual_type,
)
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.rpc.messages import EnvelopeForm, IdForm
from rpcexplorer.storage.profiles.saved import CALLS, VARIABLES
from rpcexplorer.storage.profiles.server_values import certificate, discovery, handshake, preset_name
from rpcexplorer.storage.profiles.values import (
    LOGIN_PARAMS,
    METHOD_PARAMS,
    header,
    ignored,
    pointer,
    refused_header,
    refused_key,
    seconds,
    status,
    url,
    url_path,
)

KIND = choice(*KINDS)


def _refused_name(key: str, _value: object, _place: Place) -> str | None:
    if is_reserved(key):
        return f"{RESERVED} Rename the profile"
    if PROFILE_NAME.fullmatch(key):
        return None
    return "this is no name for a profile; use up to 64 letters, digits, `_`, `-` and `.`, a letter or digit first"


def _field(key: str) -> ValueCheck:
    """A field of auth before its kind is known: what none of the kinds that have it would take is wrong."""
    rules = [kind.fits.get(key) for kind in KINDS.values() if key in kind.__struct_fields__]
    strict = [rule for rule in rules if rule is not None]
    if len(strict) < len(rules):
        return name

    def check(value: Any, _place: Place) -> Any:
        fits = isinstance(value, str) and any(pattern.fullmatch(value) for pattern, _ in strict)
        return value if fits else WrongValue(strict[0][1])

    return check


AUTH = TableRule("auth", {"kind": KIND, **{key: _field(key) for key in fields()}}, refused_key)
LOGIN = TableRule(
    "login",
    {
        "method": name,
        "params": LOGIN_PARAMS,
        "session": pointer,
        "ended_status": listed(status, "HTTP statuses"),
        "ended_codes": listed(whole, "error codes"),
        "ended_words": listed(name, "words"),
    },
    refused_key,
)
METHOD = TableRule(
    "a method",
    {
        "doc": text,
        "params": METHOD_PARAMS,
        "safe": flag,
        "auth": KIND,
        "ignore": listed(ignored, "JSON pointers"),
    },
    refused_key,
)
PROFILE = TableRule(
    "a profile",
    {
        "url": url,
        "preset": preset_name,
        "path": url_path,
        "description": text,
        "badge": text,
        "confirm": choice("never", "unsafe", "always"),
        "timeout": seconds,
        "content_type": header,
        "accept": header,
        "empty_params": choice("[]", "{}", "omit"),
        "envelope": choice(*get_args(EnvelopeForm)),
        "id": choice(*get_args(IdForm)),
        "headers": Each("names and values", header, refused_header),
        "ca_file": beside,
        "certificate": certificate,
        "cert_file": beside,
        "key_file": beside,
        "handshake": handshake,
        "discovery": discovery,
        "auth": AUTH,
        "login": LOGIN,
        "method": Each("methods by name", METHOD),
        "call": CALLS,
        "variables": VARIABLES,
        "history": beside,
    },
    refused_key,
)
SESSIONS = TableRule(
    "sessions.toml",
    {
        "version": version,
        "default": name,
        "profile": Each("profiles by name", PROFILE, _refused_name),
        "call": CALLS,
        "variables": VARIABLES,
    },
    refused_key,
)


def build_profile(profile: str, values: Mapping[KeyPath, Any]) -> Profile | tuple[KeyPath, str]:
    """Make a profile from checked values, keyed below ``profile.NAME``; or say which key is missing, and what to do."""
    if ("url",) not in values:
        return ("url",), 'the profile has no `url`; add one, such as url = "https://rpc.example.com"'
    plain = {path[0]: value for path, value in values.items() if len(path) == 1}
    if plain.get("badge") == "prod":
        plain.setdefault("confirm", "unsafe")
    plain.setdefault("content_type", usual_type(plain.get("path", PATH)))
    is_service = Profile("", "", plain.get("path", PATH), plain.get("preset", "")).is_service
    auth = _below(values, "auth")
    if auth and "kind" not in auth and not is_service:
        return ("auth", "kind"), f"the kind is missing; add kind = one of {', '.join(KINDS)}"
    kind = auth.pop("kind", USUAL if is_service else Auth.kind)
    for key, (pattern, sentence) in KINDS[kind].fits.items():
        if key in auth and not pattern.fullmatch(auth[key]):
            return ("auth", key), sentence
    made = Profile(
        name=profile,
        headers=tuple(_below(values, "headers").items()),
        auth=_auth(kind, **auth),
        assumes_auth=is_service and not any(path[:1] == ("auth",) for path in values),
        login=Login(**_below(values, "login")),
        has_login=any(path[:1] == ("login",) for path in values),
        methods={method: MethodNote(**note) for method, note in _methods(values).items()},
        **plain,
    )
    wrong = misplaced_token(made)
    return ((wrong[0],), wrong[1]) if wrong else made


def _auth(kind: str, **given: Any) -> Auth:
    """Take what this kind needs; an overlay may have changed the kind and left the rest."""
    made = KINDS[kind]
    return made(**{key: given[key] for key in made.__struct_fields__ if key in given})


def _methods(values: Mapping[KeyPath, Any]) -> dict[str, dict[str, Any]]:
    """What is said of each method, in one pass: there may be ten thousand of them."""
    notes: dict[str, dict[str, Any]] = {path[1]: {} for path in values if len(path) == 2 and path[0] == "method"}
    for path, value in values.items():
        if len(path) == 3 and path[0] == "method":
            notes.setdefault(path[1], {})[path[2]] = value
    return notes


def _below(values: Mapping[KeyPath, Any], *path: str) -> dict[str, Any]:
    return {key[-1]: value for key, value in values.items() if key[:-1] == path}
