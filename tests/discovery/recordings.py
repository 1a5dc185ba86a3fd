"""Recorded answers of real servers to the questions of discovery.

Each file in ``recorded/`` has the questions and responses of one server. They ran on loopback in November 2026, each in
the version that its file names. aria2, deluge-web (before its login has connected it to a daemon), electrum, kamailio
(with xhttp and jsonrpcs), litecoind (in regtest) and mopidy are from Debian 12. django-modern-rpc, fastapi-jsonrpc,
flask-jsonrpc, jsonrpclib-pelix, mcp, openrpc and pjrpc are from PyPI, with a few methods of our own. ganache, the
OpenRPC mock server (with the larger petstore of tests/corpora/documents) and server-everything are from npm. Kodi's
response is one of those documents.

The structure is theirs: names, types, schemas, defaults, choices, examples, indentation. The prose was replaced by
words of ours, as documents.py explains. A refusal is in the words of discovery.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Final

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answer, Dialogue, Questions

FOLDER: Final = Path(__file__).parent / "recorded"


@cache
def recorded(name: str) -> dict[tuple[str, str], Answer]:
    """Return the responses of a server, by method and params."""
    recording = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return {(method, params): Answer(**reply) for method, params, reply in recording["asked"]}


def listing_of(name: str, asking: Dialogue) -> Listing:
    """Return the listing of a protocol from a server's recorded answers.

    A question that was not recorded is an error.
    """
    replies = recorded(name)
    step = next(asking)
    try:
        while True:
            if isinstance(step, Questions):
                answer = Answer(answers=tuple(replies[question.method, question.params] for question in step.questions))
            else:
                answer = replies[step.method, step.params]
            step = asking.send(answer)
    except StopIteration as stop:
        listing: Listing = stop.value
        return listing
