"""Cases."""

from __future__ import annotations

from rpcexplorer.model.exchange import Case, Damaged, Sent
from tests.text.exchanges import exchange


def test_case_has_exchanges_damage_and_unique_addresses() -> None:
    one, two, three = (exchange(Sent(), url=url) for url in ("http://a", "http://b", "http://a"))
    torn = Damaged("case.toml:3", "it is torn", "")
    case = Case("case.toml", (one, torn, two, three))
    assert case.exchanges == [one, two, three]
    assert case.damaged == [torn]
    assert case.addresses == ["http://a", "http://b"]
