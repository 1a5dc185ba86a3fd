"""The destinations that secrets are bound to, and those that were allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from rpcexplorer.auth.credentials import login_fields
from rpcexplorer.files.io import FileError, read_bytes, real
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.files.toml import split_dotted
from rpcexplorer.files.toml_shape import Leaf, Leaves
from rpcexplorer.model.destination import (
    Change,
    Destination,
    DestinationChanged,
    ProcessCommand,
    changes,
    find_program,
)
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import OF_COMMAND, Profile, shares_variables
from rpcexplorer.model.profile import variable as name_of_variable
from rpcexplorer.model.secret import host_of, origin_of
from rpcexplorer.profiles.allowed import Allowed, AllowedCommand, with_destination
from rpcexplorer.profiles.layers import is_secret_command
from rpcexplorer.profiles.profiles import Profiles

SECRET_FILE = ("auth", "secret_file")
OF_TOKEN = (("auth", "issuer"), ("auth", "resource"))
"""The keys that choose whose token the user logs in for."""
KEY = "client certificate"
"""The field name of the client certificate and its key, in words."""
KIND = "auth.kind"
"""A key in all destinations except those of a client certificate."""
_OF_KEYS = ("origin", "ca_file", "certificate", "cert_file", "key_file")
"""The keys that decide which server sees a certificate."""
DISPUTED = "your user file and another file give different destinations"
BOTH = "Your user file → the other file"
NOT_ALLOWED = "a file that other people can change names it, and you have not allowed it here"
IN_FILE = "In the file"
ELSEWHERE = "another secret of this profile name has a different destination"
THIS = "This destination"
OTHER = "The other secret → this secret"


class Destinations:
    """The destinations of the user's profiles.

    The file is read at each use, because another program may have changed it.
    """

    def __init__(
        self, path: Path, environment: Mapping[str, str], stored: Callable[[str], Iterable[Destination] | Problem]
    ) -> None:
        """``stored`` returns the destinations of stored values, or a problem."""
        self.file = PrivateFile(path, Allowed)
        self._stored = stored
        self.profiles = Profiles()
        """The profiles of all files, set whenever the files are read."""
        self.unnamed = ""
        """The default profile, if the user named none and does not see which one is used."""
        self._environment = environment
        self._first_uses: dict[str, Destination] = {}
        self._allowed: dict[str, list[Destination]] = {}
        """Allowed in this run, in case the file cannot be written."""
        self._commands: list[AllowedCommand] = []
        """The commands that the user allowed in this run, in addition to those in the file."""
        self._entered: dict[str, list[Destination]] = {}
        """The destinations for which the user has entered a value, by profile."""

    def of(self, profile: Profile) -> Destination:
        """Return a profile's current destination, with the content of ``ca_file``, and with links followed."""
        found = {**profile.destination}
        for key in ("cert_file", "key_file", ".".join(SECRET_FILE)):
            if key in found:  # The user may renew the file in place. But a link could be changed to lead to any key.
                found[key] = str(real(Path(found[key])))
        if profile.ca_file:
            found["ca_file"] = _content_of(Path(profile.ca_file))
        if profile.socket:
            target = str(real(Path(profile.socket)))
            if target != profile.socket:
                found["socket"] = target
        return found

    def moved(
        self, profile: Profile, field: str, bound: Destination | None = None, why: str = ""
    ) -> DestinationChanged | None:
        """Return why a secret is blocked; ``bound`` is its destination, if any.

        A secret without one is bound by its first use. That needs a question if another secret of the profile name has
        a different destination: someone else's file may have changed the profile since.
        """
        if pinned := self._not_pinned(profile, field):
            return pinned
        if profile.ad_hoc:  # The user typed the URL in this command.
            return None
        now, allowed = self.of(profile), self.file.read()
        same_server = bound is None or bound.get("origin") == now["origin"]
        is_allowed = any(not changes(destination, now) for destination in self._destinations(allowed, profile.name))
        if is_allowed and (field != "session" or same_server):
            return None
        if bound is not None and (found := changes(bound, now)):
            return DestinationChanged(field, why, self._placed(profile, found), destination=now)
        if bound is None and (elsewhere := self._elsewhere(profile, field, now, allowed)):
            return elsewhere
        if disputed := self.disputed(profile):
            return DestinationChanged(field, DISPUTED, disputed, label=BOTH, destination=now)
        return None

    def moved_key(self, profile: Profile) -> DestinationChanged | None:
        """Return why the client certificate must not be used, or None.

        Unless the user file names it, no server sees it before the user has allowed that.
        """
        if not profile.cert_file:
            return None
        if pinned := self._not_pinned(profile, KEY):
            return pinned
        if profile.ad_hoc:
            return None
        now = _of_key(self.of(profile))
        if now in map(_of_key, self._destinations(self.file.read(), profile.name)):
            return None
        own = {path: leaf.value for path, leaf in self.profiles.own.get(profile.name, {}).items()}
        if (own.get(("cert_file",)), own.get(("key_file",))) != (profile.cert_file, profile.key_file):
            why = "it is set in a file that other users can write to, and you have not allowed it"
            return DestinationChanged(KEY, why, self._all_of(profile, now), label=IN_FILE, destination=now)
        disputed = tuple(change for change in self.disputed(profile) if change.key in _OF_KEYS)
        if disputed:
            return DestinationChanged(KEY, DISPUTED, disputed, label=BOTH, destination=now)
        return None

    def disputed(self, profile: Profile) -> tuple[Change, ...]:
        """Return the keys where the user file and another file disagree."""
        if profile.name not in self.profiles.own:
            return ()
        made = self.profiles.as_user_file_says(profile.name)
        if made == profile:
            return ()
        before = self.of(made) if isinstance(made, Profile) else {}
        return self._placed(profile, self._by_files(profile, changes(before, self.of(profile))))

    def _elsewhere(self, profile: Profile, field: str, now: Destination, allowed: Allowed) -> DestinationChanged | None:
        """Return why the first use of a secret needs a question."""
        stored = self._stored(profile.name)
        if isinstance(stored, Problem):
            why = f"the destinations of its other secrets cannot be read: {stored}"
            return DestinationChanged(field, why, self._all_of(profile, now), label=THIS, destination=now)
        for destination in (*stored, *self._known(profile.name, allowed)):
            is_of_key = KIND not in destination and "cert_file" in destination
            comparable = _of_key(now) if is_of_key else now
            if found := self._by_files(profile, changes(destination, comparable)):
                placed = self._placed(profile, found)
                return DestinationChanged(field, ELSEWHERE, placed, label=OTHER, destination=now)
        return None

    def _known(self, name: str, allowed: Allowed) -> Iterator[Destination]:
        """Yield allowed, used and entered destinations of all spellings of a name.

        All spellings read the same environment variables, so a file must not gain by choosing another one.
        """
        for several in (allowed.destinations, self._allowed, self._entered):
            for other, destinations in several.items():
                if shares_variables(other, name):
                    yield from destinations
        for uses in (allowed.first_uses, self._first_uses):
            for variable, destination in uses.items():
                if self._is_of(variable, name):
                    yield destination

    def _by_files(self, profile: Profile, found: tuple[Change, ...]) -> tuple[Change, ...]:
        """Leave out a user name that was typed in this run: no file changed it."""
        filed = self.profiles.profiles.get(profile.name, profile)
        if filed.auth == profile.auth:
            return found
        return tuple(change for change in found if change.key != "auth.username")

    def moved_variable(self, profile: Profile, field: str, source: str = "") -> DestinationChanged | None:
        """Return why an environment variable is blocked, or None.

        The values of commands and files are bound alike, by the variable that could replace them.
        """
        variable = profile.variables[field]
        if (problem := self.file.read().problem) and not profile.ad_hoc:
            advice = "Fix the file, or remove it to start again"
            return DestinationChanged(field, f"the destination of {variable} cannot be read: {problem}", advice=advice)
        return self.moved(
            profile,
            field,
            self._first_use(variable),
            f"the {source or f'environment variable {variable}'} was first used for a different destination",
        )

    def used(self, variable: str, profile: Profile) -> None:
        """Bind an environment variable to the destination of its first use, at least for this run."""
        if profile.ad_hoc or self._first_use(variable) is not None:
            return
        self._first_uses[variable] = destination = self.of(profile)
        try:
            with self.file.changing() as allowed:
                allowed.first_uses.setdefault(variable, destination)
        except FileError:
            return

    def entered(self, profile: Profile) -> None:
        """Remember that the user entered a value here, for this run."""
        if not profile.ad_hoc:
            self._entered[profile.name] = with_destination(self._entered, profile.name, self.of(profile))

    def question(self, profile: Profile) -> DestinationChanged | None:
        """Return what the user has to allow before a profile is used for anything, or None.

        It is about what the files say: a change that the user has made in this run needs no question.
        """
        if profile.ad_hoc:
            return None
        filed = self.profiles.profiles.get(profile.name, profile)
        disputed = (*self._disputed_default(filed), *self.disputed(filed))
        decided = self._decided_by_others(filed)
        process = self._process_of_others(filed)
        if not (disputed or decided or process):
            return None
        allowed, now = self.file.read(), self.of(filed)
        known_commands = [*allowed.commands, *self._commands]
        if process and AllowedCommand.of(process).destination in [command.destination for command in known_commands]:
            process = None
        facts = self._process_facts(filed, process, known_commands) if process else ()
        known = self._destinations(allowed, profile.name)
        if not (disputed or decided) or any(not changes(destination, now) for destination in known):
            if process is None:
                return None
            return DestinationChanged("process", NOT_ALLOWED, facts, label=IN_FILE, process=process)
        commands = self._secret_commands_of_others(filed)
        facts += tuple(Change(f"program of {key}", "", program) for key, program in commands.items())
        if disputed:
            blocked = DestinationChanged("destination", DISPUTED, disputed, label=BOTH)
        elif known:
            blocked = DestinationChanged(decided, NOT_ALLOWED, self._placed(filed, changes(known[-1], now)))
        else:
            blocked = DestinationChanged(decided, NOT_ALLOWED, self._all_of(filed, now), label=IN_FILE)
        shown = {fact.key for fact in facts}
        if process:
            shown.add("origin")  # It is the words, which the facts have.
        facts += tuple(change for change in blocked.changes if change.key not in shown)
        return replace(blocked, changes=facts, destination=now, process=process, runs=bool(commands))

    def _disputed_default(self, profile: Profile) -> tuple[Change, ...]:
        """Return the change if another file's default is used instead of the user file's."""
        own, leaf = self.profiles.own_default, self.profiles.default_leaf
        if not own or leaf is None or profile.name != self.unnamed or profile.name == own:
            return ()
        return (Change("default", own, profile.name, str(leaf.source)),)

    def _decided_by_others(self, profile: Profile) -> str:
        """Return what a file of others may not decide unasked, in words.

        That is the command or file of a secret, a Unix socket, a login without a secret, or the token of another
        server: all have the user's authority, whatever the credentials. Of a profile whose URL is in the user file, a
        change of the last three is disputed.
        """
        own, leaves = self.profiles.own.get(profile.name, {}), self.profiles.leaves.get(profile.name, {})
        commands = self._secret_commands_of_others(profile)
        if commands:
            return next(iter(commands)).replace("_", " ")
        secret_file = leaves.get(SECRET_FILE)
        if secret_file and own.get(SECRET_FILE) != secret_file:
            return "key file"
        if ("url",) in own or ("url",) not in leaves:
            return ""
        if profile.socket:
            return "Unix socket"
        if profile.auth.kind == "oauth":
            theirs = [leaves[key] for key in OF_TOKEN if key in leaves and leaves[key] != own.get(key)]
            return "login" if any(host_of(leaf.value) != host_of(profile.origin) for leaf in theirs) else ""
        logs_in = profile.has_sessions and not {"password", "token"} & {*login_fields(profile)}
        is_theirs = any(path[:1] == ("login",) and own.get(path) != leaf for path, leaf in leaves.items())
        return "login" if logs_in and is_theirs else ""

    def _process_of_others(self, profile: Profile) -> ProcessCommand | None:
        """Return the process of a profile if a file of others has decided it. It runs in the folder of that file."""
        if not profile.command_folder:
            return None
        found = self.process_of(profile, Path())
        return found if isinstance(found, ProcessCommand) else None

    def _secret_commands_of_others(self, profile: Profile) -> dict[str, str]:
        """Return the keys of the commands that print a secret and that a file of others has decided.

        Each has the path of its program.
        """
        own, leaves = self.profiles.own.get(profile.name, {}), self.profiles.leaves.get(profile.name, {})
        found = {}
        for path, leaf in leaves.items():
            if is_secret_command(path) and own.get(path) != leaf:
                program = find_program(leaf.value[0], self._folder_beside(leaves, leaf), self._environment)
                found[path[1]] = program or "not found"
        return found

    def secret_command(self, profile: Profile, field: str) -> ProcessCommand | Refused:
        """Return the command that prints a secret, or why it must not be run. Ask here directly before each run.

        It runs in the folder of the file that names it, so that no file of the working folder changes what it does.
        """
        question = self.question(profile)
        if question:
            return Refused("profile", question.sentence(profile.name))
        words, leaves = profile.auth.command_for(field), self.profiles.leaves.get(profile.name, {})
        leaf = leaves.get(("auth", f"{field}{OF_COMMAND}"))
        if profile.ad_hoc or leaf is None or leaf.value != words:
            return Refused("profile", f"The files of profile {profile.name} have changed. Choose the profile again.")
        folder = self._folder_beside(leaves, leaf)
        program = find_program(words[0], folder, self._environment)
        return ProcessCommand(words, str(folder), program, place=str(leaf.source))

    @staticmethod
    def _folder_beside(leaves: Leaves, leaf: Leaf) -> Path:
        """Return the folder of the file that names a command."""
        shared = leaves.get(("command_folder",))
        if shared and shared.origin.file == leaf.origin.file:
            return Path(shared.value)  # A link to that folder may lead elsewhere by now.
        return Path(leaf.origin.file).parent

    def _process_facts(
        self, profile: Profile, process: ProcessCommand, commands: Collection[AllowedCommand]
    ) -> tuple[Change, ...]:
        """Return what the user has to see before allowing a process.

        Old values are those of the newest one that was allowed in its folder, or with its words.
        """
        now, before = AllowedCommand.of(process).destination, dict[str, str]()
        places = {key: self._place(profile.name, key) for key in now if key not in {"folder", "words"}}
        places["words"] = process.place
        for command in commands:
            if command.folder == process.folder or command.words == process.words:
                before = dict(command.destination)
        differs = {change.key: change for change in changes(before, now)} if before else {}
        facts = [differs.pop(key, Change(key, "", value)) for key, value in now.items()]
        program = Change("program", "", process.program or "not found")
        facts = [*facts[:2], program, *facts[2:], *differs.values()]
        return tuple(replace(fact, place=places.get(fact.key, "")) for fact in facts)

    def process_of(self, profile: Profile, working_folder: Path) -> ProcessCommand | Refused:
        """Return the process of a profile, which may not be allowed yet. Nothing is started here.

        Typed words run in the working folder, and so do those of the user file. Words of another file, or of a profile
        whose URL another file has turned into a process, run in the folder of that file.
        """
        if not profile.command:
            return Refused("profile", f"Profile {profile.name} has no command, so no process can be started.")
        word, own = profile.command[0], profile.environment
        environment = {**self._environment, **dict(own)}
        if profile.ad_hoc:
            program = find_program(word, working_folder, environment)
            return ProcessCommand(profile.command, str(working_folder), program, own, profile.environment_secrets)
        leaves = self.profiles.leaves.get(profile.name, {})
        leaf = leaves.get(("command",))
        if leaf is None or leaf.value != profile.command:
            return Refused("profile", f"The files of profile {profile.name} have changed. Choose the profile again.")
        folder = profile.process_folder or str(working_folder)
        program = find_program(word, self._folder_beside(leaves, leaf), environment)
        place = str(leaf.source)
        return ProcessCommand(profile.command, folder, program, own, profile.environment_secrets, place)

    def allow(self, name: str, destination: Destination | None = None, process: ProcessCommand | None = None) -> None:
        """Allow a destination and a process as they were shown, at least for this run.

        Raises ``FileError``.
        """
        if destination is not None:
            self._allowed[name] = with_destination(self._allowed, name, destination)
        commands = [AllowedCommand.of(process, name)] if process else []
        self._commands += commands
        with self.file.changing() as allowed:
            if destination is not None:
                allowed.destinations[name] = with_destination(allowed.destinations, name, destination)
            others = [command for command in allowed.commands if command not in commands]
            allowed.commands = [*others, *commands]

    def allow_history(self, folder: str) -> None:
        """Allow a folder for histories that a shared file names.

        Raises ``FileError``.
        """
        with self.file.changing() as allowed:
            allowed.histories.add(folder)

    def allow_folder(self, folder: Path) -> None:
        """Allow the profiles of a folder that other users can write to.

        Raises ``FileError``.
        """
        with self.file.changing() as allowed:
            allowed.folders.add(str(folder))

    def copy(self, name: str, new: str) -> None:
        """Allow for a profile's new name what is allowed for the old one.

        Its environment variables are bound as well. Raises ``FileError``.
        """
        self._entered[new] = self._entered.get(name, [])
        with self.file.changing() as allowed:
            for destination in allowed.destinations.get(name, []):
                allowed.destinations[new] = with_destination(allowed.destinations, new, destination)
            for variable, destination in [*allowed.first_uses.items()]:
                if self._is_of(variable, name):
                    field = variable.removeprefix(name_of_variable(name, ""))
                    allowed.first_uses.setdefault(name_of_variable(new, field), destination)

    def drop(self, name: str, new: str) -> None:
        """Allow nothing for the old name any more. Raises ``FileError``.

        The first uses of its variables stay: a variable that is still set must not go elsewhere without a question.
        """
        with self.file.changing() as allowed:
            allowed.destinations.pop(name, None)
            for at, command in enumerate(allowed.commands):
                if command.profile == name:
                    allowed.commands[at] = replace(command, profile=new)

    def forget(self, name: str, profile: Profile | None = None) -> bool:
        """Remove all that was allowed for a profile's name, or for a folder; return whether there was any.

        ``profile`` is the one of that name, if the files have it. Raises ``FileError``.
        """
        with self.file.changing() as allowed:
            before = allowed.as_toml()
            allowed.destinations.pop(name, None)
            for variable in [variable for variable in allowed.first_uses if self._is_of(variable, name)]:
                del allowed.first_uses[variable]
            allowed.folders.discard(name)
            allowed.histories -= {name, profile.history if profile else name}
            words = {(known.folder, known.words) for known in allowed.commands if name in {known.folder, known.profile}}
            if profile:
                words.add((profile.process_folder, profile.command))
            allowed.commands = [known for known in allowed.commands if (known.folder, known.words) not in words]
            return allowed.as_toml() != before

    def _first_use(self, variable: str) -> Destination | None:
        return self._first_uses.get(variable) or self.file.read().first_uses.get(variable)

    def _destinations(self, allowed: Allowed, name: str) -> list[Destination]:
        return [*allowed.destinations.get(name, []), *self._allowed.get(name, [])]

    def _not_pinned(self, profile: Profile, field: str) -> DestinationChanged | None:
        name = profile.variable("origin")
        wanted = self._environment.get(name)
        if not wanted or origin_of(wanted) == profile.origin:
            return None
        why = f"{name} is {wanted}, but the profile uses {profile.origin}"
        if place := self._place(profile.name, "origin"):
            why += f" ({place})"
        return DestinationChanged(field, why, advice=f"Correct {name} or the profile")

    def _is_of(self, variable: str, name: str) -> bool:
        """Return whether a variable holds a field of profiles of this name."""
        if variable == name_of_variable(name, variable.rpartition("_")[2]):
            return True
        known = self.profiles.profiles.get(name)
        return known is not None and variable in known.variables.values()

    def _all_of(self, profile: Profile, destination: Destination) -> tuple[Change, ...]:
        """Return all keys of a destination, as if nothing had been known before."""
        return self._placed(profile, tuple(replace(change, old="") for change in changes({}, destination)))

    def _placed(self, profile: Profile, found: tuple[Change, ...]) -> tuple[Change, ...]:
        return tuple(replace(change, place=self._place(profile.name, change.key)) for change in found)

    def _place(self, name: str, key: str) -> str:
        """Return the file and line that set a key of a destination."""
        leaves = self.profiles.leaves.get(name, {})
        others = {"origin": ("url",), "discovery.url": ("discovery",)}
        if ("folder",) not in leaves:
            others["folder"] = ("command",)
        sought = others.get(key) or split_dotted(key)
        if key == "origin" and ("command",) in leaves:
            sought = ("command",)
        elif key == "path" and sought not in leaves:
            sought = ("url",)
        sought = tuple(part.lower() for part in sought)
        for path, leaf in leaves.items():
            if tuple(part.lower() for part in path) == sought:
                if preset := leaf.origin.preset:  # The file that named the preset has changed the destination.
                    return f"{leaves['preset',].source}, preset {preset}"
                return str(leaf.source)
        return ""


def _of_key(destination: Destination) -> Destination:
    return {key: destination[key] for key in _OF_KEYS if key in destination}


def _content_of(file: Path) -> str:
    """Return a hash of a file's content."""
    from hashlib import sha256  # It loads OpenSSL, and few profiles have such a file.

    try:
        content = read_bytes(file)
    except FileError:
        return "a file that cannot be read"
    if content is None:
        return "a file that is missing"
    return f"sha256:{sha256(content).hexdigest()}"
