"""The shape of sessions.toml, saved calls included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from msgspec import Struct

from rpcexplorer.auth.registry import KINDS, USUAL, fields
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    Leaves,
    MapRule,
    Place,
    TableRule,
    ValueCheck,
    WrongValue,
    choice_rule,
    flag_rule,
    integer_rule,
    list_rule,
    name_rule,
    path_rule,
    text_rule,
    version_rule,
)
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.jsontext.scan import SPACE, STRING, decoded
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import SIGN, SavedCall
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
from rpcexplorer.model.secret import PROFILE_NAME, named, unsendable
from rpcexplorer.profiles.values import (
    LOGIN_PARAMS,
    METHOD_PARAMS,
    PASSWORDS,
    discovery_rule,
    fingerprint_rule,
    handshake_rule,
    header_rule,
    ignored_rule,
    is_named_like_a_secret,
    params_rule,
    pointer_rule,
    preset_rule,
    refused_header,
    refused_key,
    seconds_rule,
    secret_command,
    status_rule,
    url_path_rule,
    url_rule,
)
from rpcexplorer.rpc.messages import EnvelopeForm, IdForm
from rpcexplorer.variables.references import MADE, REFERENCE, can_be_named

KEPT: Final = frozenset({"call", "variables"})
LONGEST_NAME: Final = 100
PAIR: Final = re.compile(rf"(?P<key>{STRING}){SPACE}:{SPACE}(?P<value>{STRING})")
"""A member whose value is text."""
LEFT_OPEN: Final = re.compile(rf"{REFERENCE.pattern}|\{{(?:username|password)\}}")
"""What says that a value is put in later."""


def _params_json(value: Any, place: Place) -> Any:
    """Params as JSON text, which keeps the spelling of its numbers."""
    if not isinstance(value, str):
        return WrongValue("must be the params as JSON text, in quotes; as TOML they are called `params`")
    read = Draft("", value).read()
    if isinstance(read, Problem):
        where = f"line {read.line}, column {read.column} of it is not"
        return WrongValue(f"must be JSON, an array or an object, and {where}: try it in the editor")
    return _without_secrets(value, place) or value


def _params(value: Any, place: Place) -> Any:
    """Params as people write them in TOML, as JSON text."""
    found = _ANY_PARAMS(value, place)
    if isinstance(found, WrongValue):
        return found
    spelled = json.dumps(value, ensure_ascii=False)
    return _without_secrets(spelled, place) or spelled


_ANY_PARAMS: Final = params_rule(re.compile("(?!)"))
"""What JSON can hold, without a word about its keys."""


def _without_secrets(spelled: str, place: Place) -> WrongValue | None:
    if mark := named([spelled]):
        return WrongValue(f"must not hold {mark}: a file that is shared opens no secret; type it in the editor")
    if mark := unsendable(spelled):
        return WrongValue(f"must not hold {mark}, which nobody can send: write what belongs there, or {{{{name}}}}")
    for pair in PAIR.finditer(spelled):
        key = re.sub("[^a-z0-9]", "", decoded(pair["key"]).lower())
        value = decoded(pair["value"])
        if value and PASSWORDS.fullmatch(key) and not LEFT_OPEN.search(value):
            instead = secret_command(place.path)
            return WrongValue(f'a secret has no place in this file; write "{{{{password}}}}", or {instead}')
    return None


def _refused_call(key: str, value: object, _place: Place) -> str | None:
    if not key.strip() or key != key.strip() or not key.isprintable() or len(key) > LONGEST_NAME or key[0] == SIGN:
        return f"this is no name for a saved call; use up to {LONGEST_NAME} letters, no space or `{SIGN}` before them"
    if not isinstance(value, dict):
        return None
    if "method" not in value:
        return 'the saved call has no `method`; add one, such as method = "ping"'
    if {"params", "params_json"} <= value.keys():
        return "the saved call has `params` and `params_json`; keep one of them"
    return None


def _variable(value: Any, _place: Place) -> Any:
    if isinstance(value, bool | int):
        return json.dumps(value)
    if not isinstance(value, str):
        return WrongValue("must be text, in quotes; a number with a fraction too, for its spelling counts")
    if mark := named([value]):
        return WrongValue(f"must not hold {mark}: a file that is shared opens no secret")
    return value


def _refused_variable(key: str, _value: object, place: Place) -> str | None:
    if is_named_like_a_secret(key):
        return f"a secret has no place in this file; remove it, and {secret_command(place.path)} instead"
    if key in MADE:
        return f"{{{{{key}}}}} has a meaning of its own; use another name"
    if not can_be_named(key):
        return "this is no name for a variable; use letters, digits, `_`, `-` and `.`, a letter or `_` first"
    return None


CALL: Final = TableRule(
    "a saved call", {"method": name_rule, "doc": text_rule, "params_json": _params_json, "params": _params}, refused_key
)
CALLS: Final = MapRule("saved calls by name", CALL, _refused_call)
VARIABLES: Final = MapRule("variables by name", _variable, _refused_variable)


class SavedLayer(Struct, frozen=True):
    """What one file says of saved calls and variables."""

    leaves: Leaves
    own: bool
    """It is this person's own file, which no file of others changes anything of."""

    def below(self, *path: str) -> dict[str, dict[KeyPath, Any]]:
        """By name, what is said of each below a table; keyed by what is left of the path."""
        found: dict[str, dict[KeyPath, Any]] = {}
        for key, leaf in self.leaves.items():
            if key[: len(path)] == path and len(key) > len(path):
                found.setdefault(key[len(path)], {})[key[len(path) + 1 :]] = leaf
        return found


def is_kept(path: KeyPath) -> bool:
    """Whether a key is about a saved call or a variable."""
    return path[:1] in {(key,) for key in KEPT} or (path[:1] == ("profile",) and path[2:3] in {(key,) for key in KEPT})


def taken_out(reading: CheckedFile, *, own: bool) -> SavedLayer:
    """Take out of a file what it says of them, without those of which something is wrong."""
    wrong = {path[: _entry(path)] for path, _ in reading.complaints if is_kept(path)}
    found = {path: reading.leaves.pop(path) for path in [*reading.leaves] if is_kept(path)}
    return SavedLayer({path: leaf for path, leaf in found.items() if path[: _entry(path)] not in wrong}, own)


def _entry(path: KeyPath) -> int:
    """Parts of a path up to the name of the call or variable."""
    return 2 if path[0] in KEPT else 4


def saved_calls(layers: list[SavedLayer], profile: Profile, *, is_own: bool) -> dict[str, SavedCall]:
    """The saved calls of a profile by name, sorted."""
    found: dict[str, SavedCall] = {}
    for layer, table in _in_order(layers, profile, is_own=is_own):
        for call, leaves in layer.below(*table, "call").items():
            said = {key[0]: leaf.value for key, leaf in leaves.items() if key}
            params = said.get("params_json", said.get("params", ""))
            file = next(leaf.origin.file for leaf in leaves.values())
            found[call] = SavedCall(
                call, said["method"], params, said.get("doc", ""), file, profile.name if table else ""
            )
    return dict(sorted(found.items(), key=lambda each: each[0].casefold()))


def saved_leaves(layers: list[SavedLayer], profile: Profile, *, is_own: bool) -> Leaves:
    """Every value of what counts, keyed as in a profile's own table."""
    found: dict[tuple[str, str], Leaves] = {}
    for layer, table in _in_order(layers, profile, is_own=is_own):
        for kind in ("variables", "call"):
            for each, leaves in layer.below(*table, kind).items():
                found[kind, each] = {(kind, each, *key): leaf for key, leaf in leaves.items() if key or kind != "call"}
    return {path: leaf for leaves in found.values() for path, leaf in leaves.items()}


def variables(layers: list[SavedLayer], profile: Profile, *, is_own: bool) -> Mapping[str, str]:
    """The variables of a profile."""
    found: dict[str, str] = {}
    for layer, table in _in_order(layers, profile, is_own=is_own):
        found |= {
            key: leaf.value for key, leaves in layer.below(*table, "variables").items() for leaf in leaves.values()
        }
    return found


def _in_order(layers: list[SavedLayer], profile: Profile, *, is_own: bool) -> Iterator[tuple[SavedLayer, KeyPath]]:
    """Files and the tables in them, the winners last: the profile's over what is for all, one's own over others'.

    Of a profile that is this person's own, nobody else changes anything, not even by what stands in its table.
    """
    mine, others = [each for each in layers if each.own], [each for each in layers if not each.own]
    for_all: KeyPath = ()
    its: KeyPath = ("profile", profile.name)
    tables = (for_all,) if profile.ad_hoc else (for_all, its)
    if is_own or profile.ad_hoc:
        yield from ((layer, table) for group in (others, mine) for table in tables for layer in group)
    else:
        yield from ((layer, table) for table in tables for group in (others, mine) for layer in group)


KIND = choice_rule(*KINDS)


def _refused_name(key: str, _value: object, _place: Place) -> str | None:
    if is_reserved(key):
        return f"{RESERVED} Rename the profile"
    if PROFILE_NAME.fullmatch(key):
        return None
    return "this is no name for a profile; use up to 64 letters, digits, `_`, `-` and `.`, a letter or digit first"


def _field(key: str) -> ValueCheck:
    """A field of auth before its kind is known: what none of the kinds that have it would take is wrong."""
    kinds = [kind for kind in KINDS.values() if key in kind.__struct_fields__]
    strict = [each for kind in kinds for each in kind.fields if each.name == key and each.pattern]
    if len(strict) < len(kinds):
        return name_rule

    def check(value: Any, _place: Place) -> Any:
        fits = isinstance(value, str) and any(each.fits(value) for each in strict)
        return value if fits else WrongValue(strict[0].mismatch)

    return check


AUTH = TableRule("auth", {"kind": KIND, **{key: _field(key) for key in fields()}}, refused_key)
LOGIN = TableRule(
    "login",
    {
        "method": name_rule,
        "params": LOGIN_PARAMS,
        "session": pointer_rule,
        "ended_status": list_rule(status_rule, "HTTP statuses"),
        "ended_codes": list_rule(integer_rule, "error codes"),
        "ended_words": list_rule(name_rule, "words"),
    },
    refused_key,
)
METHOD = TableRule(
    "a method",
    {
        "doc": text_rule,
        "params": METHOD_PARAMS,
        "safe": flag_rule,
        "auth": KIND,
        "ignore": list_rule(ignored_rule, "JSON pointers"),
    },
    refused_key,
)
PROFILE = TableRule(
    "a profile",
    {
        "url": url_rule,
        "preset": preset_rule,
        "path": url_path_rule,
        "description": text_rule,
        "badge": text_rule,
        "confirm": choice_rule("never", "unsafe", "always"),
        "timeout": seconds_rule,
        "content_type": header_rule,
        "accept": header_rule,
        "empty_params": choice_rule("[]", "{}", "omit"),
        "envelope": choice_rule(*get_args(EnvelopeForm)),
        "id": choice_rule(*get_args(IdForm)),
        "headers": MapRule("names and values", header_rule, refused_header),
        "ca_file": path_rule,
        "certificate": fingerprint_rule,
        "cert_file": path_rule,
        "key_file": path_rule,
        "handshake": handshake_rule,
        "discovery": discovery_rule,
        "auth": AUTH,
        "login": LOGIN,
        "method": MapRule("methods by name", METHOD),
        "call": CALLS,
        "variables": VARIABLES,
        "history": path_rule,
    },
    refused_key,
)
SESSIONS = TableRule(
    "sessions.toml",
    {
        "version": version_rule,
        "default": name_rule,
        "profile": MapRule("profiles by name", PROFILE, _refused_name),
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
    if refused := KINDS[kind].mismatch(auth):
        return ("auth", refused[0]), refused[1]
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
