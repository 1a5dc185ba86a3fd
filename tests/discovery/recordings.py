"""What real servers have answered to the questions of discovery, each a file in ``recorded/``: question and reply.

They were run on loopback in November 2026, each in the version that its file names. aria2, deluge-web (before its login
has connected it to a daemon), electrum, kamailio (with xhttp and jsonrpcs), litecoind (in regtest) and mopidy are those
of Debian 12; django-modern-rpc, fastapi-jsonrpc, flask-jsonrpc, jsonrpclib-pelix, mcp, openrpc and pjrpc those of PyPI,
with a few methods of our own; ganache, the OpenRPC mock server (with the larger petstore of tests/corpora/documents)
and server-everything those of npm. Kodi's reply is one of those documents.

The structure is theirs: names, kinds, schemas, defaults, choices, examples, how a text is indented. The prose was
replaced by words of ours, as documents.py says. A refusal is in the words that discovery makes of one.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Final

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answered, Asking, Several

FOLDER: Final = Path(__file__).parent / "recorded"


@cache
def recorded(name: str) -> dict[tuple[str, str], Answered]:
    """The replies of a server, by the method that was asked and its params."""
    told = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return {(method, params): Answered(**reply) for method, params, reply in told["asked"]}


def listing_of(name: str, asking: Asking) -> Listing:
    """What a dialect makes of a server, with which it has the whole dialogue. What is asked must have been recorded."""
    replies = recorded(name)
    step = next(asking)
    try:
        while True:
            if isinstance(step, Several):
                answer = Answered(answers=tuple(replies[each.method, each.params] for each in step.questions))
            else:
                answer = replies[step.method, step.params]
            step = asking.send(answer)
    except StopIteration as stop:
        listing: Listing = stop.value
        return listing
