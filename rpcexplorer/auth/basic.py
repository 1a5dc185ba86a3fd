"""The auth types with user name and password, and the one without any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from rpcexplorer.auth.auth_type import USERNAME, AuthField, AuthType
from rpcexplorer.auth.credentials import AuthHeader, AuthRequest, Message, quoted
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import TOKEN_MARK, Auth, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call, spelled


class BasicAuth(AuthType, frozen=True):
    """User name and password in the header, as HTTP defines it."""

    username: str | None = None
    """The user name; None looks it up as a secret."""

    kind: ClassVar[str] = "basic"
    scheme: ClassVar[str] = "Basic"
    sends: ClassVar[str] = "a user name and a password in the header Authorization"
    needed: ClassVar[str] = "takes the credentials in a header"
    takes: ClassVar[tuple[str, ...]] = ("username", "password")
    fields: ClassVar[tuple[AuthField, ...]] = (USERNAME,)

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "basic: sends user name and password in the header Authorization"

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:
        names = [secret.reveal() for secret in secrets if secret.label == profile.label("username")]
        if not any(":" in name for name in (self.username or "", *names)):
            return None
        return Refused(
            "profile",
            f"The user name of profile {profile.name} contains a colon, which HTTP Basic cannot send. "
            "Use a user name without one, or another auth type.",
        )

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        name = profile.references["username"] if self.username is None else self.username
        text = f"{name}:{profile.references['password']}"
        return (AuthHeader("Authorization", text, scheme=f"{self.scheme} ", encoded=True),)


class NoAuth(AuthType, frozen=True):
    """No credentials, except a token in the path of the URL."""

    kind: ClassVar[str] = Auth.kind
    needed: ClassVar[str] = "needs no credentials"

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        return Auth.secrets(self, profile)

    def words(self, profile: Profile) -> str:
        return "none: the path contains a token" if profile.call_secrets else "none: sends no credentials"

    def put(self, profile: Profile, message: Message) -> AuthRequest:
        if not profile.call_secrets:
            return AuthRequest(message)
        return AuthRequest(message, address=profile.endpoint.replace(TOKEN_MARK, profile.references["token"]))

    def free(self, profile: Profile, call: Call) -> bool:  # noqa: ARG002
        """Return False: without its token, the URL is a different one."""
        return False


class InlineAuth(AuthType, frozen=True):
    """User name and password as members of the params."""

    username: str | None = None
    """The user name; None looks it up as a secret."""
    username_member: str = "username"
    password_member: str = "password"  # noqa: S105 - the member's name, not a password

    kind: ClassVar[str] = "inline"
    sends: ClassVar[str] = "a user name and a password in the params"
    needed: ClassVar[str] = "takes the credentials in its params"
    takes: ClassVar[tuple[str, ...]] = ("username", "password")
    fields: ClassVar[tuple[AuthField, ...]] = (USERNAME,)
    in_params: ClassVar[bool] = True
    harmless: ClassVar[str] = "arg_test"

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "inline: sends user name and password in the params of each call"

    def put(self, profile: Profile, message: Message) -> AuthRequest | Refused:
        """Return the call with the credentials added to its params."""
        calls = []
        for call in message.calls:
            params = call.params if self.free(profile, call) else self._params(call, profile)
            if isinstance(params, Refused):
                return params
            calls.append(replace(call, params=params))
        return AuthRequest(replace(message, calls=tuple(calls)))

    def places(self, profile: Profile) -> Iterable[str]:  # noqa: ARG002
        return (self.password_member,)

    def username_places(self, profile: Profile) -> Iterable[str]:  # noqa: ARG002
        return (self.username_member,)

    def offered(self, method: Method) -> Method:
        """Make params go by name, because credentials in an array are refused."""
        ours = {self.username_member, self.password_member}
        if method.auth == Auth.kind or not (method.by == "position" or ours & {*method.required}):
            return method
        required = tuple(name for name in method.required if name not in ours)
        if method.by == "position":
            return replace(method, by="name", required=required)
        return replace(method, required=required)

    def offered_in_full(self, method: Method, full: Described) -> Described:
        ours = {self.username_member, self.password_member}
        if method.auth == Auth.kind or not any(param.required and param.name in ours for param in full.params):
            return full
        params = [replace(param, required=param.required and param.name not in ours) for param in full.params]
        return replace(full, params=tuple(params))

    def _params(self, call: Call, profile: Profile) -> str | Refused:
        """Return the params with the two members, unless they were typed."""
        username = spelled(self.username) if self.username is not None else quoted(profile, "username")
        wanted = {self.username_member: username, self.password_member: quoted(profile, "password")}
        if call.params == "[]":
            return _object(wanted)
        from rpcexplorer.jsontext.scan import members

        present = members(call.params)
        if present is None:
            return Refused(
                "params",
                f"Profile {profile.name} adds {self.username_member} and {self.password_member} to the params, "
                'so they cannot be an array. Write an object, such as {"first": 1}.',
            )
        for member in present:
            wanted.pop(member.name, None)
        if not wanted:
            return call.params
        added = _object(wanted)
        return f"{call.params[:-1]},{added[1:]}" if present else added


def _object(values: dict[str, str]) -> str:
    return "{" + ",".join(f"{spelled(name)}:{value}" for name, value in values.items()) + "}"
