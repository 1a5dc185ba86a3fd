"""The form of a profile: its fields, which values it can have, and what a filled form changes in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from textual.widgets import Static

from rpcexplorer.auth.registry import KINDS, USUAL, form_lines
from rpcexplorer.model.address import joined, split_address, typed_whole
from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.profile import PATH, PROFILE_NAME, Profile, variable
from rpcexplorer.tui.dialogs.dialog import plain
from rpcexplorer.tui.dialogs.form import Field, Form, Save, Wrong
from rpcexplorer.tui.profiles.files import Home
from rpcexplorer.tui.widgets.cycle import Cycle

BADGES: Final = ("", "dev", "staging", "prod")
CONFIRM: Final = ("never", "unsafe", "always")
EMPTY: Final = ("[]", "{}", "omit")

OPTIONAL: Final = frozenset({"description", "badge", *(f"auth.{field}" for field in form_lines())})
"""Keys that a profile need not have: an empty line takes them out of the file."""


class Edits(Protocol):
    """What can be done to the profiles in one file; each answers with what is wrong, and then nothing was changed."""

    @property
    def file(self) -> Path:
        """The file."""

    def add(self, name: str, url: str, *, auth: Mapping[str, str], **more: Any) -> Complaint | None:
        """Write a new profile."""

    def set_values(self, values: Iterable[tuple[tuple[str, ...], Any]]) -> Complaint | None:
        """Set keys, or none of them; None takes one out."""


class ProfileForm(Form):
    """Names the file that is written, and is more careful on prod unless somebody wants otherwise."""

    def __init__(self, title: str, homes: list[Home], fields: list[Field], save: Save) -> None:
        """``homes`` are the files that can be written, the proposed one first."""
        self._homes = {each.audience: each.file for each in homes}
        choice = [Field("home", "for", homes[0].audience, choices=[*self._homes])] if len(homes) > 1 else []
        super().__init__(title, self._about(homes[0].audience), [*fields, *choice], save)

    def file(self, typed: Mapping[str, str]) -> Path:
        return self._homes[typed.get("home", next(iter(self._homes)))]

    def _about(self, audience: str) -> str:
        return f"It is written to {self._homes[audience]}; what else stands there is left as it is."

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        """Another file is named; another badge has another way of asking."""
        event.stop()
        match self.key_of(event.cycle):
            case "home":
                self.query_one("#about", Static).update(plain(self._about(event.value)))
            case "badge":
                confirm = self.of("confirm")
                if confirm.value in {"never", "unsafe"}:
                    confirm.value = usual_confirm(event.value)


def fields_of(profile: Profile | None, typed: Profile | None = None) -> list[Field]:
    """The lines for a profile as it is; of None, for a new one, perhaps at an address that was ``typed`` before."""
    name = [] if profile else [Field("name", "name", hint="staging")]
    known = profile or typed
    shown = profile or Profile("new", "")
    return [
        *name,
        Field(
            "url",
            "URL",
            _shown_address(known),
            "https://rpc.example.com",
            meaning=_where_calls_go,
        ),
        Field("description", "description", shown.description, "what it is, in a few words"),
        Field("badge", "badge", shown.badge, choices=BADGES),
        Field("confirm", "ask first", shown.confirm, choices=CONFIRM),
        Field("auth.kind", "log in by", known.auth.kind if known else USUAL, choices=[*KINDS]),
        *(
            Field(f"auth.{each.field}", each.label, getattr(shown.auth, each.field, None) or "", each.hint)
            for each in form_lines().values()
        ),
        Field("timeout", "timeout", f"{shown.timeout:g}", "seconds for the whole call"),
        Field("content_type", "content type", shown.content_type, "application/json-rpc"),
        Field("empty_params", "empty params", shown.empty_params, choices=EMPTY),
    ]


def _shown_address(profile: Profile | None) -> str:
    """Whole, so that nothing is appended to it when it is saved again."""
    return typed_whole(profile.endpoint) if profile else ""


def _where_calls_go(typed: str) -> str:
    """The address that a typed one comes to; empty while there is none."""
    return f"calls go to {_address(typed)}" if typed.strip().partition("://")[2] else "calls go to this address"


def _address(typed: str) -> str:
    url, path = _url_and_path(typed)
    return joined(url, path)


def _url_and_path(typed: str) -> tuple[str, str]:
    url, path = split_address(typed)
    return url, PATH if path is None else path


def usual_confirm(badge: str) -> str:
    """When it is asked before sending, where no file says."""
    return "unsafe" if badge == "prod" else "never"


def wrong_name(name: str, known: Iterable[str]) -> Wrong | None:
    """Why a new profile cannot have this name, if so."""
    if not name:
        return Wrong("A profile needs a name, such as staging.", "name")
    if not PROFILE_NAME.fullmatch(name):
        return Wrong("Up to 64 letters, digits, `_`, `-` and `.`, a letter or a digit first, such as staging.", "name")
    for other in known:
        if variable(other, "") == variable(name, ""):
            return Wrong(f"There is a profile {other} already: choose a name that differs in letters.", "name")
    return None


def wrong_values(typed: Mapping[str, str]) -> Wrong | None:
    """What in a filled form no profile can have, in the words of the form; files have further rules of their own."""
    url = typed["url"].strip()
    if not url:
        return Wrong("A profile needs a URL, such as https://rpc.example.com.", "url")
    if not url.lower().startswith(("https://", "http://")):
        return Wrong("A URL begins with https:// or http://, such as https://rpc.example.com.", "url")
    if _seconds(typed["timeout"]) is None:
        return Wrong("A number of seconds greater than 0, such as 30.", "timeout")
    return None


def changes_of(was: Profile | None, typed: Mapping[str, str], is_set: Callable[[str], bool]) -> dict[str, str]:
    """The keys that a filled form changes, with their text. ``is_set``: whether a file speaks of a key."""
    before = {field.key: field.value for field in fields_of(was)}
    if not is_set("confirm"):
        before["confirm"] = usual_confirm(typed["badge"])  # what counts if no file says anything
    now = {key: typed[key].strip() for key in before}
    changed = {key: now[key] for key, old in before.items() if now[key] != old}
    if was is not None and "url" in changed and _address(changed["url"]) == was.endpoint:
        del changed["url"]
    return changed


def add_profile(edits: Edits, typed: Mapping[str, str], known: Iterable[str]) -> Wrong | None:
    """Write a new profile: what differs from the defaults."""
    if wrong := wrong_name(typed["name"].strip(), known) or wrong_values(typed):
        return wrong
    changed = changes_of(None, typed, lambda _: False)
    apart = {"name", "url"}
    more = {key: _value(key, text) for key, text in changed.items() if key not in apart and not key.startswith("auth.")}
    kind = KINDS[typed["auth.kind"]]
    given = {each.field: typed[f"auth.{each.field}"].strip() for each in kind.form}
    auth = {"kind": kind.kind} | {field: text for field, text in given.items() if text}
    url, path = split_address(typed["url"])
    complaint = edits.add(typed["name"].strip(), url, auth=auth, path=path, **more)
    return wrong_of(complaint, typed) if complaint else None


def edit_profile(edits: Edits, was: Profile, typed: Mapping[str, str], source: Callable[[str], str]) -> Wrong | None:
    """Write what differs into one file. ``source`` names the file that a key has its value from; empty for none.

    Where one key cannot be written, none of them is.
    """
    if wrong := wrong_values(typed):
        return wrong
    changed = changes_of(was, typed, lambda key: bool(source(key)))
    values: dict[str, Any] = {}
    if address := changed.pop("url", None):
        url, path = _url_and_path(address)
        values = {key: value for key, value in (("url", url), ("path", path)) if value != getattr(was, key)}
    for key, text in changed.items():
        # A key is taken out of the file that it stands in; what another file says can only be said anew.
        values[key] = None if not text and key in OPTIONAL and source(key) == str(edits.file) else _value(key, text)
    complaint = edits.set_values([(("profile", was.name, *key.split(".")), value) for key, value in values.items()])
    return wrong_of(complaint, typed) if complaint else None


def wrong_of(complaint: Complaint, typed: Mapping[str, str]) -> Wrong:
    """A complaint about a file in the words of the form."""
    at = complaint.key.removesuffix(".path") + ".url" if complaint.key.endswith(".path") else complaint.key
    key = next((key for key in typed if at.endswith(f".{key}")), "")
    label = next((field.label for field in fields_of(None) if field.key == key), "")
    sentence = complaint.sentence
    if label and sentence.startswith("must"):
        return Wrong(f"The {label} {sentence}.", key)
    return Wrong(f"{sentence[:1].upper()}{sentence[1:]}" if key else str(complaint), key)


def overruled(now: Profile, typed: Mapping[str, str], changed: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Keys whose value is another than the one that was written, with that value: a file above says otherwise."""
    for field in fields_of(now):
        if field.key in changed and _value(field.key, field.value) != _value(field.key, typed[field.key].strip()):
            yield field.key, field.value


def _value(key: str, text: str) -> str | float | int | None:
    if key == "url":
        return _address(text)
    return _seconds(text) if key == "timeout" else text


def _seconds(text: str) -> float | int | None:
    """A number as it should stand in the file: 30 rather than 30.0."""
    whole, _, part = text.strip().partition(".")
    if not (whole.isascii() and whole.isdecimal()) or (part and not (part.isascii() and part.isdecimal())):
        return None
    number = float(text)
    return (int(number) if number.is_integer() else number) or None
