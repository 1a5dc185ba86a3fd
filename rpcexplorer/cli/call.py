"""`call`, `notify`, `batch`, `login` and `logout`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import Any, Literal, TypeVar, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.cli.arguments import AUTH, AUTH_HELP, FILE_HELP, file_text, params_text, seconds, sources_of
from rpcexplorer.cli.completion import complete_methods, complete_params
from rpcexplorer.cli.context import (
    Invocation,
    fail,
    invocation_of,
    no_input_option,
    profile_option,
    server_after_options,
    url_after_option,
)
from rpcexplorer.cli.output import Output, Waiting, print_bytes, print_json, result_of
from rpcexplorer.cli.world import World, ask
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.destination import FORM_OF_REQUEST
from rpcexplorer.model.draft import Batch, Draft, judged
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused, Stop
from rpcexplorer.model.method import SIGN, method_of, no_such_call
from rpcexplorer.model.problem import Changes, Checked, SchemaProblem, counted, cut, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import SIGNS, failed_count, failed_lines, outcome_line, times, transport_line
from rpcexplorer.text.json_text import highlighted
from rpcexplorer.text.printable import printable
from rpcexplorer.variables.references import name_and_value

SECRET_REFERENCE = regex(rb"\xab([\w.-]+|not recorded)\xbb")
"""A secret reference in Latin-1 bytes; it is printed as UTF-8."""


MAX_FIX_CHARACTERS = 200
Part = Literal["result", "response", "body"]
"""The part of a response that goes to stdout."""


def check_pointers(ignore: Iterable[str]) -> None:
    for pointer in ignore:
        if not pointer.startswith("/"):
            found = pointer or "an empty text"
            raise click.UsageError(f"--ignore: {found} is not a JSON pointer. Begin it with a slash.")


def warn_about_other_url(invocation: Invocation, explorer: Explorer, call: Exchange, profile: Profile) -> None:
    """Print a warning if a recorded call will go to another URL."""
    if explorer.cases.goes_elsewhere(call, profile):
        recorded_at = call.url or "an unknown URL"
        place = f"{profile.endpoint} ({profile.name})"
        invocation.world.warn(f"calls recorded at {recorded_at} will be sent to {place}")


def question_about(explorer: Explorer, drafts: Sequence[Draft | Batch], profile: Profile) -> str:
    """Return the sentence that asks to confirm; empty if none is needed."""
    methods = explorer.to_ask_about(drafts, profile)
    if not methods:
        return ""
    which = "all" if profile.confirm == "always" else "unsafe"
    named = ", ".join(starmap(times, methods.items()))
    return f"Profile {profile.name} ({profile.badge or profile.confirm}) asks to confirm {which} calls: {named}."


def confirm(invocation: Invocation, question: str, calls: str, profiles: Iterable[Profile], *, ask: bool) -> None:
    """Ask for confirmation; end the command unless the answer is yes."""
    places = joined_words(dict.fromkeys(profile.origin for profile in profiles))
    if not (ask and invocation.world.asks):
        fail(f"{question} Add --yes to send {calls} to {places}.")
    if not click.confirm(printable(f"{question} Send {calls} to {places}?"), default=False, err=True):
        fail("Nothing was sent.")


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return the values of ``--set``. The last value of a name wins."""
    given = {}
    for word in words:
        if not (pair := name_and_value(word)):
            raise click.UsageError(
                f"--set {word} is not NAME=VALUE. For {{{{page}}}} in the params, write --set page=2."
            )
        given[pair[0]] = pair[1]
    return given


def resolved(
    invocation: Invocation, explorer: Explorer, draft: Draft | Batch, given: Sequence[str], *, ask: bool, id: str = ""
) -> Draft | Batch:
    """Return the call with its variables replaced.

    End the command if one has no value. A call that is typed without ``--set`` stays unchanged: variables without a
    value are sent as typed.
    """
    values = values_of(given)
    is_saved = isinstance(draft, Draft) and draft.method.startswith(SIGN) and method_of(draft.method) == draft.method
    if isinstance(draft, Draft):
        draft = _saved(explorer, draft) if is_saved else replace(draft, method=method_of(draft.method))
    if not (is_saved or values):
        return draft
    from rpcexplorer.variables.resolve import Missing, used_in  # Few calls have variables.

    for name in values.keys() - {variable.name for variable in used_in(draft)}:
        invocation.world.warn(f"--set {name}=… has no effect: the params contain no {{{{{name}}}}}")
    found = explorer.resolved(draft, values, id=id)
    if isinstance(found, Missing) and ask and invocation.world.asks:
        found = explorer.resolved(draft, values | _asked(found.names), id=id)
    if isinstance(found, Missing):
        ways = " ".join(f"--set {name}=…" for name in found.names)
        if not ways:
            fail(found.sentence)
        fail(f"{found.sentence} Add {ways}, or set {joined_words(found.names)} in [variables] of sessions.toml.")
    return found


def _saved(explorer: Explorer, draft: Draft) -> Draft:
    name, calls = draft.method.removeprefix(SIGN), explorer.saved_calls()
    if name not in calls:
        fail(no_such_call(draft.method, calls, explorer.profile.name if explorer.profile else ""))
    if draft.text:
        fail(f"The saved call {draft.method} already has params. To set its variables, use --set NAME=VALUE.")
    return calls[name].draft(notification=draft.notification)


def _asked(names: Iterable[str]) -> dict[str, str]:
    """Ask for the variables. Enter alone gives no value."""
    values = {}
    for name in names:
        if value := ask(f"{{{{{name}}}}}"):
            values[name] = value
    return values


F = TypeVar("F")


class Sending(Struct, frozen=True):
    profile: str | None
    url: str | None
    auth: str | None
    form: Changes
    """Keys and values of the request's form; only with ``url``."""
    part: Part
    include: bool
    output: str | None
    dry_run: bool
    timeout: float | None
    id: str | None
    history: bool
    ask: bool
    yes: bool
    given: tuple[str, ...]
    """Values of ``--set``."""

    @classmethod
    def of(cls, options: dict[str, Any]) -> Sending:
        earlier = options.pop("envelope")
        response, body = options.pop("response") or earlier, options.pop("body")
        if response and body:
            raise click.UsageError("Use --response or --body, not both.")
        part: Part = "response" if response else "body" if body else "result"
        form = tuple((key, value) for key in FORM_OF_REQUEST if (value := options.pop(key)) is not None)
        return cls(part=part, form=form, **options)


def sending_options(command: F) -> F:
    options = [
        profile_option,
        click.option("--url", metavar="URL", help="Call this URL, without a profile."),
        server_after_options,
        click.option("--auth", type=AUTH, help=AUTH_HELP),
        click.option("--content-type", metavar="TYPE", help="Content type of the request (only with --url)."),
        click.option("--accept", metavar="TYPES", help="Accept header of the request (only with --url)."),
        click.option("--empty-params", metavar="[]|{}|omit",
                     help="How to send a call without params (only with --url)."),
        click.option("--response", is_flag=True, help="Print the whole response, not only its result."),
        click.option("--envelope", is_flag=True, hidden=True),  # Former name of --response.
        click.option("--body", is_flag=True, help="Print the body of the response, byte for byte."),
        click.option("-i", "--include", is_flag=True, help="Print the status line and headers first."),
        click.option("-o", "--output", metavar="FILE", help=FILE_HELP),
        click.option("--dry-run", is_flag=True, help="Print the exact request without secrets, and send nothing."),
        click.option("--timeout", type=seconds, metavar="SECONDS",
                     help="Timeout of the whole call, instead of the profile's timeout."),
        click.option("--id", metavar="ID", help="Use this id instead of a new one."),
        click.option("--no-history", "history", flag_value=False, default=True, help="Do not record the call."),
        no_input_option,
        click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation."),
        click.option("--set", "given", multiple=True, metavar="NAME=VALUE",
                     help="Set variable NAME. Other variables in the params must have a value, too."),
    ]  # fmt: skip
    for option in reversed(options):
        command = cast("Any", option)(command)
    return command


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("params", nargs=-1, shell_complete=complete_params)
@sending_options
@click.pass_context
def call(context: click.Context, /, method: str, params: tuple[str, ...], **options: Any) -> None:
    """Call METHOD and print its result.

    PARAMS is JSON text, @FILE, or - for stdin. Words such as name=text and name:=json make an object. METHOD can also
    be a saved call, @NAME, which has its own params. If the name of a method begins with @, write @@.

    \b
    Examples:
      rpcexplorer call ping
      rpcexplorer call -p staging user.list '{"page": 1}'
      rpcexplorer call user.list page:=1 name=Ada
      rpcexplorer call report.run @params.json | jq .total
      rpcexplorer call ping --url http://127.0.0.1:8000 --auth none
      rpcexplorer call @"list users" --set page=2
    """
    _call(context, method, params, options, notification=False)


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("params", nargs=-1, shell_complete=complete_params)
@sending_options
@click.pass_context
def notify(context: click.Context, /, method: str, params: tuple[str, ...], **options: Any) -> None:
    """Send METHOD as a notification.

    A notification has no id and gets no response.

    \b
    Examples:
      rpcexplorer notify cache.clear
      rpcexplorer notify log.write level=info text='all is well'
    """
    if options["id"] is not None:
        raise click.UsageError("A notification has no id. Remove --id, or use call.")
    if options["response"] or options["envelope"]:
        raise click.UsageError("A notification gets no response. Remove --response, or use call.")
    prints = options["include"] or options["body"] or options["dry_run"]
    if options["output"] is not None and not prints:
        raise click.UsageError("A notification gets no result to write. Remove --output, or use call.")
    _call(context, method, params, options, notification=True)


@click.command()
@click.argument("file", default="-", metavar="[FILE|-]")
@sending_options
@click.pass_context
def batch(context: click.Context, /, file: str, **options: Any) -> None:
    """Send several calls in one request.

    FILE, or stdin, contains a JSON array of objects with "method" and "params". An object with "id": null is a
    notification.

    \b
    Examples:
      rpcexplorer batch calls.json
      echo '[{"method": "ping"}, {"method": "user.list", "params": {"page": 1}}]' | rpcexplorer batch
    """
    invocation = invocation_of(context)
    text = params_text(["-"], invocation.world) if file == "-" else file_text(file.removeprefix("@"), invocation.world)
    context.exit(_send(invocation, Sending.of(options), Batch(text)))


def _call(
    context: click.Context, method: str, words: tuple[str, ...], options: dict[str, Any], *, notification: bool
) -> None:
    invocation = invocation_of(context)
    text = params_text(words, invocation.world)
    draft = Draft(method, text, notification, sources=sources_of(words, text))
    context.exit(_send(invocation, Sending.of(options), draft, words))


def _send(invocation: Invocation, sending: Sending, draft: Draft | Batch, words: Sequence[str] = ()) -> int:
    world = invocation.world
    out = Output(world, sending.output)
    if isinstance(draft, Batch) or not draft.notification:
        world.write(b"")  # If the result cannot be printed, nothing is sent.
    explorer = invocation.open(ask=sending.ask)
    invocation.use(explorer, sending.profile, sending.url, sending.auth, sending.form)
    explorer.journal.recording = explorer.journal.recording and sending.history
    draft = resolved(invocation, explorer, draft, sending.given, ask=sending.ask, id=sending.id or "")
    if sending.dry_run:
        code = show_preview(out.world, explorer.preview(draft, id=sending.id))
        mark(invocation, draft, words)
        out.write()
        return code
    profile = explorer.profile
    if profile and not sending.yes and (question := question_about(explorer, [draft], profile)):
        confirm(invocation, question, "the request", [profile], ask=sending.ask)
    stop = Stop()
    id, timeout = sending.id, sending.timeout

    async def send(watch: Waiting) -> tuple[Exchange, Checked, Checked]:
        exchange = await explorer.call(draft, id=id, timeout=timeout, watch=watch, stop=stop)
        params = await check_params(explorer, draft, exchange)
        return exchange, params, await explorer.check_result(exchange, quickly=True)

    with result_of(world, explorer, stop, send) as (exchange, params, result):
        show(out.world, exchange, sending.part, include=sending.include)
        warn_about_schemas(world, params, result, words)
        if (
            sending.part == "result"
            and exchange.response.body
            and exchange.outcome_name in {"unreached", "cancelled", "malformed"}
        ):
            size = counted(len(exchange.response.body), "byte")
            world.hint(f"To print the response body ({size}), add --body.")
        connection = explorer.connection_of(profile) if profile else None
        if connection is not None and connection.requests.note:
            world.say(connection.requests.note)
        advise(world, exchange, explorer)
        mark(invocation, draft, words)
        if explorer.journal.problem:
            world.warn(f"the call was not recorded: {explorer.journal.problem}")
        out.write(exchange, recorded=explorer.journal.recording and not explorer.journal.problem)
    return exchange.exit_code


async def check_params(explorer: Explorer, draft: Draft | Batch, exchange: Exchange) -> Checked:
    """Check the params of a call; of one that succeeded, names and types are enough."""
    if isinstance(draft, Batch) or not isinstance(draft.read(), Params):
        return Checked()
    quickly = not isinstance(exchange.outcome, ErrorObject)
    return await explorer.check_params(draft.method, draft.text or "[]", quickly=quickly)


def warn_about_schemas(world: World, params: Checked, result: Checked, words: Sequence[str]) -> None:
    """Print what does not match the schemas, and how to write the params instead."""
    if not params.problems and not result.problems:
        return
    from rpcexplorer.text.problems import params_remarks, result_remark  # Most calls have no problem.

    for remark in params_remarks(params.problems):
        world.warn(remark)
    first = next((problem for problem in params.problems if problem.fix), None)
    if first is not None and first.fix is not None:
        word = _as_json(first, words)
        world.hint(f"write {word}" if word else f"{first.fix.label}: {cut(first.fix.text, MAX_FIX_CHARACTERS)}")
    if remark := result_remark(result.problems):
        world.warn(remark)


def _as_json(problem: SchemaProblem, words: Sequence[str]) -> str:
    """Return ``name:=json`` for a word ``name=text`` that must not be a string."""
    for word in words:
        name, _, value = word.partition("=")
        if problem.keyword == "type" and problem.pointer == (name,):
            return shlex.quote(f"{name}:={value}")
    return ""


def mark(invocation: Invocation, draft: Draft | Batch, words: Sequence[str] = ()) -> None:
    """Show the typo in a text, and the text to write instead; ``words`` may name its file."""
    read, remark = judged(draft.text)
    if remark:
        invocation.world.warn(remark)
    if isinstance(read, Typo):
        from rpcexplorer.text.problems import marked

        if len(words) == 1 and words[0].startswith("@"):
            invocation.world.say(f"{words[0][1:]} does not contain JSON params:")
        invocation.world.stderr.write(f"{marked(draft.text, read)}\n")


def show(world: World, exchange: Exchange, part: Part = "result", *, include: bool = False) -> None:
    """Print an exchange: the result on stdout, messages on stderr."""
    for note in exchange.notes:
        world.say(note)
    if include and exchange.response.status is not None:
        _head(world, exchange)
    match exchange.outcome:
        case Result(text=text) if part == "result":
            print_json(world, text)
        case ErrorObject(value=value) if part == "result" and value.lstrip().startswith(b"["):
            print_json(world, value)  # Some calls of the batch failed, the others have results.
        case Malformed() if (
            part == "result" and exchange.kind == "batch" and exchange.response.body[:1] in {b"[", b"{"}
        ):
            print_json(world, exchange.response.body)  # Some calls of the batch got no response.
        case Result() | ErrorObject() if part == "response" and exchange.response.body:
            print_json(world, exchange.response.body)
        case _ if part != "result" and exchange.response.body:
            print_bytes(world, exchange.response.body)
    for remark in exchange.remarks:
        world.warn(remark)
    words = ""
    if exchange.kind == "batch":
        from rpcexplorer.model.batch import parts_of

        parts = parts_of(exchange)
        for line in failed_lines(parts):
            world.say(line)
        words = failed_count(parts) if parts.apart else ""
    if exchange.exit_code:
        show_failure(world, exchange, words)


def advise(world: World, exchange: Exchange, explorer: Explorer) -> None:
    """Print a hint for a failed call, with the commands to run."""
    profile = explorer.profile
    if exchange.exit_code == 0 or profile is None:
        return
    from rpcexplorer.client.hints import hint_for  # A call that succeeds needs no hint.

    hint = hint_for(exchange, profile, variables=explorer.credentials.from_environment(profile))
    # The sentence about a missing secret already names the command.
    if hint and (hint.tests or not isinstance(exchange.outcome, Refused) or exchange.outcome.rejected):
        world.hint("\n".join([hint.sentence, *hint.commands]))
    elif meant := explorer.meant_methods(exchange):
        world.hint(f"Did you mean {' or '.join(map(printable, meant))}?")


def show_preview(world: World, preview: Preview | Refused) -> int:
    if isinstance(preview, Refused):
        world.say(preview.sentence)
        return 3 if preview.why == "credentials" else 2
    if preview.logs_in_first:
        world.say("there is no session yet, so a login would be sent first")
    for label, value in preview.facts:
        world.say(f"{label}: {value}")
    lines = [*filter(None, [preview.line]), *(f"{name}: {value}" for name, value in preview.headers)]
    for line in [*lines, ""] if lines else []:
        world.print(printable(line))
    print_json(world, preview.body)
    for remark in preview.remarks:
        world.warn(remark)
    if preview.doubt:
        world.say(preview.doubt)
    return 2 if preview.doubt else 0


def _head(world: World, exchange: Exchange) -> None:
    response = exchange.response
    lines = [f"{response.version} {response.status} {response.reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in response.headers]
    for line in (*lines, ""):
        # Headers arrive as Latin-1, and a pipe gets the same bytes. Only secret references, which are ours, become
        # UTF-8.
        if world.shows:
            world.print(printable(line))
        else:
            world.write(SECRET_REFERENCE.sub("«\\1»".encode(), line.encode("latin-1", errors="replace")) + b"\n")


def show_failure(world: World, exchange: Exchange, words: str = "") -> None:
    """Print how a call failed; ``words`` replace the outcome."""
    outcome = f"{SIGNS[exchange.outcome_name]} {words}" if words else outcome_line(exchange)
    match exchange.outcome:
        case Refused(sentence=sentence):
            world.say(sentence)
            return
        case ErrorObject(data=data):
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
            if exchange.outcome.code is None and not exchange.outcome.value.startswith(b'"'):
                world.say(f"error object: {highlighted(exchange.outcome.value, colour=False)}")
            elif data is not None:
                world.say(f"data: {highlighted(data, colour=False)}")
        case Cancelled(maybe_ran=True):
            world.say("cancelled: the server may have run the call")
        case Cancelled():
            world.say("cancelled: the server did not run the call")
        case _:
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
    world.say(f"called {exchange.url}")


@click.command()
@profile_option
@url_after_option
@no_input_option
@click.pass_context
def login(context: click.Context, profile: str | None, ask: bool) -> None:
    """Open a new session and store it for the next calls.

    \b
    Examples:
      rpcexplorer login -p staging
      RPCEXPLORER_STAGING_PASSWORD=… rpcexplorer login -p staging --no-input
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    stop = Stop()
    with result_of(invocation.world, explorer, stop, lambda watch: explorer.login(watch=watch, stop=stop)) as exchange:
        show(invocation.world, exchange)
        advise(invocation.world, exchange, explorer)
    context.exit(exchange.exit_code)


@click.command()
@profile_option
@url_after_option
@click.pass_context
def logout(context: click.Context, profile: str | None) -> None:
    """Forget the stored session, without informing the server.

    \b
    Example:
      rpcexplorer logout -p staging
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    chosen = invocation.use(explorer, profile)
    had_session, problem = explorer.credentials.log_out(chosen)
    if problem:
        fail(problem)
    if not had_session and (broken := explorer.secrets.problem()):
        fail(str(broken))
    invocation.world.say(f"forgot the session of {chosen.name}" if had_session else f"{chosen.name} has no session")
