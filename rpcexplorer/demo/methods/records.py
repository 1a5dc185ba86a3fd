"""Fictional records, the same on every machine: a page of them as JSON text, made while it is sent.

A record is its number followed by one of a fixed set of endings. So the length of a million of them is known without
writing a single one, and no page takes more memory than one block.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

from rpcexplorer.demo.reply import Body, body, joined, written

MOST = 1_000_000
"""Records on one page."""
BLOCK = 500
"""Records that are written at a time."""
VARIETY = 1_000
"""Records that differ in more than their number."""
DIGITS = 13
"""Of the highest number there is: the last one on the last of a million pages."""
_FIRST = ("Zoë", "Tomás", "Ines", "Björn", "Aroha", "Kwame", "Mei", "Luca", "Noor", "Pavel", "Sunniva", "Ravi", "Éva")
_LAST = (
    "Novák",
    "Castellan",
    "Okafor",
    "Lindqvist",
    "Marchetti",
    "Tanaka",
    "Oyelaran",
    "Brandt",
    "Whitlock",
    "Ferreira",
    "Dubois",
)
_STREETS = (
    "Harbour Street",
    "Rue des Tilleuls",
    "Lindenallee",
    "Orchard Lane",
    "Calle del Faro",
    "Mill Road",
    "Strandvägen",
)
_PLACES = (
    ("Port Elara", "Meridia", 12.5, -3.25),
    ("Grünau am See", "Valdoria", 47.75, 9.5),
    ("Saint-Amaury", "Valdoria", 45.125, 4.0),
    ("Kestrel Bay", "Northmark", 61.0, -7.5),
    ("Villaluz", "Meridia", -8.625, 30.0),
)
_TAGS = ("new", "regular", "wholesale", "abroad", "on hold", "friend of the house")
_START = datetime(2021, 3, 1, 8, 30, tzinfo=UTC)


def records_page(count: int, page: int) -> Body:
    """Page ``page`` of all records, ``count`` to a page, counted from 1."""
    first = (page - 1) * count + 1
    before = body(b'{"page": %d, "count": %d, "records": [' % (page, count))
    return joined([before, Body(_length(first, first + count), _blocks(first, first + count)), body(b"]}")])


def _blocks(first: int, end: int) -> Iterator[bytes]:
    endings = _endings()
    for start in range(first, end, BLOCK):
        numbers = range(start, min(start + BLOCK, end))
        block = b", ".join([b'{"id": %d%b' % (number, endings[number % VARIETY]) for number in numbers])
        yield block if numbers[-1] == end - 1 else block + b", "


def _length(first: int, end: int) -> int:
    """How many bytes the blocks will have."""
    rounds, rest = divmod(end - first, VARIETY)
    endings = _endings()
    written_out = rounds * sum(map(len, endings)) + sum(len(endings[(first + i) % VARIETY]) for i in range(rest))
    # A number has as many digits as there are powers of ten up to it.
    digits: int = sum(max(0, end - max(first, 10**power)) for power in range(DIGITS))
    around = len(b'{"id": ') * (end - first) + len(b", ") * (end - first - 1)
    return written_out + digits + around


@cache
def _endings() -> tuple[bytes, ...]:
    return tuple(_ending(seed) for seed in range(VARIETY))


def _ending(seed: int) -> bytes:
    """Everything of a record after its number. Amounts keep two decimals, as money does."""
    name = f"{_FIRST[seed % len(_FIRST)]} {_LAST[seed * 7 % len(_LAST)]}"
    cents = (seed * 7919 - 7809) % 1_000_000
    city, country, latitude, longitude = _PLACES[seed % len(_PLACES)]
    created = _START + timedelta(hours=31 * seed, minutes=seed * 7 % 60)
    members = {
        "name": written(name),
        "email": written(_email(name)),
        "balance": b"%d.%02d" % divmod(cents, 100),
        "created": written(created.strftime("%Y-%m-%dT%H:%M:%SZ")),
        "tags": written([tag for place, tag in enumerate(_TAGS) if (seed + place * 3) % 11 < 2]),
        "address": written(
            {
                "street": f"{seed * 3 % 89 + 1} {_STREETS[seed % len(_STREETS)]}",
                "city": city,
                "country": country,
                "location": {"latitude": latitude, "longitude": longitude},
            }
        ),
    }
    return b"".join(b", %b: %b" % (written(name), value) for name, value in members.items()) + b"}"


def _email(name: str) -> str:
    plain = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode()
    return f"{plain.lower().replace(' ', '.')}@mail.example"
