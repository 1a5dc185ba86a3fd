"""A call on its way to another profile: where to, and what stands in the editor there. Nothing is sent."""

from __future__ import annotations

from typing import Final

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.secret import of_another, without
from rpcexplorer.tui.call.drafting import DraftScreen
from rpcexplorer.tui.call.sending import SendingScreen
from rpcexplorer.tui.commands import COMMANDS

NOTHING: Final = frozenset({"", "[]", "{}"})
"""Params that nobody misses."""
WORDS: Final = next(each.words for each in COMMANDS if each.id == "replaced-params")
"""What brings back params is called."""
NOTIFY: Final = next(each.words for each in COMMANDS if each.id == "send-notification")
"""What sends the call in the editor without an id is called."""


async def carry(calls: SendingScreen, draft: Draft, profile: str) -> None:
    """Use a profile and put a call into its editor; undo brings back the params that stood there.

    What stands in it for a secret of that profile is left out: it could not be sent where it comes from, so nobody has
    meant it, and whoever wrote it may have wanted it to be sent here.
    """
    explorer = calls.explorer
    if explorer.profile is None or explorer.profile.name != profile:
        await calls.settle()
        explorer.use(profile)
        explorer.remembered.profile = profile
        calls.show_profile()
    calls.choose_method(draft.method)
    before, text = calls.params.text, without(draft.text, profile)
    is_kept = put_in(calls, text)
    _show(calls)
    said = [f"{draft.method} stands on {profile} now. Nothing was sent."]
    if before != text and before.strip() not in NOTHING:
        said.append(f"{calls.key('params.undo')} brings back the params that stood there.")
    if is_kept:
        said.append(f"Later that is “{WORDS}” in the palette.")
    if draft.text != text:
        said.append(f"What stood for a secret of {profile} in it was left out.")
    elif mark := of_another(text, profile):
        said.append(f"{mark} is not sent with {profile}: write the value for it.")
    if draft.notification:
        said.append(as_call(calls, draft.method))
    calls.tell(" ".join(said))


def as_call(calls: DraftScreen, method: str) -> str:
    """What the editor does not keep of a notification."""
    send = calls.key("send") or "The palette"
    return f"{method} was a notification. {send} sends it as a call, with an id; “{NOTIFY}” in the palette without one."


def put_in(calls: DraftScreen, text: str, *, recorded: bool = False) -> bool:
    """Let a text take the place of what stands in the editor; whether that is a draft, which can be had back then."""
    explorer, draft = calls.explorer, calls.draft
    assert explorer.profile is not None
    is_draft = draft.text != text and _is_missed(calls)
    if is_draft:
        replaced, secrets = explorer.replaced, explorer.credentials.in_use()
        _tell(calls, replaced.keep(explorer.profile, calls.method, draft.text, secrets))
    if recorded:
        explorer.replaced.recorded[explorer.profile.name, calls.method] = text
    calls.params.replace(text)
    return is_draft


def bring_back(calls: DraftScreen) -> None:
    """Put the params back that were replaced last; those that stand there can be had back in turn."""
    explorer, draft = calls.explorer, calls.draft
    assert explorer.profile is not None
    now = draft.text if _is_missed(calls) else ""
    text, trouble = explorer.replaced.bring_back(explorer.profile, calls.method, now, explorer.credentials.in_use())
    calls.params.replace(text)
    _show(calls)
    _tell(calls, trouble)


def _tell(calls: DraftScreen, trouble: str) -> None:
    if trouble:
        calls.tell(f"{trouble[0].upper()}{trouble[1:]}.")


def _is_missed(calls: DraftScreen) -> bool:
    """Whether somebody typed what stands in the editor: it is something, and neither its start nor in the history."""
    draft, drafts = calls.draft, calls.explorer.drafts
    profile = calls.explorer.profile.name if calls.explorer.profile else ""
    if draft.text.strip() in NOTHING or drafts.is_start(profile, calls.method, draft.text):
        return False
    return calls.explorer.replaced.recorded.get((profile, calls.method)) != draft.text


def _show(calls: DraftScreen) -> None:
    calls.cover("")
    calls.params.show_tab("Params")
    calls.params.focus_inside()
