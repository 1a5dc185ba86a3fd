"""The commands of the screen: ids, keys, labels, help, scopes, and what they need.

Bindings, footer, help, palette, keymap and the manual's table of keys are made from this table.
A command belongs to a scope: the app, a screen or a pane. The class of that name has ``scope``, the action, and
``has``, which knows whether a state holds that a command needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from rpcexplorer.model.problem import Problem, cut, nearest

Scope = Literal[
    "everywhere",
    "call",
    "methods",
    "recent",
    "params",
    "docs",
    "response",
    "table",
    "history",
    "batch",
    "form",
    "comparison",
    "replay",
    "checks",
    "statistics",
    "events",
    "profiles",
    "manual",
    "lists",
]
"""The app, screen or pane in which a command works."""
SCOPES: Final[Mapping[Scope, str]] = {scope: scope.capitalize() for scope in get_args(Scope)} | {
    "call": "Calling",
    "recent": "Recent calls",
    "lists": "Lists and texts",
}
"""The title of each scope, in the order of the lists of keys."""


class Command(Struct, frozen=True):
    """A command that the user can run."""

    id: str
    """Stable, as ``settings.toml`` uses it to assign other keys."""
    keys: str
    """Comma-separated names of Textual; empty if only the palette has it."""
    words: str
    """The label in footer and palette."""
    help: str
    """One imperative sentence of at most 60 characters."""
    needs: str = ""
    """The states that must hold, separated by blanks. The first that does not says why not."""
    footer: Literal["", "shown", "stays", "first"] = ""
    """The footer shows it while it is possible, also in little room (``stays``), or before its pane's others."""
    opens_line: bool = False
    """It opens an input line, which must take the next letters, however fast they are typed."""
    synonyms: str = ""
    """More search words for the palette."""
    scope: Scope = "everywhere"

    @property
    def action(self) -> str:
        """The name of its action: ``fold.all`` runs ``action_fold_all``."""
        return self.id.removeprefix(f"{self.scope}.").replace(".", "_").replace("-", "_")


def _in(scope: Scope, *commands: Command) -> tuple[Command, ...]:
    return tuple(replace(command, scope=scope) for command in commands)


AGAIN: Final = "again repeat resend replay rerun retry run execute call"
EXPORT: Final = "export curl httpie python markdown snippet share clipboard ticket save"
REPORT: Final = f"{EXPORT} bug issue report"
ANOTHER_SERVER: Final = "server url address new open connect service host profile"
ELSEWHERE: Final = "carry move switch copy transfer server environment staging prod elsewhere"
BACK: Final = "back"
"""The label of the command that leaves a screen."""
REPORT_HELP: Final = "Copy a report of this call as Markdown."
COMPARE: Final = "diff difference versus against changed before"
# A table: a command has a line, and its details the next ones.
# fmt: off
COMMANDS: Final[tuple[Command, ...]] = (
    *_in("call",
        Command("send", "f5,ctrl+enter", "send", "Send the call in the editor.",
                needs="editing", footer="stays", synonyms=AGAIN),
        Command("cancel", "escape", "cancel", "Cancel the running call, or close the open panel.",
                needs="running", footer="first"),
        Command("close-panel", "q", "close panel", "Close the docs, or show all panes again.",
                needs="panel", footer="stays"),
        Command("send-notification", "", "send notification",
                "Send the call as a notification, which gets no response."),
        Command("focus.methods", "f2", "methods", "Go to the method list.", footer="shown"),
        Command("focus.params", "f3", "params", "Go to the params editor."),
        Command("focus.response", "f4", "response", "Go to the response."),
    ),
    *_in("everywhere",
        Command("history", "f6", "history", "Read, load and resend recorded calls.",
                needs="closed-history history", footer="shown", synonyms="compare diff log past calls export case"),
        Command("profiles", "f7", "profiles", "Choose, add and edit profiles, and enter their secrets.",
                needs="closed-profiles profiles", footer="shown",
                synonyms="add new server host url edit timeout headers certificate preset environment"),
        Command("add-profile", "", "add server", "Add a profile for the URL of another server.",
                needs="home", synonyms=ANOTHER_SERVER),
    ),
    *_in("call",
        Command("login", "f8", "log in", "Log in and open a new session.",
                needs="profile", footer="shown", synonyms="token password secret credentials session auth sign in"),
        Command("new-session", "", "switch user", "Enter another user name and password, or a session id.",
                needs="profile secrets",
                synonyms="user account switch credentials username session cookie paste log in as another user"),
        Command("logout", "", "log out", "Forget the session without informing the server.", needs="idle sessions"),
        Command("discover", "f9", "discover", "Discover the methods of the server.",
                footer="shown", synonyms="reload refresh update methods list openrpc schema swagger introspect"),
        Command("answer", "", "answer", "Answer the oldest request of the server.",
                needs="request", synonyms="reply elicitation form accept decline question"),
        Command("events", "alt+v", "events", "Read what the server sends unasked, and answer its requests.",
                needs="events", footer="stays",
                synonyms="notifications subscriptions stream log requests answer stderr websocket"),
        Command("connect", "alt+c", "open/close", "Open or close the connection of this profile.",
                needs="connection", footer="shown",
                synonyms="connect disconnect connection reconnect process start stop end websocket socket stdio"),
        Command("copy", "f10", "copy as …", "Copy the call or its response in one of several forms.", synonyms=EXPORT),
        Command("to-profile", "ctrl+n", "switch profile", "Load this call with another profile without sending it.",
                needs="method", synonyms=ELSEWHERE),
        Command("replaced-params", "", "restore draft", "Restore the draft that another call replaced.",
                needs="replaced", synonyms="previous params undo bring back recover lost older replaced"),
        Command("apply-hint", "ctrl+r", "apply hint", "Apply the hint and resend the call, after confirmation.",
                needs="idle hint", footer="first",
                synonyms="fix suggestion advice repair content type auth redirect address"),
        Command("test", "alt+t", "test connection", "Test the connection and suggest settings.",
                needs="idle", synonyms="test the address doctor diagnose check ping reach probe"),
        Command("compare-profiles", "alt+d", "compare profiles", "Send this call to several profiles and compare.",
                synonyms=COMPARE + " servers environments staging prod"),
        Command("wider", "alt+right", "widen list", "Make the method list wider.", synonyms="wider room width"),
        Command("narrower", "alt+left", "narrow list", "Make the method list narrower.",
                synonyms="narrower room width"),
        Command("taller", "alt+down", "enlarge editor", "Make the params editor taller.",
                needs="stacked", synonyms="taller room height"),
        Command("shorter", "alt+up", "shrink editor", "Make the params editor shorter.",
                needs="stacked", synonyms="shorter room height"),
        Command("side-by-side", "alt+s", "switch layout", "Show the response next to the params, or below them.",
                synonyms="side by beside right columns wide"),
        Command("add-to-batch", "alt+p", "add to batch", "Add the draft to the batch, or update it there.",
                needs="method", synonyms="collect several calls one body array"),
        Command("batch", "alt+l", "open batch", "Edit, reorder and send the calls of the batch.",
                synonyms="several calls array list the collected one body"),
        Command("keep-call", "alt+k", "save call", "Save this call under a name, or change the saved call.",
                synonyms="keep bookmark favourite favorite collection template snippet team share remove rename edit"),
        Command("run-checks", "alt+r", "run checks", "Run all checks of the profile and show what failed.",
                synonyms="test tests assert verify expect ci all saved calls"),
        Command("generate-checks", "", "generate checks", "Send calls made from the schema of this method.",
                needs="method", synonyms="fuzz schema property test invalid params random hypothesis schemathesis"),
        Command("import", "alt+i", "import calls", "Import calls (curl, HAR, Postman) or servers (mcp.json).",
                synonyms="curl har postman collection paste load open file browser devtools"),
        Command("docs", "alt+m", "read docs", "Go to the docs of the method, or close them.",
                footer="shown", synonyms="documentation manual help describe schema params result errors examples"),
        Command("changes", "alt+n", "show changes", "Show the methods that the last refresh found changed.",
                synonyms="discover refresh difference new gone schema news what changed"),
        Command("compare-methods", "", "compare methods", "Compare the methods with those of another profile.",
                synonyms="difference breaking schema servers staging prod changes new gone"),
        Command("form", "alt+e", "open form", "Edit the params field by field in a form.",
                footer="shown", synonyms="fields schema edit fill inputs wizard"),
        Command("mark-safe", "alt+u", "mark safe", "Switch this method between safe and unsafe.",
                needs="named", synonyms="safe unsafe harmless read-only confirm question ask"),
    ),
    *_in("methods",
        Command("methods.pin", "ctrl+t", "pin", "Pin this method to the top of the list, or unpin it.",
                needs="listed", footer="shown"),
        Command("methods.unfold", "right", "unfold", "Unfold this group of methods.", needs="tree"),
        Command("methods.fold", "left", "fold", "Fold this group, or go from a method to its group.", needs="tree"),
        Command("methods.clear", "escape", "clear filter", "Clear the filter of the method list.", needs="typed"),
    ),
    *_in("recent",
        Command("recent.copy", "y", "copy", "Copy this call in one of several forms.",
                needs="row", footer="shown", synonyms=EXPORT),
        Command("recent.again", "f5,ctrl+enter", "resend", "Load this call and resend it.",
                needs="row", footer="shown", synonyms=AGAIN),
        Command("recent.ticket", "M", "copy report", "Copy a report of this recent call as Markdown.",
                needs="row", synonyms=REPORT),
    ),
    *_in("params",
        Command("params.fix", "ctrl+r", "fix", "Apply the fix that is offered for the params.",
                needs="editor fix", footer="shown"),
        Command("params.format", "ctrl+l", "format", "Format the params, one member per line.",
                needs="editor json", footer="shown"),
        Command("params.editor", "ctrl+g", "$EDITOR", "Edit the params in your own editor.", needs="editor"),
        Command("params.tab-next", "ctrl+o", "request", "Switch between the params and the request preview.",
                footer="shown"),
        Command("params.form-next", "right_square_bracket", "next form", "Show the request as HTTP, curl or Python.",
                needs="preview", footer="shown", synonyms="snippet code"),
        Command("params.undo", "ctrl+z", "undo", "Undo the last change of the params.",
                needs="editor undo", synonyms="revert back"),
        Command("params.redo", "ctrl+y", "redo", "Redo the change that was undone.",
                needs="editor redo", synonyms="again"),
        Command("params.reset", "", "reset params", "Reset the params to the last call, or to an example.",
                synonyms="clear default example template new afresh"),
        Command("params.problem-next", "f12", "next problem", "Go to the problem or the next warning in the params.",
                needs="editor problem", synonyms="error warning schema mistake typo place"),
        Command("params.complete", "ctrl+@", "complete", "List names and values that fit at the cursor.",
                needs="editor", synonyms="completion suggest autocomplete names values enum"),
    ),
    *_in("docs",
        Command("docs.next", "n", "next example", "Go to the next example.", needs="examples", footer="first"),
        Command("docs.previous", "N", "previous example", "Go to the previous example.", needs="examples"),
        Command("docs.take", "enter", "load", "Load the example under the cursor into the editor.",
                needs="examples", footer="first", synonyms="into editor use insert"),
    ),
    *_in("response",
        Command("response.search", "slash", "search", "Search in the response.",
                needs="response lines", footer="shown", opens_line=True),
        Command("response.next", "n", "next", "Go to the next match.", needs="response lines matches"),
        Command("response.previous", "N", "previous", "Go to the previous match.",
                needs="response lines matches"),
        Command("response.filter", "f", "filter", "Filter the response with a jq expression.",
                needs="response result", footer="shown", opens_line=True),
        Command("response.pipe", "vertical_line", "pipe", "Run a shell command on the response.",
                needs="response result", opens_line=True, synonyms="save export write file jq grep shell"),
        Command("response.original", "o", "original", "Show the response as the server sent it.",
                needs="filtered", footer="first"),
        Command("response.fold", "space,enter", "fold", "Fold or unfold the value under the cursor.",
                needs="response lines"),
        Command("response.fold-all", "minus", "fold all", "Fold all values below the top level.",
                needs="response lines"),
        Command("response.unfold-all", "plus,equals_sign", "unfold all", "Unfold all values.",
                needs="response lines"),
        Command("response.fold-to", "1,2,3,4,5,6,7,8,9", "set depth", "Unfold this many levels and fold the rest.",
                needs="response lines", synonyms="fold unfold levels"),
        Command("response.goto", "colon", "go to line", "Go to a line by its number.",
                needs="response lines", opens_line=True),
        Command("response.wrap", "w", "wrap", "Wrap long lines, or cut them.", needs="response lines"),
        Command("response.table", "t", "table", "Switch a list of objects between table and JSON.",
                needs="response result", footer="shown"),
        Command("response.copy", "y", "copy", "Copy the value, its path, the response or the call.",
                needs="response", footer="shown"),
        Command("response.copy-value", "c", "copy value", "Copy the value under the cursor.",
                needs="response value"),
        Command("response.copy-path", "p", "copy path", "Copy the path of the value under the cursor.",
                needs="response value"),
        Command("response.save", "S", "save", "Save the shown text to a file of your choice.", needs="response shown"),
        Command("response.zoom", "z", "zoom", "Show only the response, or show all panes again."),
        Command("response.compare", "d", "compare", "Compare this response with the previous one of this call.",
                needs="response", footer="shown", synonyms=COMPARE),
        Command("response.use", "u", "use value", "Use the value under the cursor in params of another call.",
                needs="response result-value", synonyms="last reference placeholder chain pass extract variable"),
        Command("response.expect", "e", "expect this", "Make a part of this response a check of the saved call.",
                needs="response", synonyms="check test assert verify expectation schema"),
        Command("response.tab-next", "right_square_bracket", "next tab",
                "Show the next tab: Result, Text, Raw, Headers, Timing."),
        Command("response.tab-previous", "left_square_bracket", "previous tab", "Show the previous tab."),
        Command("response.ticket", "M", "copy report", REPORT_HELP, needs="response", synonyms=REPORT),
    ),
    *_in("table",
        Command("table.sort", "s", "sort",
                "Sort by this column, or reverse its order.", needs="table", footer="shown"),
    ),
    *_in("history",
        Command("history.load", "enter", "load", "Load this call into the editor.",
                needs="row readable call", footer="stays"),
        Command("history.again", "f5,ctrl+enter", "resend", "Load this call and resend it.",
                needs="row readable call own", footer="stays", synonyms=AGAIN),
        Command("history.compare", "d", "compare", "Compare with the marked response, or with the previous one.",
                needs="row readable call", footer="stays", synonyms=COMPARE),
        Command("history.mark", "m", "mark", "Mark or unmark this call to compare, replay or export it.",
                needs="row readable call", footer="stays", synonyms="select tag choose several"),
        Command("history.replay", "alt+r", "replay", "Replay the marked calls, or this one, and compare.",
                needs="calls", footer="shown", synonyms=AGAIN + " reproduce compare case"),
        Command("history.export", "x", "export", "Export the calls to a case, a file that others can replay.",
                needs="calls", footer="shown", synonyms="case save file hand on share attach send"),
        Command("history.to-profile", "ctrl+n", "switch profile",
                "Load this call with another profile without sending it.",
                needs="row readable call single", synonyms=ELSEWHERE),
        Command("history.search", "slash", "filter", "Filter the calls by text, method or outcome.",
                needs="list", footer="shown", opens_line=True),
        Command("history.scope", "p", "all profiles", "Show the calls of all profiles, or of this one.",
                needs="scoped"),
        Command("history.tab-next", "right_square_bracket", "next tab",
                "Show the next tab: Response, Headers, Request, Note."),
        Command("history.tab-previous", "left_square_bracket", "previous tab", "Show the previous tab."),
        Command("history.name", "t", "name", "Give this call a name.", needs="row readable written", footer="shown"),
        Command("history.annotate", "a", "note", "Write a note about this call.",
                needs="row readable written", footer="shown"),
        Command("history.copy", "y,f10", "copy", "Copy this call in one of several forms.",
                needs="row readable", footer="shown", synonyms=EXPORT),
        Command("history.save", "S", "save", "Save the message of this event to a file.",
                needs="row readable event", footer="shown"),
        Command("history.delete", "delete", "delete", "Delete this call from the history, after confirmation.",
                needs="row written", footer="shown"),
        Command("history.keep-call", "alt+k", "save call", "Save this call in your user file or the project file.",
                needs="row readable call single profile",
                synonyms="keep bookmark favourite favorite collection template"),
        Command("history.close", "escape,q", BACK, "Go back to the call.", footer="stays"),
        Command("history.ticket", "M", "copy report", REPORT_HELP, needs="row readable call", synonyms=REPORT),
        Command("history.statistics", "s", "show statistics", "Show counts, failures and durations of these calls.",
                needs="recorded", synonyms="stats latency duration percentile chart count slow errors"),
    ),
    *_in("comparison",
        Command("comparison.next", "n", "next", "Go to the next difference.",
                needs="compared differences", footer="shown", synonyms="change down"),
        Command("comparison.previous", "N", "previous", "Go to the previous difference.",
                needs="compared differences", footer="shown", synonyms="change up"),
        Command("comparison.fold", "space,enter", "unfold", "Unfold the lines here.",
                needs="fold", footer="shown"),
        Command("comparison.unfold-all", "plus,equals_sign", "unfold all", "Show all equal lines.",
                needs="compared folded"),
        Command("comparison.fold-all", "minus", "fold all", "Fold all equal lines.", needs="unfolded"),
        Command("comparison.ignored", "i", "ignored", "Compare ignored values too, or ignore them again.",
                needs="compared ignored", footer="shown", synonyms="left out hidden pointers"),
        Command("comparison.ticket", "M", "report", "Copy a report of both calls and their differences.",
                needs="compared", footer="shown", synonyms=EXPORT),
        Command("comparison.export", "x", "export", "Export both calls to a case, a file that others can replay.",
                footer="shown", synonyms=EXPORT),
        Command("comparison.close", "escape,q", BACK, "Stop the comparison, or go back.", footer="stays"),
    ),
    *_in("replay",
        Command("replay.open", "enter", "compare", "Compare this response with the recorded one.",
                needs="responded", footer="shown"),
        Command("replay.stop", "escape,q", BACK, "Stop sending calls, or go back.",
                footer="stays", synonyms="stop cancel"),
    ),
    *_in("checks",
        Command("checks.open", "enter", "open", "Open this check in the editor, with its response.",
                needs="idle", footer="shown"),
        Command("checks.stop", "escape,q", BACK, "Stop the checks, or go back to the call.",
                footer="shown", synonyms="stop cancel"),
    ),
    *_in("statistics",
        Command("statistics.open", "enter", "show calls", "Show the calls of this row in the history.",
                needs="figures", footer="shown"),
        Command("statistics.sort", "s", "sort", "Sort by number of calls, by failures or by duration.",
                footer="shown", synonyms="order rank slow errors"),
        Command("statistics.tab-next", "right_square_bracket", "next tab",
                "Show the next tab: Methods, Profiles, Codes."),
        Command("statistics.tab-previous", "left_square_bracket", "previous tab", "Show the previous tab."),
        Command("statistics.close", "escape,q", BACK, "Go back to the history.", footer="shown"),
    ),
    *_in("events",
        Command("events.answer", "a", "answer", "Answer this request of the server, or the oldest that waits.",
                needs="request", footer="stays", synonyms="reply refuse result error request"),
        Command("events.follow", "space", "pause/follow", "Stay at this event, or follow the newest.",
                needs="received", footer="shown", synonyms="stop freeze tail scroll lock newest"),
        Command("events.search", "slash", "filter", "Filter the events by text or method.",
                needs="list", footer="shown", opens_line=True),
        Command("events.copy", "y,f10", "copy",
                "Copy this message.", needs="message", footer="shown", synonyms=EXPORT),
        Command("events.save", "S", "save", "Save this message to a file of your choice.",
                needs="message", footer="shown"),
        Command("events.stderr", "e", "stderr", "Show the last lines that the process wrote to its stderr.",
                needs="stderr", footer="shown", synonyms="errors log output process"),
        Command("events.connect", "alt+c", "open/close", "Open or close the connection of this profile.",
                needs="connection", footer="shown"),
        Command("events.close", "escape,q,alt+v", BACK, "Go back to the call.", footer="stays"),
    ),
    *_in("batch",
        Command("batch.load", "enter", "open", "Open this call in the editor, with its response.",
                needs="idle row", footer="shown"),
        Command("batch.send", "f5,ctrl+enter", "send", "Send all calls of the batch in one request.",
                needs="filled", footer="shown"),
        Command("batch.notification", "n", "notify", "Switch this entry between call and notification.",
                needs="idle row", footer="shown", synonyms="notification"),
        Command("batch.copy", "y,f10", "copy", "Copy this call in one of several forms.",
                needs="idle row sent", synonyms=EXPORT),
        Command("batch.remove", "delete", "remove", "Remove this call from the batch.",
                needs="idle row", footer="shown"),
        Command("batch.up", "K,shift+up", "up", "Move this call up.", needs="idle row above", footer="shown"),
        Command("batch.down", "J,shift+down", "down", "Move this call down.", needs="idle row below", footer="shown"),
        Command("batch.clear", "", "clear batch", "Remove all calls from the batch.",
                needs="idle filled", synonyms="remove all calls"),
        Command("batch.undo", "ctrl+z", "undo", "Restore the calls that were removed or replaced.", needs="idle undo"),
        Command("batch.close", "escape,q", BACK, "Cancel the running batch, or go back to the call.", footer="stays"),
    ),
    *_in("form",
        Command("form.edit", "enter", "edit", "Edit this value.", needs="rows", footer="shown"),
        Command("form.cycle", "space", "toggle", "Switch between absent, value and null, or choose a value.",
                needs="rows", footer="shown", synonyms="absent value null set unset choose alternative enum"),
        Command("form.unfold", "right", "unfold", "Unfold this row.", needs="rows"),
        Command("form.fold", "left", "fold", "Fold this row, or go to its parent.", needs="rows"),
        Command("form.add", "plus,equals_sign,insert", "add", "Add an element, or a member by its name.",
                needs="rows", footer="shown", synonyms="new append insert item"),
        Command("form.remove", "delete", "remove", "Remove this value from the params.",
                needs="rows", synonyms="remove absent unset"),
        Command("form.fix", "ctrl+r", "fix", "Apply the fix that is offered for the typed value.",
                needs="fix", footer="shown"),
        Command("form.problem-next", "f12", "next problem", "Go to the problem in the typed value.", needs="problem"),
        Command("form.undo", "ctrl+z", "undo", "Undo the last change of the params.", synonyms="revert back"),
        Command("form.redo", "ctrl+y", "redo", "Redo the change that was undone.", synonyms="again"),
        Command("form.send", "f5,ctrl+enter", "send", "Send the call and show its outcome.",
                footer="stays", synonyms=AGAIN),
        Command("form.decline", "alt+d", "decline", "Answer the server that you decline.",
                needs="question", footer="stays", synonyms="refuse no reject"),
        Command("form.cancel", "alt+c", "cancel request", "Answer the server that you gave no answer.",
                needs="question", synonyms="dismiss abort"),
        Command("form.back", "alt+e", "show editor", "Go back to the editor and keep the value being typed.",
                needs="params"),
        Command("form.close", "escape", BACK, "Stop editing the value, or close the form.", footer="stays"),
    ),
    *_in("profiles",
        Command("profiles.use", "enter", "use", "Use this profile from now on.", needs="usable", footer="shown"),
        Command("profiles.default", "asterisk", "set default", "Make this profile the default.", needs="usable"),
        Command("profiles.add", "a", "add", "Add a profile.", footer="shown", synonyms=ANOTHER_SERVER),
        Command("profiles.edit", "e", "edit", "Edit this profile in its file, or rename it.",
                needs="usable", footer="shown"),
        Command("profiles.duplicate", "d", "duplicate", "Add a copy of this profile.", needs="usable", footer="shown"),
        Command("profiles.remove", "delete", "remove", "Remove this profile, after confirmation.",
                needs="usable", footer="stays"),
        Command("profiles.test", "alt+t", "test", "Test the connection and suggest settings.",
                needs="usable", footer="stays"),
        Command("profiles.secrets", "s,f8", "secrets", "Enter or forget the secrets of this profile.",
                needs="usable secrets", footer="shown"),
        Command("profiles.search", "slash", "find", "Find a profile by its name.", footer="shown", opens_line=True),
        Command("profiles.test-url", "t", "test URL", "Open the connection test for a URL or a command.",
                footer="shown", synonyms="new server address connection check probe"),
        Command("profiles.copy", "y,f10", "copy URL", "Copy the URL of this profile.", needs="usable"),
        Command("profiles.close", "escape,q", BACK, "Go back to the call.", needs="profile", footer="stays"),
    ),
    *_in("manual",
        Command("manual.follow", "enter", "follow link", "Open the page of the link under the cursor.",
                needs="page link", footer="shown"),
        Command("manual.link-next", "tab", "next link", "Go to the next link.", needs="page links", footer="shown"),
        Command("manual.link-previous", "shift+tab", "previous link", "Go to the previous link.", needs="page links"),
        Command("manual.contents", "c", "contents", "Go to the table of contents, or back to the page.",
                footer="shown"),
        Command("manual.search", "slash", "search", "Search in this page.",
                needs="closed-line", footer="shown", opens_line=True),
        Command("manual.next", "n", "next", "Go to the next match.", needs="matches", footer="shown"),
        Command("manual.previous", "N", "previous", "Go to the previous match.", needs="matches"),
        Command("manual.page-next", "right_square_bracket", "next page", "Open the next page.", footer="shown"),
        Command("manual.page-previous", "left_square_bracket", "previous page", "Open the previous page."),
        Command("manual.close", "escape,q", BACK, "Go back to the last page, or close the manual.", footer="shown"),
    ),
    *_in("lists",
        Command("lists.up", "up,k", "up", "Go up a line."),
        Command("lists.down", "down,j", "down", "Go down a line."),
        Command("lists.half-page-up", "ctrl+u", "half a page up", "Go up half a page."),
        Command("lists.half-page-down", "ctrl+d", "half a page down", "Go down half a page."),
        Command("lists.previous-page", "pageup", "previous page", "Go up a page."),
        Command("lists.next-page", "pagedown", "next page", "Go down a page."),
        Command("lists.first", "g,home,ctrl+home", "first line", "Go to the first line."),
        Command("lists.last", "G,end,ctrl+end", "last line", "Go to the last line."),
    ),
    *_in("everywhere",
        Command("copy-or-cancel", "ctrl+c", "copy or cancel",
                "Copy the selection, cancel a call, or show how to quit."),
        Command("select-all", "alt+a", "select all", "Select all text in the focused field.", needs="field"),
        Command("palette", "ctrl+p", "palette", "Find and run any command by its name.", footer="stays"),
        Command("theme", "", "choose theme", "Preview the themes and choose one.",
                synonyms="dark light color colors colour colours appearance contrast"),
        Command("paths", "", "show files", "Show where the files and folders of rpcexplorer are.",
                synonyms="settings config configuration paths folders directory location where sessions.toml "
                         "settings.toml"),
        Command("notices", "alt+w", "show notices", "Show all notices since the start, newest first.",
                synonyms="messages warnings toasts log"),
        Command("help", "f1,question_mark", "help", "Show the keys of this pane, and its page of the manual.",
                footer="stays", synonyms="keys shortcut shortcuts keyboard bindings hotkeys"),
        Command("manual", "", "open manual", "Read the manual, starting with the page of this pane.",
                synonyms="help documentation guide pages docs read how"),
        Command("quit", "ctrl+q", "quit", "Quit, and save your drafts except in the demo.",
                synonyms="exit leave close bye"),
    ),
)
# fmt: on
HTTP_ONLY: Final = "This profile uses HTTP: no connection stays open, and events come only with a response."
WHY_NOT: Final[Mapping[str, str]] = {
    "above": "This is the first call.",
    "below": "This is the last call.",
    "call": "This is an event. Only calls can be loaded, resent, compared or exported.",
    "calls": "No call is marked, and none is under the cursor. Events cannot be replayed or exported.",
    "closed-history": "The history is open already.",
    "closed-line": "The search is open already.",
    "closed-profiles": "The profiles are open already.",
    "compared": "The responses are still being compared.",
    "connection": HTTP_ONLY,
    "differences": "There are no differences.",
    "editing": "The focus is on a recent call. Go to the params first to send the call in the editor.",
    "editor": "This is the preview of the request. Go back to the params to change them.",
    "event": "This is a call. Only the message of an event is saved here: copy or export the call.",
    "events": HTTP_ONLY,
    "examples": "These docs have no examples.",
    "field": "No text field has the focus.",
    "figures": "No calls are counted yet.",
    "filled": "The batch is empty.",
    "filtered": "This is the original response already.",
    "fix": "No fix is offered.",
    "fold": "No folded lines are under the cursor.",
    "folded": "All lines are shown already.",
    "hint": "There is no hint to apply.",
    "history": "The history opens from the call and from the profiles. Go back first.",
    "home": "Go back to the call first.",
    "idle": "Wait until the running work has ended, or cancel it.",
    "ignored": "This comparison ignores nothing.",
    "json": "Only valid params can be formatted, and there must be some.",
    "lines": "There is no text here to search, fold or wrap.",
    "link": "No link is under the cursor.",
    "links": "This page has no links.",
    "list": "The filter has the focus already.",
    "listed": "No method is under the cursor.",
    "matches": "There are no matches to go to. Search first.",
    "message": "No event is under the cursor.",
    "method": "No method is in the editor.",
    "named": "No method is in the editor or under the cursor.",
    "own": "Someone else recorded this call. Replay it instead: that asks for a profile.",
    "page": "Go to the page first.",
    "panel": "No panel is open here.",
    "params": "This form answers the server, so it has no editor.",
    "preview": "These are the params. Open the request first.",
    "problem": "There is no problem and no warning.",
    "profile": "No profile is in use. Choose or add one first.",
    "profiles": "The profiles open from the call and from the history. Go back first.",
    "question": "This form has the params of a call. Only a form of the server can be declined.",
    "readable": "This record is damaged. It can only be deleted.",
    "received": "There are no events yet.",
    "recorded": "Only the history has statistics, and only after it was read.",
    "redo": "There is nothing to redo.",
    "replaced": "No draft of this method was replaced.",
    "request": "No request of the server waits for an answer.",
    "responded": "Only a response can be compared, and this call has none.",
    "response": "There is no response yet.",
    "result": "Only a text in the tab Result can be filtered, piped or shown as a table.",
    "result-value": "Only a value of a result can be used in another call.",
    "row": "No call is under the cursor.",
    "rows": "Finish the value first: Enter saves it, Esc cancels it.",
    "running": "Nothing is running, and no panel is open.",
    "scoped": "All calls are shown already.",
    "secrets": "This profile needs no secrets.",
    "sent": "This call was not sent yet.",
    "sessions": "This profile does not log in: it has no session to forget.",
    "shown": "There is no text here to save.",
    "single": "This is a batch. The editor and a saved call hold one call.",
    "stacked": "The response is beside the params, and both have the full height.",
    "stderr": "This profile does not start a process, so there is no stderr.",
    "table": "Only a table can be sorted.",
    "tree": "No group of methods is under the cursor.",
    "typed": "The filter is empty. Nothing is running, and no panel is open.",
    "undo": "There is nothing to undo.",
    "unfolded": "All equal lines are folded already.",
    "usable": "No profile that can be used is under the cursor.",
    "value": "No value is under the cursor.",
    "written": "Only calls of the history can be changed: this one is not in its files.",
}
"""Why a command does nothing, by the state that it needs."""
PANES: Final = frozenset[Scope]({"methods", "recent", "params", "docs", "response", "table"})
"""The panes of the call screen."""
FUNCTION_KEYS: Final = tuple(f"f{number}" for number in range(1, 13))
CONTROLS: Final = frozenset({"ctrl+enter", "ctrl+q", "ctrl+p", "ctrl+c"})
FOLD_TO: Final = "response.fold-to"
"""The command that has one key per depth."""
MODIFIERS: Final = ("alt", "ctrl", "hyper", "meta", "shift", "super")
"""The modifiers in Textual's order."""
NEVER_SENT: Final = frozenset({"<any>", "<scroll-up>", "<scroll-down>", "<ignore>", "ctrl-at", "return"})
NAMED: Final = frozenset(key.value for key in Keys) - NEVER_SENT | {*KEY_NAME_REPLACEMENTS.values()}
FIRST_PICTURE: Final = "\u2190"
"""From here on, Unicode names signs that no key has, such as ``banana``."""
NO_KEY: Final = "no-key"
"""A key that no terminal sends."""
SCOPE_OF: Final[Mapping[str, Scope]] = {command.id: command.scope for command in COMMANDS}
BY_ACTION: Final = {(command.scope, command.action): command for command in COMMANDS}


def commands_of(scope: Scope) -> Iterator[Command]:
    return (command for command in COMMANDS if command.scope == scope)


class Commanded:
    """A mixin for the app, and for screens and panes with commands of the table.

    It comes before Textual's class among the bases. A class with ``scope`` has the keys of its commands.
    """

    scope: ClassVar[Scope]
    BINDINGS: ClassVar[list[BindingType]]

    def __init_subclass__(cls, scope: Scope | None = None, **others: Any) -> None:
        if scope is not None:
            cls.scope = scope
            cls.BINDINGS = [*bindings(scope), *cls.__dict__.get("BINDINGS", ())]
        super().__init_subclass__(**others)

    def has(self, state: str) -> bool:
        """Return whether a state holds that a command of this scope needs."""
        raise NotImplementedError(state)

    def why_not(self, command: Command) -> str:
        """Return why a command is not possible now; empty if it is."""
        missing = (state for state in command.needs.split() if not self.has(state))
        return next((WHY_NOT[state] for state in missing), "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        command = BY_ACTION.get((self.scope, action))
        return command is None or not self.why_not(command)


def bindings(scope: Scope) -> list[BindingType]:
    """Return the bindings of a scope.

    Function keys and ``alt`` take precedence over the bindings of a widget.
    """
    found = list[BindingType]()
    for command in commands_of(scope):
        for key in _keys(command.keys):
            is_depth = command.id == FOLD_TO
            binding = Binding(
                key,
                f"{command.action}({key})" if is_depth else command.action,
                command.words,
                show=False,  # Our footer has the table.
                priority=command.opens_line or key in FUNCTION_KEYS or key.startswith("alt+") or key in CONTROLS,
                id=f"{command.id}.{key}" if is_depth else command.id,
            )
            found.append(binding)
    return found


_SPELLED: Final = {
    "slash": "/", "vertical_line": "|", "colon": ":", "question_mark": "?", "minus": "-", "plus": "+",
    "equals_sign": "=", "asterisk": "*", "escape": "Esc", "enter": "Enter", "delete": "Del", "space": "Space",
    "left_square_bracket": "[", "right_square_bracket": "]", "left": "←", "right": "→", "up": "↑", "down": "↓",
    "tab": "Tab", "home": "Home", "end": "End", "pageup": "PgUp", "pagedown": "PgDn",
}  # fmt: skip


def spelled(key: str) -> str:
    """Return a key as the manual writes it: ``^R``, ``F5``, ``Alt+→``, ``/``."""
    if key == "ctrl+@":  # Terminals send Ctrl+Space as ctrl+@.
        return "Ctrl+Space"
    *modifiers, last = key.split("+") if key != "+" else ["+"]
    name = _SPELLED.get(last, last.upper() if last in FUNCTION_KEYS else last)
    if modifiers == ["ctrl"]:
        return "^" + (name.upper() if len(name) == 1 else name)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


_KEYS: Final = {shown: key for key, shown in _SPELLED.items()}


def key_of(shown: str) -> str:
    """Return the key that `spelled` has written so; empty if it is no key."""
    if shown == "Ctrl+Space":
        return "ctrl+@"
    if len(shown) == 1:
        key = _KEYS.get(shown, shown)
    else:
        *modifiers, last = shown.replace("^", "ctrl+", 1).split("+")
        key = "+".join([*map(str.lower, modifiers), _KEYS.get(last, last.lower())])
    return key if is_key(key) else ""


def shown_keys(command: Command, keymap: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the keys of a command as the manual writes them; may be empty."""
    keys = [spelled(key) for key in keys_of(command, keymap)]
    if command.id == FOLD_TO and keys:
        return f"{keys[0]} … {keys[-1]}"
    return " ".join(keys)


def keys_of(command: Command, keymap: Mapping[str, str]) -> list[str]:
    """Return the keys of a command as Textual names them.

    A key of the table that the keymap gives to another command is left out.
    """
    keys = _keys(keymap.get(command.id, command.keys))
    if command.id in keymap or command.id == FOLD_TO:
        return keys
    given = set[str]()
    for id, others in keymap.items():
        if _meet(SCOPE_OF.get(id), command.scope):
            given.update(_keys(others))
    return [key for key in keys if key not in given]


def _keys(listed: str) -> list[str]:
    return [key.strip() for key in listed.split(",") if key.strip()]


def _meet(scope: Scope | None, other: Scope) -> bool:
    """Return whether both scopes can receive the same key."""
    scopes = {scope, other}
    is_pane_of_call = "call" in scopes and scopes < {"call", *PANES}
    return len(scopes) == 1 or not scopes.isdisjoint({"everywhere", "lists"}) or is_pane_of_call


def keymap(usable: Mapping[str, str]) -> dict[str, str]:
    """Return Textual's keymap for keys of `read_keymap`.

    Textual skips a command without keys, which would then keep those of the table.
    """
    changed = {}
    for command in COMMANDS:
        keys = keys_of(command, usable)
        if command.id != FOLD_TO and keys != _keys(command.keys):
            changed[command.id] = ",".join(keys) or NO_KEY
    if FOLD_TO in usable:
        changed |= dict.fromkeys((f"{FOLD_TO}.{number}" for number in range(1, 10)), NO_KEY)
        for number, key in zip(range(1, 10), _keys(usable[FOLD_TO]), strict=False):
            changed[f"{FOLD_TO}.{number}"] = key
    return changed


def read_keymap(
    wanted: Mapping[str, str], complain: Callable[[tuple[str, ...], str], Problem]
) -> tuple[dict[str, str], list[Problem]]:
    """Return the usable keys of the user, and a problem about each other one.

    ``complain`` makes a problem of a key of the file and a sentence.
    An empty text removes the keys of a command. If none of several keys can be used, the default stays.
    """
    usable: dict[str, str] = {}
    owners: dict[str, list[Command]] = {}
    problems: list[Problem] = []
    commands = {command.id: command for command in COMMANDS}
    for id, listed in wanted.items():
        command = commands.get(id)
        if command is None:
            guess = nearest(id, commands)
            advice = f"Did you mean `{guess}`?" if guess else "Press F1 to list the commands."
            problems.append(complain(("keymap", id), f"unknown command `{cut(id)}`. {advice}"))
            continue
        keys: list[str] = []
        wrong: list[str] = []
        defaults = iter(_keys(command.keys))
        for key in dict.fromkeys(_keys(listed)):
            default = next(defaults, "") if id == FOLD_TO else ""
            owner = next((other for other in owners.get(key, []) if _clash(other, command)), None)
            if not is_key(key):
                guess = nearest_key(key)
                advice = f"Did you mean `{guess}`?" if guess else "Use names such as `f5`, `ctrl+g`, `alt+up`, `slash`."
                wrong.append(f"unknown key `{cut(key)}`. {advice}")
            elif owner is not None:
                wrong.append(f"`{key}` is already the key of `{owner.id}`. Choose another key.")
            else:
                owners.setdefault(key, []).append(command)
                keys.append(key)
                continue
            if default:  # the other depths keep their keys
                keys.append(default)
        if keys or not wrong:
            usable[id] = ",".join(keys)
        effect = "The key is ignored." if keys and id != FOLD_TO else "The default key stays."
        problems += [complain(("keymap", id), f"{problem} {effect}") for problem in wrong]
    return usable, problems


def _clash(command: Command, other: Command) -> bool:
    """Return whether the two commands must not have the same key.

    They must not if both can be active at once, unless they share a key by default.
    """
    return _meet(command.scope, other.scope) and not set(_keys(command.keys)) & set(_keys(other.keys))


def first_key(id: str, keymap: Mapping[str, str]) -> str:
    """Return the first key of a command, for texts; empty if it has none."""
    command = next(command for command in COMMANDS if command.id == id)
    return next(map(spelled, keys_of(command, keymap)), "")


def is_key(name: str) -> bool:
    """Return whether a terminal can send a key: `f5`, `ctrl+enter`, `N`."""
    if name in NAMED:
        return True
    *modifiers, last = name.split("+")
    if len(last) == 1:
        known = last.isalnum() and (last.islower() or not last.isalpha() or "ctrl" not in modifiers)
    else:
        character = (key_to_character(last) if last.islower() else None) or "a"  # letters have no other name
        is_sign = character.isprintable() and not character.isalnum() and character < FIRST_PICTURE
        known = last in NAMED or is_sign
    return known and modifiers == [modifier for modifier in MODIFIERS if modifier in modifiers]


def nearest_key(written: str) -> str:
    """Return the most similar key; empty if none is similar."""
    names = {shown.lower(): key for key, shown in _SPELLED.items()} | {"return": "enter"}
    text = names.get(written.lower(), written.lower())
    *modifiers, last = re.sub(r"^\^(?=.)", "ctrl+", text).split("+")
    modifiers = [modifier for modifier in MODIFIERS if modifier in modifiers]
    meant = "+".join([*modifiers, names.get(last, last)])
    if is_key(meant) and (modifiers or len(meant) > 1):
        return meant
    tables = {key for command in COMMANDS for key in _keys(command.keys) if len(key) > 1}
    letters = {f"{modifier}+{letter}" for modifier in ("ctrl", "alt") for letter in ascii_lowercase}
    return nearest(meant, sorted(NAMED | tables | letters)) or ""
