"""`methods` and `params`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from itertools import islice
from typing import Any

import click
from msgspec import UNSET, Raw, Struct
from msgspec.structs import astuple

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.cli.arguments import OneOf, params_text
from rpcexplorer.cli.completion import complete_methods, complete_params
from rpcexplorer.cli.output import Waiting, result_of
from rpcexplorer.cli.run import Run, auth_option, fail, no_input_option, profile_option, url_options, yes_option
from rpcexplorer.cli.world import World
from rpcexplorer.discovery.methods import Discovery, MethodChanges, parameters_of, result_kind, similar_methods
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import SIGN, Described, Method, SavedCall, SavedMethod, as_named, method_of
from rpcexplorer.model.problem import (
    PROGRAM,
    Checked,
    counted,
    joined_words,
    quoted,
)
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.schema.dialect import references_in
from rpcexplorer.schema.start import sendable_start, started, starting_point
from rpcexplorer.text.docs import change_row, changes_found, docs_page
from rpcexplorer.text.json_text import json_of, raw_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import marked, unchecked_words, warning

MAX_NAMED = 5
"""Methods of each kind that are named after a refresh."""


@click.command()
@click.argument("name", required=False, shell_complete=complete_methods)
@profile_option()
@url_options("Use this URL, without a profile.")
@auth_option
@click.option("--refresh", is_flag=True, help="Discover the methods again before listing them.")
@click.option("--changes", is_flag=True, help="Print the changes that the last refresh found.")
@click.option(
    "--compare", "sides", nargs=2, metavar="A B", help="Compare the methods of two profiles or files, B with A."
)
@click.option("--calls", is_flag=True, help="With --compare: send the saved calls of A to both, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the method list as JSON.")
@click.option("--export", type=OneOf(["openrpc"]), help="Print the methods as an OpenRPC document.")
@click.option("--from-history", is_flag=True, help="With --export: write the document from recorded calls.")
@no_input_option()
@yes_option()
@click.pass_obj
def methods(
    run: Run,
    /,
    name: str | None,
    refresh: bool,
    changes: bool,
    sides: tuple[str, str] | None,
    calls: bool,
    as_json: bool,
    export: str | None,
    from_history: bool,
) -> int:
    """List the methods, or describe one of them.

    The list contains the saved calls (with an @), then the methods from rpcexplorer, the profile, discovery and earlier
    calls. You can also call methods that are not in the list. --refresh saves the discovered methods for the profile.
    It is not an error if the service does not support discovery.

    --compare lists what B adds (+), removes (-) and changes (~), and ends with 6 if a change breaks calls: a method or
    param is gone, a param is new and required, or a type, a limit or the result changed.

    --export --from-history describes the methods that you called, if the server does not: names, types and errors that
    the history has.

    \b
    Examples:
      rpcexplorer methods
      rpcexplorer methods user.list
      rpcexplorer methods --refresh -p staging
      rpcexplorer methods --refresh --url http://127.0.0.1:8000/jsonrpc
      rpcexplorer methods --changes
      rpcexplorer methods --compare staging prod --refresh
      rpcexplorer methods --compare openrpc.json staging
      rpcexplorer methods --json | jq -r '.[].name'
      rpcexplorer methods --export openrpc > openrpc.json
      rpcexplorer methods --export openrpc --from-history > openrpc.json
    """
    if export and (name or changes or as_json):
        raise click.UsageError("--export prints the whole method list. Remove NAME, --changes and --json.")
    if changes and name:
        raise click.UsageError("--changes prints the changes of all methods. Remove NAME.")
    if sides:
        if name or changes or export or run.server.is_named:
            raise click.UsageError("--compare takes two names. Remove all but --refresh, --calls and --json.")
        return _compare(run, *sides, refresh=refresh, calls=calls, as_json=as_json)
    if calls:
        raise click.UsageError("--calls needs --compare A B.")
    if from_history:
        if not export or refresh:
            raise click.UsageError("--from-history needs --export openrpc, and asks no server. Remove --refresh.")
        _print_from_history(run)
        return 0
    profile, world = run.use(), run.world
    code = 0
    if refresh:
        code = _refresh(run, profile)
    else:
        run.explorer.read_description()
    if export:
        known = [*run.explorer.methods(called=False).values()]
        document = run.explorer.method_lists.openrpc(profile, known)
        world.print_json(document.removesuffix("\n").encode())
    elif changes:
        _print_changes(world, run.explorer.method_lists.changes(profile), as_json=as_json)
    elif name:
        _print_method(run, profile, known_method(run, name, refreshed=refresh), as_json=as_json)
    else:
        _print_list(run, profile, as_json=as_json)
        _explain_source(run, profile, refreshed=refresh)
    if run.explorer.method_lists.problem:
        world.say(run.explorer.method_lists.problem)
    return code


def _print_from_history(run: Run) -> None:
    from rpcexplorer.discovery.from_history import MAX_CALLS, document_of_calls
    from rpcexplorer.discovery.openrpc import openrpc_text

    profile, explorer = run.use(), run.explorer
    calls = islice(explorer.journal.all_calls(profile), MAX_CALLS)
    document = document_of_calls(profile, calls, explorer.methods(called=False), explorer.redactor().text)
    run.world.print_json(openrpc_text(document).removesuffix("\n").encode())


def _compare(run: Run, old: str, new: str, *, refresh: bool, calls: bool, as_json: bool) -> int:
    from rpcexplorer.cli.compare_methods import compare_methods, is_file, side_of

    sides = side_of(run, old), side_of(run, new)
    for side in sides:
        if refresh and not is_file(side) and (code := _refresh(run, run.explorer.use(side))):
            return code
    return compare_methods(run, *sides, calls=calls, as_json=as_json)


def known_method(run: Run, name: str, *, refreshed: bool = False) -> Method:
    """Return the method; end the command with similar names, and how to refresh the list, if unknown."""
    known = run.explorer.listed_methods()
    if name not in known:
        sentence = f"There is no method {printable(name)} in the list."
        if near := similar_methods(name, known):
            sentence += f" Did you mean {' or '.join(map(printable, near))}?"
        profile, options = run.explorer.profile, run.server.options
        if profile and profile.ad_hoc and not refreshed:
            command = f"{PROGRAM} methods {quoted(name)} --refresh{options}"
            sentence += f" Without a profile, the list is not saved. To discover its methods, run:\n{command}"
        elif not refreshed:
            sentence += f" To refresh the list, run:\n{PROGRAM} methods --refresh{options}"
        fail(sentence)
    return known[name]


def _explain_source(run: Run, profile: Profile, *, refreshed: bool) -> None:
    """Print which part of the method list does not come from the server."""
    world, known = run.world, run.explorer.listed_methods()
    learned, options = run.explorer.method_lists.learned(profile), run.server.options
    if assumed := [method.name for method in known.values() if method.source == "service"]:
        world.say(f"Assumed, not listed by the server: {joined_words(assumed)}")
    if refreshed and learned and profile.ad_hoc:
        world.hint(
            f"Without a profile, the list is not saved. To save it, add a profile and refresh its list:\n"
            f"{PROGRAM} profiles add NAME{options}\n{PROGRAM} methods --refresh -p NAME"
        )
    if refreshed or learned or profile.discovery == "none":
        return
    state = "This method list does not come from the server." if known else "The method list is empty."
    world.hint(f"{state} To discover methods, run:\n{PROGRAM} methods --refresh{options}")


TESTED_FOR = frozenset({0, 4, 5})
"""Exit codes of a discovery without methods for which a connection test helps."""


def _refresh(run: Run, profile: Profile) -> int:
    """Discover the methods, print what is new, and return the exit code."""
    world, explorer = run.world, run.explorer

    def discover(watch: Waiting) -> Awaitable[Discovery]:
        return explorer.discover(watch=watch, stop=run.stop, tell=watch.on_step)

    with result_of(run, discover) as discovery:
        for sentence in discovery.sentences:
            world.say(sentence)
        for word, names in (("new", discovery.new), ("gone", discovery.gone)):
            if names:
                world.say(f"{word}: {joined_words(map(printable, names), MAX_NAMED)}")
        changed = [change for change in discovery.changed if change.kind == "changed"]
        for change in changed[:MAX_NAMED]:
            world.say(f"changed: {printable(change.line)}")
        if len(changed) > MAX_NAMED:
            more = counted(len(changed) - MAX_NAMED, "more method")
            world.say(f"changed: {more}. To list all changes, run:\n{PROGRAM} methods --changes")
    if discovery.found:
        return discovery.exit_code
    if isinstance(profile.discovery, DocumentSource):
        return 2 if profile.discovery.file else discovery.exit_code  # The sentence says what is wrong with the file.
    if profile.discovery != "none" and discovery.exit_code in TESTED_FOR:
        from rpcexplorer.client.hints import connection_test  # Only a failure needs it.

        world.hint(f"To test the connection, run:\n{connection_test(profile)}")
    return discovery.exit_code


def _print_changes(world: World, found: MethodChanges | None, *, as_json: bool) -> None:
    """Print the changes of the last refresh that found any."""
    world.say(changes_found(found) if found else "No refresh has found changes yet.")
    changes = found.methods if found else ()
    if as_json:
        world.print_json(json_of([change_row(change) for change in changes]))
        return
    for change in changes:
        world.print(f"{change.kind:<7}  {printable(change.line)}")


def _print_list(run: Run, profile: Profile, *, as_json: bool) -> None:
    known = [*run.explorer.listed_methods().values()]
    if as_json:
        run.world.print_json(json_of(_rows(run.explorer, profile, known)))
        return
    rows = []
    for method in known:
        mark = "!" if method.safe is False else " "
        rows.append((method.name, f"{mark} {method.auth or '':<6}", method.doc))
    run.world.print_columns(rows)


def _print_method(run: Run, profile: Profile, method: Method, *, as_json: bool) -> None:
    """Print the docs of a method, or of the method of a saved call."""
    world, explorer = run.world, run.explorer
    if as_json:
        world.print_json(json_of(_rows(explorer, profile, [method], whole=True)))
        return
    if isinstance(method, SavedMethod):
        world.print(f"  {printable(method.name)} is a saved call: {printable(method.doc)}")
        world.print()
        method = explorer.listed_methods().get(as_named(method.calls)) or Method(method.calls, source="saved")
    learned = explorer.method_lists.learned(profile)
    described = explorer.described(method_of(method.name))
    asked = learned.when if learned else None
    for line in docs_page(method, described, asked, profile, width=world.width).rows:
        world.print("".join(text for text, _ in line).rstrip())


UNDESCRIBED = Described()


def _rows(
    explorer: Explorer, profile: Profile, methods: Iterable[Method], *, whole: bool = False
) -> list[dict[str, Any]]:
    """Return the fields of each method for ``--json``; ``whole`` adds the definitions.

    ``learned`` is the time of discovery, ``start`` the params to start from. ``calls`` is the method of a saved call.
    """
    learned, rows = explorer.method_lists.learned(profile), []
    when = learned.when.isoformat(timespec="seconds") if learned else None
    for method in methods:
        if isinstance(method, SavedMethod):
            call = _saved_call(explorer, method)
            own = {"doc": call.doc, "start": Raw((call.text or "[]").encode()), "learned": None}
            rows.append(_facts(method, UNDESCRIBED) | own)
            continue
        name = method_of(method.name)
        full = explorer.method_lists.described(profile, name)
        if full:
            full = auth_of(profile).offered_in_full(method, full)
        start = bytes(raw_of(starting_point(method, full))).decode()
        row = _facts(method, full or UNDESCRIBED) | {"start": Raw(sendable_start(profile, name, start).encode())}
        if whole:
            row["definitions"] = _definitions(full) if full else {}
        rows.append(row | {"learned": when if method.protocol else None})
    return rows


def _saved_call(explorer: Explorer, method: SavedMethod) -> SavedCall:
    return explorer.saved_calls()[method.name.removeprefix(SIGN)]


def _facts(method: Method, full: Described) -> dict[str, Any]:
    line = dict(zip(method.__struct_encode_fields__, astuple(method), strict=True))
    return {
        **{key: value for key, value in line.items() if key not in {"required", "has_docs", "is_check"}},
        "params": raw_of(method.params),
        "parameters": _parameters(full),
        "details": full.details,
        "result": result_kind(full) if full.result is UNSET else raw_of(full.result),
        "errors": [_values(error) for error in full.errors],
        "examples": [_values(example) for example in full.examples],
        "tags": full.tags,
    }


def _parameters(full: Described) -> list[dict[str, Any]]:
    rows = []
    for param, line in zip(full.params, parameters_of(full), strict=True):
        schema = None if param.schema is True else raw_of(param.schema)
        row = line._asdict() | {"default": raw_of(line.default), "example": raw_of(line.example), "schema": schema}
        rows.append(row | {"deprecated": param.deprecated})
    return rows


def _values(struct: Struct) -> dict[str, Any]:
    values = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return {name: raw_of(value) for name, value in values.items() if value is not UNSET}


def _definitions(full: Described) -> Mapping[str, Raw]:
    """Return all schemas that the method refers to, directly or not."""
    found: dict[str, Raw] = {}
    rest = [*(param.schema for param in full.params), full.result]
    while rest:
        for reference in sorted(references_in(rest.pop())):
            if reference not in found and (schema := full.definitions.get(reference)) is not None:
                found[reference] = raw_of(schema)
                rest.append(schema)
    return found


HAS_PROBLEMS = 2
"""Exit code if the params do not match the schema."""


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("given", nargs=-1, metavar="[PARAMS|@FILE|-]", shell_complete=complete_params)
@profile_option()
@url_options(hidden=True)
@click.option("--check", is_flag=True, help="Check these params against the schema of METHOD.")
@no_input_option()
@click.pass_obj
def params(run: Run, method: str, given: tuple[str, ...], check: bool) -> int:
    """Print JSON params that METHOD accepts.

    --check compares params with the schema of METHOD. It prints each problem with the values that are allowed there,
    and exits with code 2. Write the params as in rpcexplorer call. Nothing is sent: the schema is in the method list.

    \b
    Examples:
      rpcexplorer params user.list
      rpcexplorer params user.list > params.json
      rpcexplorer params user.list --check @params.json
      rpcexplorer params user.list --check page:=1
    """
    if given and not check:
        raise click.UsageError("To check these params, add --check. To print params for METHOD, remove them.")
    profile = run.use()
    run.explorer.read_description()
    known = known_method(run, method)
    text = params_text(given, run.world, lambda: run.explorer.described(method))
    code = _check(run, known, text) if check else _print_start(run, profile, known)
    if run.explorer.method_lists.problem:
        run.world.say(run.explorer.method_lists.problem)
    return code


def _print_start(run: Run, profile: Profile, method: Method) -> int:
    """Print the params to start from."""
    if isinstance(method, SavedMethod):
        run.world.print_json((_saved_call(run.explorer, method).text or "[]").encode())
        return 0
    name = method_of(method.name)
    start = started(method, run.explorer.described(name))
    text = "[]" if start.value is None else bytes(raw_of(start.value)).decode()
    run.world.print_json(sendable_start(profile, name, text).encode())
    if start.why_not:
        run.world.warn(f"these params are not valid yet: {start.why_not}")
    return 0


def _check(run: Run, method: Method, text: str) -> int:
    """Print what the schema does not allow in the params; return the exit code."""
    world, name = run.world, method_of(method.name)
    if isinstance(method, SavedMethod):
        name, text = method.calls, text or _saved_call(run.explorer, method).text
    read = Draft(name, text).read()
    if isinstance(read, Typo):
        world.say(f"these params cannot be sent: {read}")
        world.stderr.write(f"{marked(text, read)}\n")
        return HAS_PROBLEMS

    async def check() -> Checked:
        async with run.explorer as explorer:
            return await explorer.check_params(name, text)

    found = asyncio.run(check())
    for at, problem in enumerate(found.problems):
        world.say(warning(problem, at, len(found.problems)))
    if unchecked := unchecked_words(found):
        world.say(unchecked)
    elif found.is_right:
        world.say("no problems: the params match the schema")
    return HAS_PROBLEMS if found.problems else 0
