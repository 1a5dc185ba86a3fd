"""The keys of a profile in files, on the command line and in the form.

``PROFILE_KEYS`` is their only list: the checks of files, the options of ``profiles add`` and the rows of the form are
made from it. The fields of an auth type are declared with that type, in ``auth/``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from rpcexplorer.auth.auth_type import AuthField
from rpcexplorer.auth.registry import KINDS, USUAL, fields
from rpcexplorer.files.toml_shape import (
    JsonSchema,
    MapRule,
    Place,
    Refusal,
    Rule,
    TableRule,
    ValueCheck,
    WrongValue,
    accepts,
    choice_rule,
    flag_rule,
    integer_rule,
    list_rule,
    name_rule,
    path_rule,
    schema_of,
    text_rule,
    version_rule,
    whole,
)
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.profile import MCP_VERSIONS, OF_COMMAND, RESERVED, ConfirmWhen, is_reserved
from rpcexplorer.model.secret import FIELD_WORDS, PROFILE_NAME, VARIABLE_NAME
from rpcexplorer.profiles.values import (
    HEADER_NAMES,
    LOGIN_PARAMS,
    LONGEST_NAME,
    METHOD_PARAMS,
    answer_rule,
    claim_rule,
    command_rule,
    discovery_rule,
    duration_rule,
    environment_rule,
    environment_secrets_rule,
    fingerprint_rule,
    handshake_rule,
    header_rule,
    ignored_rule,
    login_path_rule,
    openings_rule,
    pairs_rule,
    params_json_rule,
    params_table_rule,
    pointer_rule,
    preset_rule,
    refused_answer,
    refused_call,
    refused_claim,
    refused_environment,
    refused_header,
    refused_key,
    refused_variable,
    status_rule,
    url_path_rule,
    url_rule,
    variable_rule,
    words_rule,
)
from rpcexplorer.rpc.messages import EmptyParams, EnvelopeForm, IdForm
from rpcexplorer.transport.port import Framing
from rpcexplorer.variables.references import LAST, MADE

OptionValue = Literal[
    "text", "words", "seconds", "status", "code", "json", "file", "headers", "handshake", "discovery", "auth type",
    "command", "flag", "names",
]  # fmt: skip
"""The form of a value in an option; some options can be repeated."""
PARTS: Final = ("Server", "Auth", "Login", "Request", "TLS", "Process", "Where")
"""Groups of keys, in the order of options and rows."""
CONFIRM: Final = get_args(ConfirmWhen)


class ProfileKey(Struct, frozen=True):
    """A key of a profile, with its option and its row in the form."""

    key: str
    """The key as in ``profiles set``, such as ``auth.username``."""
    check: Rule
    part: str = ""
    """One of ``PARTS``."""
    help: str = ""
    """The help of its option; a key without one has no option."""
    default: str = ""
    """The default, for the help."""
    metavar: str = ""
    value: OptionValue = "text"
    named: str = ""
    """Its option, if that has another name than the key."""
    label: str = ""
    """The label of its row; a key without one has no row in the form."""
    hint: str = ""
    choices: tuple[str, ...] = ()
    of_one_server: bool = False
    """Whether it is about one server or one user, so that no preset has it."""
    is_rare: bool = False
    """Whether the help of ``profiles add`` only names its option, and the manual explains it."""

    @property
    def option(self) -> str:
        return self.named or f"--{self.key.replace('.', '-').replace('_', '-')}"


_OTHER_RULES: Final[Mapping[str, ValueCheck]] = {
    "claims": pairs_rule(claim_rule, refused_claim),
    "secret_file": path_rule,
    "token_seconds": duration_rule("seconds"),
    "scopes": words_rule,
}
"""The rules of auth fields that are not text."""


def _auth_rule(field: str) -> ValueCheck:
    """Return a rule that refuses what every auth type with this field refuses."""
    if field.endswith(OF_COMMAND):
        return command_rule
    if field in _OTHER_RULES:
        return _OTHER_RULES[field]
    kinds = [kind for kind in KINDS.values() if field in kind.__struct_fields__]
    strict: list[AuthField] = []
    for kind in kinds:
        strict += [rule for rule in kind.fields if rule.name == field and rule.pattern]
    if len(strict) < len(kinds):
        return name_rule
    patterns = [whole(rule.pattern.pattern) for rule in strict if rule.pattern]
    portable = "|".join(patterns).replace("(?i:", "(?:")  # Few validators know this, and without it more is accepted.

    @accepts(type="string", pattern=portable)
    def check(value: Any, _place: Place) -> Any:
        fits = isinstance(value, str) and any(rule.fits(value) for rule in strict)
        return value if fits else WrongValue(strict[0].mismatch)

    return check


_AUTH_HELP: Final = {
    "username": "User name",
    "cookie": "Name of the session cookie",
    "username_member": "Name of the param for the user name",
    "password_member": "Name of the param for the password",
    "header": "Name of the token header",
    "value": "Text to send, which contains {token}",
    "name": "Name of the URL parameter for the token",
    "member": "Name of the member for the token",
    "claims": "Claim of the token besides iat. Can be repeated",
    "secret_file": "Private file with the key in hex",
    "token_seconds": "Time for which a secret of a command is used",
    "issuer": "URL of the authorization server",
    "grant": "How to log in: code, client or device",
    "client_id": "Id of a registered client",
    "scopes": "Rights to ask for, separated by spaces",
    "resource": "URL that the token is for",
}
_AUTH_VALUES: Final[Mapping[str, OptionValue]] = {
    "claims": "headers",
    "secret_file": "file",
    "token_seconds": "seconds",
}
_AUTH_METAVARS: Final = {"claims": "NAME=VALUE", "secret_file": "FILE", "token_seconds": "SECONDS"}


def _auth_fields() -> Iterator[ProfileKey]:
    lines: dict[str, AuthField] = {}
    for kind in KINDS.values():
        for row in kind.fields:
            if row.label:
                lines.setdefault(row.name, row)
    for field in fields():
        kinds = [name for name, kind in KINDS.items() if field in kind.__struct_fields__]
        line = lines.get(field)
        value, metavar = _AUTH_VALUES.get(field, "text"), _AUTH_METAVARS.get(field, "")
        is_command = field.endswith(OF_COMMAND)
        words = _AUTH_HELP.get(field, capitalised(field.replace("_", " ")))
        words += f", for auth {', '.join(kinds)}." if len(kinds) < len(KINDS) / 2 else "."
        if is_command:
            value, metavar = "command", "WORDS"
            secret = field.removesuffix(OF_COMMAND)
            words = f"Words of a command that prints the {FIELD_WORDS.get(secret, secret)}. No shell runs."
        yield ProfileKey(
            f"auth.{field}",
            _auth_rule(field),
            "Auth",
            help=words,
            metavar=metavar,
            value=value,
            of_one_server=is_command or field == "secret_file",
            named="--auth-header" if field == "header" else f"--{field.replace('_', '-')}",  # --header is any header
            label=line.label if line else "",
            hint=line.hint if line else "",
            is_rare=field != "username",
        )


def expect_rule(value: Any, place: Place) -> Any:
    """Convert the table ``expect`` of a saved call to an ``Expectation``."""
    from rpcexplorer.profiles.expect import expectation  # Few calls have one.

    return expectation(value, place)


AUTH_TYPE: Final = choice_rule(*KINDS)
METHOD: Final = TableRule(
    "a method",
    {
        "doc": text_rule,
        "params": METHOD_PARAMS,
        "safe": flag_rule,
        "auth": AUTH_TYPE,
        "ignore": list_rule(ignored_rule, "JSON pointers"),
        "plain": list_rule(ignored_rule, "JSON pointers"),
        "parts": flag_rule,
    },
    refused_key,
    docs={
        "doc": "What the method does.",
        "params": "Params that the editor starts with.",
        "safe": "Whether it changes nothing on the server, so that it is called without a question.",
        "auth": "Auth type of its calls, instead of that of the profile.",
        "ignore": "JSON pointers into the result that are ignored when responses are compared. * is any element.",
        "plain": "JSON pointers to values of the result that are recorded, because they are no secrets.",
        "parts": "Whether its result comes in parts, on an event stream.",
    },
)
CALL: Final = TableRule(
    "a saved call",
    {
        "method": name_rule,
        "doc": text_rule,
        "params_json": params_json_rule,
        "params": params_table_rule,
        "expect": expect_rule,
    },
    refused_key,
    docs={
        "method": "Method to call.",
        "doc": "One line of docs for the method list.",
        "params_json": "Params as JSON text, which keeps the spelling of numbers.",
        "params": "Params as a TOML table or array.",
        "expect": "What `rpcexplorer check` expects of the response.",
    },
    limits={"required": ["method"], "not": {"required": ["params", "params_json"]}},
)
CALLS: Final = MapRule(CALL, refused_call, {"pattern": rf"^[^{SIGN}\s](?:.*\S)?$", "maxLength": LONGEST_NAME})
_VARIABLE_NAMES: Final = {"pattern": rf"^(?!{LAST})[^\s\d.-]\S{{0,63}}$", "not": {"enum": [*MADE]}}
VARIABLES: Final = MapRule(variable_rule, refused_variable, _VARIABLE_NAMES)
PROFILE_KEYS: Final = (
    ProfileKey(
        "url",
        url_rule,
        "Server",
        help="URL of the server, unchanged if it has a path, even just /.",
        metavar="URL",
        label="URL",
        hint="https://rpc.example.com",
        of_one_server=True,
    ),
    ProfileKey(
        "preset",
        preset_rule,
        "Server",
        help="Preset of a known server, as listed by `rpcexplorer presets`.",
        metavar="NAME",
        label="preset",
        of_one_server=True,
    ),
    ProfileKey(
        "path",
        url_path_rule,
        "Server",
        help="Path of calls.",
        default="the URL's or preset's, else /api/v2/",
        metavar="PATH",
    ),
    ProfileKey(
        "command",
        command_rule,
        "Process",
        help="Words of a process that is the server. No shell runs.",
        metavar="WORDS",
        value="command",
        named="--stdio",
        of_one_server=True,
    ),
    ProfileKey(
        "folder",
        path_rule,
        "Process",
        help="Folder that the process runs in.",
        default="the working folder",
        metavar="FOLDER",
        value="file",
        of_one_server=True,
        is_rare=True,
    ),
    ProfileKey(
        "environment",
        MapRule(environment_rule, refused_environment, {"pattern": whole(VARIABLE_NAME.pattern)}),
        "Process",
        help="Environment variable without a secret. Can be repeated.",
        metavar="NAME=VALUE",
        value="headers",
        named="--env",
        of_one_server=True,
    ),
    ProfileKey(
        "environment_secrets",
        environment_secrets_rule,
        "Process",
        help="Environment variable that is a secret. Can be repeated.",
        metavar="NAME",
        value="names",
        named="--env-secret",
        of_one_server=True,
    ),
    ProfileKey(
        "framing",
        choice_rule(*get_args(Framing)),
        "Process",
        help="Form of the messages on a stream or a process.",
        default="lines",
        choices=get_args(Framing),
        is_rare=True,
    ),
    ProfileKey(
        "description",
        text_rule,
        "Server",
        help="Short description of the server.",
        label="description",
        hint="short description",
    ),
    ProfileKey(
        "badge",
        text_rule,
        "Server",
        help="Label of the server: dev, staging, prod or any word.",
        metavar="WORD",
        label="badge",
        choices=("", "dev", "staging", "prod"),
        of_one_server=True,
    ),
    ProfileKey(
        "confirm",
        choice_rule(*CONFIRM),
        "Server",
        help="When to ask to confirm.",
        default="never, for prod unsafe",
        label="confirm",
        choices=CONFIRM,
        of_one_server=True,
    ),
    ProfileKey(
        "timeout",
        duration_rule("seconds"),
        "Request",
        help="Timeout for a whole call.",
        default="30",
        metavar="SECONDS",
        value="seconds",
        label="timeout",
        hint="seconds for the whole call",
    ),
    ProfileKey(
        "content_type",
        header_rule,
        "Request",
        help="Content type.",
        default="application/json, for /api/v2/ application/json-rpc",
        metavar="TYPE",
        label="content type",
        hint="default for this URL",
    ),
    ProfileKey(
        "accept",
        header_rule,
        "Request",
        help="Accept header of the request.",
        default="*/*",
        metavar="TYPES",
        is_rare=True,
    ),
    ProfileKey(
        "empty_params",
        choice_rule(*get_args(EmptyParams)),
        "Request",
        help="How to send a call without params.",
        default="[]",
        label="empty params",
        choices=get_args(EmptyParams),
        is_rare=True,
    ),
    ProfileKey(
        "envelope",
        choice_rule(*get_args(EnvelopeForm)),
        "Request",
        help="JSON-RPC version, or the Transmission format.",
        default="2.0",
        choices=get_args(EnvelopeForm),
        is_rare=True,
    ),
    ProfileKey(
        "id",
        choice_rule(*get_args(IdForm)),
        "Request",
        help="Type of the request id.",
        default="string",
        choices=get_args(IdForm),
        is_rare=True,
    ),
    ProfileKey(
        "headers",
        MapRule(header_rule, refused_header, HEADER_NAMES),
        "Request",
        help="Header of every call, without a secret. Can be repeated.",
        metavar="NAME=VALUE",
        value="headers",
        named="--header",
    ),
    ProfileKey(
        "ca_file",
        path_rule,
        "TLS",
        help="Certificate authorities to trust instead of the system's.",
        metavar="FILE",
        value="file",
        of_one_server=True,
    ),
    ProfileKey(
        "certificate",
        fingerprint_rule,
        "TLS",
        help="Fingerprint of the only certificate to accept.",
        metavar="sha256:HEX",
        of_one_server=True,
        is_rare=True,
    ),
    ProfileKey(
        "cert_file",
        path_rule,
        "TLS",
        help="Client certificate.",
        metavar="FILE",
        value="file",
        of_one_server=True,
        is_rare=True,
    ),
    ProfileKey(
        "key_file",
        path_rule,
        "TLS",
        help="Private key of the client certificate, if it is in another file.",
        metavar="FILE",
        value="file",
        of_one_server=True,
        is_rare=True,
    ),
    ProfileKey(
        "handshake",
        handshake_rule,
        "Request",
        help="Handshake before the first call.",
        metavar="mcp|lsp|HEADER",
        value="handshake",
    ),
    ProfileKey(
        "mcp",
        choice_rule("auto", *MCP_VERSIONS),
        "Request",
        help="Version of MCP, if the handshake is mcp.",
        default="auto",
        choices=("auto", *MCP_VERSIONS),
        is_rare=True,
    ),
    ProfileKey(
        "discovery",
        discovery_rule,
        "Server",
        help="How to list methods.",
        default="auto",
        metavar="WORD|/PATH|@FILE",
        value="discovery",
    ),
    ProfileKey(
        "auth.kind",
        AUTH_TYPE,
        "Auth",
        help=f"Auth type: {', '.join(KINDS)}.",
        default=f"the preset's, {USUAL} for /api/v2/, else none",
        metavar="TYPE",
        value="auth type",
        named="--auth",
        label="auth",
        choices=("", *KINDS),
    ),
    *_auth_fields(),
    ProfileKey(
        "login.method", name_rule, "Login", help="Method that opens a session.", default="auth", metavar="METHOD"
    ),
    ProfileKey(
        "login.params",
        LOGIN_PARAMS,
        "Login",
        help='Params of the login, with "{username}" and "{password}".',
        metavar="JSON",
        value="json",
    ),
    ProfileKey(
        "login.session",
        pointer_rule,
        "Login",
        help="JSON pointer to the session in the login's result, such as /sessionid. '' is the whole result.",
        metavar="POINTER",
        is_rare=True,
    ),
    ProfileKey(
        "login.path",
        login_path_rule,
        "Login",
        help="Path of the login on the same server.",
        default="the path of the calls",
        metavar="PATH",
        is_rare=True,
    ),
    ProfileKey(
        "login.form",
        flag_rule,
        "Login",
        help="Send the params of the login as a form, not as JSON-RPC.",
        metavar="true|false",
        value="flag",
        is_rare=True,
    ),
    ProfileKey(
        "login.headers",
        pairs_rule(header_rule, refused_header),
        "Login",
        help="Header of the login alone, without a secret. Can be repeated.",
        metavar="NAME=VALUE",
        value="headers",
        named="--login-header",
        is_rare=True,
    ),
    ProfileKey(
        "login.ended_status",
        list_rule(status_rule, "HTTP statuses"),
        "Login",
        help="HTTP status that means that the session has ended. Can be repeated.",
        value="status",
        is_rare=True,
    ),
    ProfileKey(
        "login.ended_codes",
        list_rule(integer_rule, "error codes"),
        "Login",
        help="Error code that means that the session has ended. Can be repeated.",
        value="code",
        is_rare=True,
    ),
    ProfileKey(
        "login.ended_words",
        list_rule(name_rule, "words"),
        "Login",
        help="Whole word in an error that means that the session has ended. Can be repeated.",
        value="words",
        is_rare=True,
    ),
    ProfileKey("answer", MapRule(answer_rule, refused_answer, {"pattern": r"\S"})),
    ProfileKey("open", openings_rule),
    ProfileKey("method", MapRule(METHOD)),
    ProfileKey("call", CALLS, of_one_server=True),
    ProfileKey("variables", VARIABLES, of_one_server=True),
    ProfileKey(
        "history",
        path_rule,
        "Where",
        help="Folder for its recorded calls, instead of your own history.",
        metavar="FOLDER",
        value="file",
        of_one_server=True,
    ),
)


_DOCS: Final = {
    "auth": "How calls authenticate. Secrets are never in this file.",
    "login": "How a session is opened, for auth types with a login.",
    "answer": "Answers to requests of the server, by method. * is all other methods.",
    "open": "Calls that each connection begins with, in their order.",
    "method": "What you know about methods, by name.",
    "call": "Saved calls, by name.",
    "variables": "Values of variables such as {{page}} in params.",
}
"""What keys without an option mean."""


def _meaning(row: ProfileKey) -> str:
    words = row.help.replace(". Can be repeated", "")
    return f"{words} Default: {row.default}." if row.default else words


def _own_keys() -> JsonSchema:
    """Return the JSON Schema by which each auth type has only keys of its own."""
    each = []
    for name, kind in KINDS.items():
        is_kind = {"properties": {"kind": {"const": name}}, "required": ["kind"]}
        each.append({"if": is_kind, "then": {"propertyNames": {"enum": ["kind", *kind.__struct_fields__]}}})
    return {"allOf": each}


_LIMITS: Final = {"auth": _own_keys()}


def _profile_rule(rows: Iterable[ProfileKey], refuse: Refusal = refused_key) -> TableRule:
    keys: dict[str, Rule] = {}
    tables: dict[str, dict[str, Rule]] = {}
    docs = dict(_DOCS)
    docs_of_tables: dict[str, dict[str, str]] = {}
    for row in rows:
        top, _, inner = row.key.partition(".")
        if not inner:
            keys[top] = row.check
            docs.setdefault(top, _meaning(row))
            continue
        if top not in keys:
            tables[top], docs_of_tables[top] = {}, {}
            keys[top] = TableRule(top, tables[top], refuse, docs_of_tables[top], _LIMITS.get(top, {}))
        tables[top][inner] = row.check
        docs_of_tables[top][inner] = _meaning(row)
    return TableRule("a profile", keys, refuse, docs)


def _refused_name(name: str, _value: object, _place: Place) -> str | None:
    if is_reserved(name):
        return f"{RESERVED} Rename the profile"
    if PROFILE_NAME.fullmatch(name):
        return None
    return (
        "not a valid profile name. Begin with a letter or digit, and use at most 64 letters, digits, `_`, `-` and `.`"
    )


PROFILE: Final = _profile_rule(PROFILE_KEYS)
SESSIONS: Final = TableRule(
    "sessions.toml",
    {
        "version": version_rule,
        "default": name_rule,
        "profile": MapRule(PROFILE, _refused_name, {"pattern": whole(PROFILE_NAME.pattern)}),
        "call": CALLS,
        "variables": VARIABLES,
    },
    refused_key,
    docs={
        "version": "Version of the file format.",
        "default": "Name of the profile to use if none is chosen.",
        "profile": "Servers, by name.",
        "call": "Saved calls for all profiles, by name.",
        "variables": "Values of variables such as {{page}}, for all profiles.",
    },
)


def sessions_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``sessions.toml``."""
    from rpcexplorer.profiles.expect import EXPECT  # See above.

    accepts(**schema_of(EXPECT))(expect_rule)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sessions.toml",
        "description": "Servers, saved calls and variables of rpcexplorer. It contains no secrets.",
        **schema_of(SESSIONS),
    }


OF_ONE_SERVER: Final = {row.key for row in PROFILE_KEYS if row.of_one_server}


def _refused_in_preset(key: str, value: object, place: Place) -> str | None:
    if key == "command" or (key.endswith(OF_COMMAND) and f"auth.{key}" in OF_ONE_SERVER):
        return "a preset cannot name a command, because any file can name the preset. Set it in your own profile"
    if key in OF_ONE_SERVER or f"auth.{key}" in OF_ONE_SERVER:
        return "only a profile can set this key. Remove it from the preset"
    return refused_key(key, value, place)


PRESET: Final = TableRule(
    "a preset",
    {"version": version_rule, "description": text_rule, "advice": text_rule, "websocket_path": url_path_rule}
    | dict(_profile_rule((row for row in PROFILE_KEYS if not row.of_one_server), _refused_in_preset).keys),
    _refused_in_preset,
)
