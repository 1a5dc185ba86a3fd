"""The profile that follows from an examination: what an existing one would have to say, or all that a new one says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from rpcexplorer.model.doctor.examination import Examination
from rpcexplorer.model.doctor.finding import FORM
from rpcexplorer.model.hints.hint import Changes
from rpcexplorer.model.profile import PATH, Auth, HeaderHandshake, Preset, Profile
from rpcexplorer.protocol.messages import Result


def asked_at_once(auth: Auth) -> bool:
    """Whether servers ask for it before they look at a call: who was not asked needs none then."""
    return bool(auth.scheme) and "password" in auth.takes


class Proposal(Struct, frozen=True):
    """A few lines of a profile, to be confirmed."""

    changes: Changes
    """Keys and values that differ from what the profile is now; of an address, from what every profile is."""
    preset: Preset | None = None
    """What the profile would start with, and did not before."""
    secrets: tuple[str, ...] = ()
    """The fields of secrets that are wanted then."""
    lacks_auth: bool = False
    """The server wants to know who calls, and nothing says by which kind of auth: a person has to."""

    @property
    def trusts(self) -> bool:
        """It is about a certificate that no authority vouches for: nobody is to say yes to that by habit."""
        return "certificate" in self.values

    @property
    def values(self) -> Mapping[str, Any]:
        return dict(self.changes)

    def made_from(self, address: Profile) -> tuple[str, dict[str, Any]]:
        """The url of a new profile for an address that was typed, and its other keys; those of auth in a table."""
        keys = {key: value for key, value in self.changes if key != "url" and not key.startswith("auth.")}
        auth = {key.removeprefix("auth."): value for key, value in self.changes if key.startswith("auth.")}
        if not auth and self.preset is None and not self.lacks_auth:
            auth = {"kind": address.auth.kind}
        if address.path != PATH:
            keys.setdefault("path", address.path)
        return self.values.get("url", address.url), {**keys, **({"auth": auth} if auth else {})}


def proposed(examination: Examination, said: Collection[str]) -> Proposal | None:
    """What to change; ``said`` are the keys that files say of the profile, which a preset does not reach.

    None where nothing was found, or the test was cut short. A proposal without changes is a profile that is right as
    it is.
    """
    found, profile = examination.found, examination.profile
    if found is None or examination.cut_short:
        return None
    name = "" if profile.preset == examination.preset else examination.preset
    preset = examination.presets.get(name)
    under = preset.values if preset else profile
    changes: list[tuple[str, Any]] = [("preset", name)] if preset else []
    if found.form.url != profile.url:
        changes.insert(0, ("url", found.form.url))
    for key in FORM:
        now, before = getattr(found.form, key), getattr(profile if key in said else under, key)
        if now != before and now is not None:
            changes.append((key, {"header": now.header} if isinstance(now, HeaderHandshake) else now))
    auth = _auth(examination, profile if any(key.startswith("auth") for key in said) else under)
    secrets = (found.hint.secret,) if auth and found.hint and found.hint.secret else under.secrets
    if dict(auth).get("auth.kind") == Auth.kind:
        secrets = ()
    stored = tuple(field for field in secrets if field != "session")
    return Proposal((*changes, *auth), preset, stored, bool(examination.asked_kinds))


def _auth(examination: Examination, under: Profile) -> Changes:
    """The kind of auth that the server has asked for, or none where it did not ask for the preset's."""
    found, profile = examination.found, examination.profile
    assert found is not None
    wanted = found.auth_changes
    if wanted:
        return wanted if dict(wanted)["auth.kind"] != under.auth.kind else ()
    open_ = found.speaks and not found.asks_for_login and asked_at_once(under.auth)
    answered = examination.private is not None and isinstance(examination.private.exchange.outcome, Result)
    if (open_ or answered) and not profile.secrets and under.auth.kind != Auth.kind:
        return (("auth.kind", Auth.kind),)
    return ()
