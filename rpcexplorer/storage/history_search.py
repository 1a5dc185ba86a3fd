"""What a person looks for in the history: which exchanges have it, and which blocks need not even be read."""

from __future__ import annotations

from dataclasses import dataclass

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.storage.blocks import quoted, untouched
from rpcexplorer.storage.records import BASE64

PACKED = f"{BASE64} = ".encode()


@dataclass(frozen=True, slots=True)
class Sought:
    """Text that may stand anywhere, whatever its case, and values that must be exactly these."""

    text: str = ""
    profile: str | None = None
    method: str | None = None
    outcome: str | None = None

    def may_be_in(self, raw: bytes) -> bool:
        """False where the block cannot hold it; much quicker to say than by reading the block.

        Only a block as we spelled it can be judged so: whoever edits by hand is free to write A as an escape.
        """
        lines = untouched(raw)
        if lines is None or PACKED in lines:
            return True
        written = [f"\n{key} = {quoted(value)}\n" for key, value in self._exact() if value]  # empty ones never are
        if not all(line.encode(errors="replace") in lines for line in written):
            return False
        return not self.text or quoted(self.text)[1:-1].casefold() in lines.decode(errors="replace").casefold()

    def is_in(self, found: Exchange | Damaged) -> bool:
        """Whether the exchange has it all. Of a damaged record only its text can be known."""
        if isinstance(found, Damaged):
            return self == Sought(self.text) and self._in_one_of(found.text)
        has = {"profile": found.profile, "method": found.method, "outcome": found.outcome_name}
        if any(has[key] != value for key, value in self._exact()):
            return False
        return self._in_one_of(
            *(found.id, found.profile, found.url, found.method, found.params, found.name, found.note),
            *(getattr(found.outcome, name, "") for name in ("message", "reason", "sentence")),
            found.response.body.decode(errors="replace"),
        )

    def _exact(self) -> list[tuple[str, str]]:
        wanted = (("profile", self.profile), ("method", self.method), ("outcome", self.outcome))
        return [(key, value) for key, value in wanted if value is not None]

    def _in_one_of(self, *texts: str) -> bool:
        text = self.text.casefold()
        return not text or any(text in one.casefold() for one in texts)
