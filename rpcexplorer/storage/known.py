"""What is known of methods with the profile in use: listed, in full, and what stands in the editor of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.method import SIGN, as_named, described_by, method_of
from rpcexplorer.model.methods.catalogue import catalogue, saved_among
from rpcexplorer.storage.storage import Storage

if TYPE_CHECKING:
    from rpcexplorer.model.exchange import Exchange
    from rpcexplorer.model.method import Described, Method, SavedCall
    from rpcexplorer.variables.references import Offered


class KnownMethods(Storage):
    """Methods from all sources: the service, the profile, the saved calls, the history."""

    def names(self) -> tuple[Offered, ...]:
        """What could stand between double braces with the profile in use."""
        from rpcexplorer.variables.references import names

        profile = self._in_use()
        return names(self.profiles.variables_of(profile), self.journal.methods(profile))

    def saved_calls(self) -> dict[str, SavedCall]:
        """The calls that are saved for the profile in use, by name."""
        return self.profiles.calls_of(self._in_use())

    def listed(self, *, called: bool = True) -> dict[str, Method]:
        """The saved calls, each with a sign before its name, and then the methods: as they are named beside those."""
        methods, calls = self.methods(called=called), self.saved_calls()
        saved = saved_among(calls.values(), methods) if calls else {}
        if signed := [name for name in methods if name.startswith(SIGN)]:
            methods |= {as_named(name): replace(methods.pop(name), name=as_named(name)) for name in signed}
        return {**saved, **methods, **saved}

    def methods(self, *, called: bool = True) -> dict[str, Method]:
        """Every method that is known for the profile in use, by name; without ``called`` no history is read for it."""
        profile = self._in_use()
        learned, absent = self.catalogues.of(profile), self.catalogues.absent(profile)
        names = self.journal.methods(profile) if called else ()
        return auth_of(profile).offered(catalogue(profile, learned.methods if learned else (), names, absent))

    def described(self, method: str) -> Described | None:
        """All that is known of what a method takes and gives; None of a name that nobody has told of."""
        found = self.catalogues.described(profile := self._in_use(), method)
        known = None if found and not auth_of(profile).in_params else self.methods(called=False).get(method)
        if known is None or found is None:
            return described_by(known) if known else found
        return auth_of(profile).offered_in_full(known, found)

    def draft_of(self, method: str, *, called: bool = True) -> str:
        """The params last typed for a method on the profile in use, else its starting point, else ``[]``.

        That is what brought a result last, of a method marked safe; without ``called`` no history is read for it. A
        saved call, named with its sign, starts with its own params; what is typed there is kept apart.
        """
        if method.startswith(SIGN) and (saved := self.saved_calls().get(method.removeprefix(SIGN))):
            return self.drafts.text_for(self._in_use(), method, None, lambda: saved.text or "[]")
        called_as = method_of(method)
        profile, known = self._in_use(), self.methods(called=False).get(called_as)
        last = partial(self.journal.last_params, profile, called_as) if called and known and known.safe else None
        return self.drafts.text_for(profile, method, known, last, partial(self.described, called_as))

    def recent(self, limit: int) -> list[Exchange]:
        """The newest calls of the profile in use, newest first; also those that could not be written."""
        return self.journal.recent(self._in_use(), limit)
