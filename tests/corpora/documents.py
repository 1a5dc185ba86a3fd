"""Descriptions of services as real projects ship them, and their sources.

OpenRPC: the six example documents of the OpenRPC project (npm ``@open-rpc/examples`` 1.7.2), and the Ethereum execution
document as MetaMask ships it with its own wallet methods, and its companion for several chains (npm
``@metamask/api-specs`` 0.15.0). ``kodi`` is not OpenRPC: it is the answer of Kodi 20.1 of Debian to
``JSONRPC.Introspect``, the largest document and the one with the oddest schemas.

The structure is unchanged: names, types, references, enums, defaults, limits, values of examples and codes of errors.
Every text under ``description``, ``summary`` and ``title``, and each ``message`` of an error, was replaced by a script
that ran once: with a name, a stock sentence or two of our own, and a second paragraph, a link, a list or a name in
backticks if the text had one. Titles became the name of their key.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "documents"
OPENRPC: Final = (
    "api-with-examples",
    "ethereum",
    "ethereum-multichain",
    "link-example",
    "params-by-name-petstore",
    "petstore",
    "petstore-expanded",
    "simple-math",
)
KODI: Final = "kodi"


@cache
def document(name: str) -> Any:
    """Return a document, which must not be changed."""
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))


def documents() -> list[tuple[str, Any]]:
    """Return all documents by name, those of OpenRPC first."""
    return [(name, document(name)) for name in (*OPENRPC, KODI)]
