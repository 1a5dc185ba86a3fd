"""What a person types without secrets in it, and the redactor that fits a profile."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.redaction.addresses import secrets_in
from rpcexplorer.redaction.logins import is_login, own_login, without_password, without_passwords
from rpcexplorer.redaction.redactor import Redactor


def redactor_of(profile: Profile, secrets: Iterable[Secret], *, guesses: bool = False) -> Redactor:
    """What hides secrets in the texts of a profile's calls; with ``guesses`` also what only may be one."""
    own = [Secret(each, UNRECORDED.strip("«»")) for each in secrets_in(profile.endpoint)] if guesses else []
    return Redactor([*own, *secrets], profile=profile.name, places=secret_places(profile), guesses=guesses)


def redactor_for_files(profile: Profile, method: str, secrets: Iterable[Secret]) -> Redactor | None:
    """What is typed for a method may be written down through this.

    None where nothing of it may: of a profile made from a URL, and of a method whose name holds a secret.
    """
    if profile.ad_hoc:
        return None
    hide = redactor_of(profile, secrets)
    return hide if hide.text(method) == method else None


def redacted_draft(draft: Draft | Batch, profile: Profile, hide: Redactor) -> Draft | Batch:
    """A draft that can be sent again: a placeholder stands only for what it opens."""
    if isinstance(draft, Batch):
        typed = None if draft.typed is None else redacted_params(draft.typed, None, profile, hide)
        return Batch(redacted_params(draft.text, None, profile, hide), typed)
    text = redacted_params(draft.text, draft.method, profile, hide)
    typed = None if draft.typed is None else redacted_params(draft.typed, draft.method, profile, hide)
    return replace(draft, method=hide.text(draft.method), text=text, typed=typed)


def redacted_params(text: str, method: str | None, profile: Profile, hide: Redactor) -> str:
    """The params of a call, or, without a ``method``, the calls of a batch."""
    params = hide.params(text)
    if not hide.guesses:
        return params
    if method is None:
        return without_passwords(params, own_login(profile, params))
    return without_password(params) if is_login(method, own_login(profile, params)) else params


def secret_places(profile: Profile) -> Iterable[str]:
    """The members that a profile puts secrets into.

    A shared file names them, so that they only tell where a short secret may stand: whatever else stands there stays.
    """
    return auth_of(profile).places(profile)
