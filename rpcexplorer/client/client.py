"""The client for Python programs, which is made from a URL and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack, get_args, get_origin, get_type_hints

import msgspec

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.registry import KINDS, kind_named, with_usual_auth
from rpcexplorer.client.profile_client import REPLY_LIMIT, ProfileClient
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.destination import ProcessCommand, find_program
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.problem import nearest
from rpcexplorer.model.profile import (
    SCHEMES,
    URL_BEGINNINGS,
    Auth,
    Profile,
    kind_of,
    no_place_for,
    scheme_of,
    split_address,
    usual_path,
    usual_type,
    with_scheme,
)
from rpcexplorer.rpc.codec import is_native

if TYPE_CHECKING:
    from rpcexplorer.model.batch import BatchExchange
    from rpcexplorer.model.event import Event
    from rpcexplorer.model.profile import Answer, HeaderHandshake, Login, McpVersion, MethodNote
    from rpcexplorer.rpc.messages import EmptyParams, EnvelopeForm, IdForm
    from rpcexplorer.transport.port import Framing

ParamsValue = Sequence[Any] | Mapping[str, Any]
BatchCall = tuple[str] | tuple[str, ParamsValue | None] | tuple[str, ParamsValue | None, str]
StrPath = str | os.PathLike[str]


class ClientSettings(TypedDict, total=False):
    """The keys of a profile that change what a client sends, or what it understands."""

    path: str
    timeout: float
    headers: Mapping[str, str] | Sequence[tuple[str, str]]
    content_type: str
    accept: str
    empty_params: EmptyParams
    envelope: EnvelopeForm
    id: IdForm
    ca_file: StrPath | None
    certificate: str | None
    cert_file: StrPath | None
    key_file: StrPath | None
    handshake: Literal["mcp", "lsp"] | Mapping[str, str] | HeaderHandshake
    mcp: Literal["auto"] | McpVersion
    command: Sequence[str]
    folder: StrPath
    environment: Mapping[str, str] | Sequence[tuple[str, str]]
    framing: Framing
    login: Mapping[str, Any] | Login
    answers: Mapping[str, Mapping[str, Any] | Answer]
    methods: Mapping[str, Mapping[str, Any] | MethodNote]


SETTINGS: Final = tuple(ClientSettings.__annotations__)
INSTEAD: Final = {
    "preset": "Client reads no presets. To see the keys of one, run `rpcexplorer presets show NAME`, and pass them.",
    "answer": 'Write answers, such as answers={"roots/list": {"result_json": "{}"}}.',
    "method": 'call takes the method. To set params of a handshake, use methods={"initialize": {"params": …}}.',
}
"""What to do instead, for keys of a profile that are not arguments of a client."""
USE_EXPLORER: Final = "It has no effect on a client, which asks and stores nothing. Explorer uses profiles with it."
_PARAMS: Final = msgspec.json.Encoder(decimal_format="number")
NO_NUMBER: Final = "The params contain a Decimal that is not a number in JSON, such as NaN or Infinity."


class Client(ProfileClient):
    """The client of one service, which connects with its first call.

    A call never raises for a failure of the server or the network: that is the outcome of the exchange.
    """

    def __init__(
        self,
        url: str,
        *,
        auth: str | Auth | None = None,
        username: str | None = None,
        password: str | None = None,
        session: str | None = None,
        token: str | None = None,
        key: str | None = None,
        client_secret: str | None = None,
        reply_limit: int = REPLY_LIMIT,
        on_event: Callable[[Event], None] | None = None,
        **settings: Unpack[ClientSettings],
    ) -> None:
        """Accept a URL, credentials, and keys of a profile.

        `ClientSettings` has these keys, such as ``path`` and ``timeout``. Tables are dicts. Raise ``TypeError`` for
        another name, and ``ValueError`` for a value that cannot be used.

        A ``path`` is appended to ``url``. Without one, ``url`` is the complete address if it has a path of its own.
        ``on_event`` gets each message that the server sends unasked; it must not take long. A process with the URL
        ``stdio:`` is named by ``command``, its words, and runs in the working folder.
        """
        url = with_scheme(url)
        if scheme_of(url) not in SCHEMES:
            raise ValueError(f'url: it must begin with {URL_BEGINNINGS}, or be "stdio:".')
        if isinstance(auth, type):
            raise TypeError(f"auth: pass an object, such as {auth.__name__}(), or the name of an auth type.")
        checked = _checked(url, settings)
        if "path" not in checked:
            url, own_path = split_address(url)
            checked["path"] = usual_path(url) if own_path is None else own_path
        checked.setdefault("content_type", usual_type(checked["path"]))
        chosen = kind_named(auth)() if isinstance(auth, str) else auth
        has_login = "login" in checked
        profile = Profile(name="client", url=url, auth=chosen or Auth(), ad_hoc=True, has_login=has_login, **checked)
        profile = profile if chosen else with_usual_auth(profile)
        given = {
            "username": username,
            "password": password,
            "session": session,
            "token": token,
            "key": key,
            "client_secret": client_secret,
        }
        _refuse_unused(profile, [field for field, value in given.items() if value is not None])
        around = Surroundings(on_event=on_event or _ignore, command=partial(_own_process, profile))
        super().__init__(profile, GivenCredentials(**given), reply_limit=reply_limit, around=around)

    async def call(self, method: str, params: ParamsValue | None = None) -> Exchange:
        """Send a call and wait for its response.

        ``params`` are a list or a dict of what JSON has. ``int`` and ``Decimal`` are sent digit by digit.
        """
        return await self.send(Draft(method, _to_json(params)))

    async def notify(self, method: str, params: ParamsValue | None = None) -> Exchange:
        """Send a notification, which has no response."""
        return await self.send(Draft(method, _to_json(params), notification=True))

    async def batch(self, calls: Sequence[BatchCall]) -> BatchExchange:
        """Send calls in one request and wait for the responses.

        Each call is a tuple of its method, params and id: ``("user.get", {"id": 7}, "a")``. Params and id can be left
        out: ``("ping",)``. Iterate over what is returned: each call is an exchange with its own outcome.
        """
        from rpcexplorer.model.batch import BatchExchange  # Few programs need it.

        rows = [_batch_row(call) for call in calls]
        return BatchExchange.of(await self.send(Batch(_to_json(rows))))


def _ignore(_: Event) -> None:
    """Drop what a server sends unasked."""


def _own_process(profile: Profile) -> ProcessCommand | Refused:
    """Return the process of a Python program, which runs its own words."""
    if not profile.command:
        return Refused("profile", 'A client of a process needs its words, such as command=["pylsp"].')
    own = profile.environment
    program = find_program(profile.command[0], Path.cwd(), {**os.environ, **dict(own)})
    return ProcessCommand(profile.command, profile.folder or str(Path.cwd()), program, own)


def _checked(url: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as a profile has them; raise an error that names one."""
    types = get_type_hints(Profile)
    checked = {}
    for name, given in settings.items():
        if name not in SETTINGS:
            raise TypeError(f"Client has no argument {name}. {_instead_of(name)}")
        value = os.fspath(given) if isinstance(given, os.PathLike) else given
        if name in {"headers", "environment"} and isinstance(given, Mapping):
            value = [*given.items()]
        if name == "login" and isinstance(given, Mapping) and isinstance(given.get("headers"), Mapping):
            value = {**given, "headers": [*given["headers"].items()]}
        try:
            checked[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            if get_origin(types[name]) is Literal:
                raise ValueError(f"{name}: {value!r} is not one of {', '.join(get_args(types[name]))}.") from None
            raise ValueError(f"{name}: {error}.") from None
        if name == "timeout" and not checked[name] > 0:
            raise ValueError("timeout: it must be a number of seconds greater than 0.")
        if why := no_place_for(kind_of(url), (name,), value):
            raise ValueError(f"{name}: {why}.")
    return checked


def _instead_of(name: str) -> str:
    if name in INSTEAD:
        return INSTEAD[name]
    if name in Profile.__struct_fields__:
        return USE_EXPLORER
    for kind in KINDS.values():
        if name in kind.__struct_fields__:
            return f"It is a setting of the auth type. Write auth={kind.__name__}({name}=…)."
    guess = nearest(name, SETTINGS)
    return f"Did you mean {guess}?" if guess else f"It has {', '.join(SETTINGS)}."


def _refuse_unused(profile: Profile, given: Sequence[str]) -> None:
    """Raise ``ValueError`` for a credential that no call would send."""
    if any(note.auth for note in profile.methods.values()):
        return
    for field in given:
        if field not in profile.call_secrets:
            advice = f"Name an auth type that sends it: auth is one of {', '.join(KINDS)}."
            raise ValueError(f"{field}: auth type {profile.auth.kind} does not send it. {advice}")


def _batch_row(call: object) -> dict[str, Any]:
    if not isinstance(call, tuple | list) or not 1 <= len(call) <= 3:
        example = 'Write method, params and id as a tuple: ("user.get", {"id": 7}, "a").'
        raise TypeError(f"{call!r} is not a call. {example}")
    method, params, id = [*call, None, None][:3]
    row: dict[str, Any] = {"method": method, "params": [] if params is None else params}
    if id is not None:
        row["id"] = id
    return row


def _to_json(params: Any) -> str:
    if params is None:
        return ""
    try:
        text = _PARAMS.encode(params)
    except ValueError:  # msgspec 0.23 refuses a Decimal that is not a number; earlier versions write it as it is.
        raise ValueError(NO_NUMBER) from None
    if not is_native(text):
        raise ValueError(NO_NUMBER)
    return text.decode()
