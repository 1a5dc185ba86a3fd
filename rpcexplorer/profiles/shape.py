"""A profile, its saved calls and its variables, made of checked values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.auth.registry import KINDS, USUAL
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.files.toml_shape import CheckedFile, Leaves
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.profile import PATH, Auth, Login, MethodNote, Profile, misplaced_token, usual_type

KEPT: Final = frozenset({"call", "variables"})


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
