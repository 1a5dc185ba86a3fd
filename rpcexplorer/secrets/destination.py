"""Which destination each secret is bound to, and what was allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from rpcexplorer.files.io import FileError, read_bytes, real
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.files.toml import split_dotted
from rpcexplorer.model.destination import Change, Destination, DestinationChanged, changes, destination_of
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Profile, shares_variables
from rpcexplorer.model.profile import variable as name_of_variable
from rpcexplorer.model.secret import origin_of
from rpcexplorer.profiles.allowed import Allowed, with_destination
from rpcexplorer.profiles.layers import merge
from rpcexplorer.profiles.profiles import Profiles

KEY = "client certificate"
"""What people call the certificate that says who they are, with its key."""
KIND = "auth.kind"
"""In every destination but the part that is about a client certificate."""
_OF_KEYS = ("origin", "ca_file", "certificate", "cert_file", "key_file")
"""The part of a destination that says who gets to see it: the rest is about what is written in a request."""
DISPUTED = "your user file and another file give different destinations"
BOTH = "Your value → the other value"
ELSEWHERE = "another secret of this profile name has a different destination"
OTHER = "The other destination → this one"


class Destinations:
    """The destinations of this person's profiles. The file is read at each use: another program may have changed it."""

    def __init__(
        self, path: Path, environment: Mapping[str, str], stored: Callable[[str], Iterable[Destination] | Problem]
    ) -> None:
        """``stored`` returns the destinations of the values that are kept under a profile's name, or why it cannot."""
        self.file = PrivateFile(path, Allowed)
        self._stored = stored
        self.profiles = Profiles()
        """What the files say now; set whenever they are read."""
        self._environment = environment
        self._first_uses: dict[str, Destination] = {}
        self._allowed: dict[str, list[Destination]] = {}
        """What happened in this run, for where it cannot be written down."""
        self._entered: dict[str, list[Destination]] = {}
        """Where this person has entered a value for this run alone, by profile."""

    def of(self, profile: Profile) -> Destination:
        """Return the current destination of a profile, its certificates by their content."""
        named = {key: file for key in ("cert_file", "key_file") if (file := getattr(profile, key))}
        # A certificate of ours may be renewed where it lies; but a link in a checkout can come to lead to any key.
        placed = replace(profile, **{key: str(real(Path(file))) for key, file in named.items()}) if named else profile
        return destination_of(placed, _content_of(profile.ca_file))

    def moved(
        self, profile: Profile, field: str, bound: Destination | None = None, why: str = ""
    ) -> DestinationChanged | None:
        """Return why a secret is blocked; ``bound`` is its destination, None if it has none yet.

        What is bound to none yet is bound by its first use. That is a question if anything else of the profile's name
        belongs elsewhere: a file of others may have changed the profile since.
        """
        if pinned := self._not_pinned(profile, field):
            return pinned
        if profile.ad_hoc:  # its address was typed in this very command
            return None
        now, allowed = self.of(profile), self.file.read()
        same_server = bound is None or bound.get("origin") == now["origin"]
        is_allowed = any(not changes(destination, now) for destination in self._destinations(allowed, profile.name))
        if is_allowed and (field != "session" or same_server):
            return None
        if bound is not None and (found := changes(bound, now)):
            return DestinationChanged(field, why, self._placed(profile, found))
        if bound is None and (elsewhere := self._elsewhere(profile, field, now, allowed)):
            return elsewhere
        disputed = self.disputed(profile)
        return DestinationChanged(field, DISPUTED, disputed, label=BOTH) if disputed else None

    def moved_key(self, profile: Profile) -> DestinationChanged | None:
        """Why the key of the profile's own certificate is not to be used.

        It lies where a file says, and not where this person has put it: unless that is this person's own file, no
        server gets to see it before that was allowed.
        """
        if pinned := self._not_pinned(profile, KEY):
            return pinned
        now = _of_key(self.of(profile))
        if profile.ad_hoc or any(
            _of_key(destination) == now for destination in self._destinations(self.file.read(), profile.name)
        ):
            return None
        own = self.profiles.own.get(profile.name, {})
        said = {path[0]: leaf.value for path, leaf in own.items() if len(path) == 1}
        if (said.get("cert_file"), said.get("key_file")) != (profile.cert_file, profile.key_file):
            why = "a file that other users can write to names it, and you have not allowed that"
            named = tuple(replace(each, old="") for each in changes({}, now))
            return DestinationChanged(KEY, why, self._placed(profile, named), label="The file says")
        disputed = tuple(change for change in self.disputed(profile) if change.key in _OF_KEYS)
        return DestinationChanged(KEY, DISPUTED, disputed, label=BOTH) if disputed else None

    def disputed(self, profile: Profile) -> tuple[Change, ...]:
        """Return where the user file and another one disagree: the user's value, and the one that counts."""
        own = self.profiles.own.get(profile.name)
        if own is None:
            return ()
        made = self.profiles.built(profile.name, own)
        if not isinstance(made, Profile):  # it says a part only, which then has to be what counts
            made = self.profiles.built(profile.name, merge(self.profiles.leaves.get(profile.name, {}), own))
        if not isinstance(made, Profile):
            return ()
        return self._placed(profile, self._by_files(profile, changes(self.of(made), self.of(profile))))

    def _elsewhere(self, profile: Profile, field: str, now: Destination, allowed: Allowed) -> DestinationChanged | None:
        """Return why the first use of a secret needs a yes: other values of this name belong elsewhere."""
        stored = self._stored(profile.name)
        if isinstance(stored, Problem):
            why = f"the destinations of its other secrets cannot be read: {stored}"
            named = tuple(replace(change, old="") for change in changes({}, now))
            return DestinationChanged(field, why, self._placed(profile, named), label="This destination")
        for destination in (*stored, *self._known(profile.name, allowed)):
            same = _of_key(now) if KIND not in destination and "cert_file" in destination else now
            if found := self._by_files(profile, changes(destination, same)):
                return DestinationChanged(field, ELSEWHERE, self._placed(profile, found), label=OTHER)
        return None

    def _known(self, name: str, allowed: Allowed) -> Iterator[Destination]:
        """Yield the destinations of a profile that were allowed, used or entered, in any spelling of its name.

        Profiles of one spelling or another read the same variables, so a checkout must not gain by choosing one.
        """
        for several in (allowed.destinations, self._allowed, self._entered):
            for other, destinations in several.items():
                yield from destinations if shares_variables(other, name) else ()
        for uses in (allowed.first_uses, self._first_uses):
            yield from (destination for variable, destination in uses.items() if _is_of(variable, name))

    def _by_files(self, profile: Profile, found: tuple[Change, ...]) -> tuple[Change, ...]:
        """Leave out the name that this person has typed for this run: that is not a file's doing."""
        filed = self.profiles.profiles.get(profile.name, profile)
        return found if filed.auth == profile.auth else tuple(each for each in found if each.key != "auth.username")

    def moved_variable(self, profile: Profile, field: str) -> DestinationChanged | None:
        """Return why an environment variable is blocked: its first use had another destination."""
        variable = profile.variable(field)
        if (problem := self.file.read().problem) and not profile.ad_hoc:
            advice = "Fix the file, or remove it to start again"
            return DestinationChanged(field, f"the destination of {variable} cannot be read: {problem}", advice=advice)
        return self.moved(
            profile,
            field,
            self._first_use(variable),
            f"the environment variable {variable} was first used for a different destination",
        )

    def used(self, variable: str, profile: Profile) -> None:
        """Remember the first use of a variable, for this run at least."""
        if profile.ad_hoc or self._first_use(variable) is not None:
            return
        self._first_uses[variable] = destination = self.of(profile)
        try:
            with self.file.changing() as allowed:
                allowed.first_uses.setdefault(variable, destination)
        except FileError:
            return

    def entered(self, profile: Profile) -> None:
        """Remember that this person has entered a value here, for this run."""
        if not profile.ad_hoc:
            self._entered[profile.name] = with_destination(self._entered, profile.name, self.of(profile))

    def allow(self, profile: Profile) -> None:
        """Allow the current destination of a profile, in this run at least. Raises ``FileError``."""
        self._allow(profile.name, self.of(profile))

    def allow_key(self, profile: Profile) -> None:
        """Let the key of the profile's own certificate be used there, and nothing else. Raises ``FileError``."""
        self._allow(profile.name, _of_key(self.of(profile)))

    def allow_history(self, folder: str) -> None:
        """Let calls be recorded in a folder that a file of others names. Raises ``FileError``."""
        with self.file.changing() as allowed:
            allowed.histories.add(folder)

    def allow_folder(self, folder: Path) -> None:
        """Use the profiles of a folder that other users can write to. Raises ``FileError``."""
        with self.file.changing() as allowed:
            allowed.folders.add(str(folder))

    def forget(self, name: str) -> bool:
        """Forget what was allowed for a profile or a folder; False where nothing was. Raises ``FileError``."""
        with self.file.changing() as allowed:
            before = allowed.as_toml()
            allowed.destinations.pop(name, None)
            for each in [each for each in allowed.first_uses if _is_of(each, name)]:
                del allowed.first_uses[each]
            allowed.folders.discard(name)
            allowed.histories.discard(name)
            return allowed.as_toml() != before

    def allowed(self) -> Allowed:
        return self.file.read()

    def _allow(self, name: str, destination: Destination) -> None:
        self._allowed[name] = with_destination(self._allowed, name, destination)
        with self.file.changing() as allowed:
            allowed.destinations[name] = with_destination(allowed.destinations, name, destination)

    def _first_use(self, variable: str) -> Destination | None:
        return self._first_uses.get(variable) or self.file.read().first_uses.get(variable)

    def _destinations(self, allowed: Allowed, name: str) -> list[Destination]:
        return [*allowed.destinations.get(name, []), *self._allowed.get(name, [])]

    def _not_pinned(self, profile: Profile, field: str) -> DestinationChanged | None:
        name = profile.variable("origin")
        wanted = self._environment.get(name)
        if not wanted or origin_of(wanted) == profile.origin:
            return None
        advice = f"Correct {name} or the profile, whichever is wrong"
        place = self._place(profile.name, "origin")
        why = f"{name} names another server, {wanted}, and not {profile.origin}{f' ({place})' if place else ''}"
        return DestinationChanged(field, why, advice=advice)

    def _placed(self, profile: Profile, found: tuple[Change, ...]) -> tuple[Change, ...]:
        return tuple(replace(change, place=self._place(profile.name, change.key)) for change in found)

    def _place(self, name: str, key: str) -> str:
        """Return the file and line that set a key of a destination."""
        leaves = self.profiles.leaves.get(name, {})
        others = {"origin": ("url",), "path": ("path",), "discovery.url": ("discovery",)}
        sought = others.get(key) or split_dotted(key)
        if key == "path" and sought not in leaves:
            sought = ("url",)
        for path, leaf in leaves.items():
            if tuple(part.lower() for part in path) == sought:
                preset = leaf.origin.preset  # who named it has changed the destination
                return f"{leaves['preset',].source}, preset {preset}" if preset else str(leaf.source)
        return ""


def _is_of(variable: str, name: str) -> bool:
    """Return whether a variable holds a field of profiles of this name."""
    return variable == name_of_variable(name, variable.rpartition("_")[2])


def _of_key(destination: Destination) -> Destination:
    return {key: destination[key] for key in _OF_KEYS if key in destination}


def _content_of(ca_file: str | None) -> str:
    """What tells the content of a file from any other."""
    if ca_file is None:
        return ""
    from hashlib import sha256  # it loads OpenSSL, and few profiles have such a file

    try:
        content = read_bytes(Path(ca_file))
    except FileError:
        return "a file that cannot be read"
    return "a file that is missing" if content is None else f"sha256:{sha256(content).hexdigest()}"
