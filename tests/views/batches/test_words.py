"""What came of a batch in words, whatever the server wrote."""

from __future__ import annotations

from rpcexplorer.model.batch import parts_of
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.text.exchange import failed_lines
from tests.views.exchanges import exchange


def lines(body: bytes) -> list[str]:
    text = '[{"method": "a"}, {"method": "b\\u001b[2J"}, {"method": "c"}]'
    return list(failed_lines(parts_of(exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=text))))


def test_each_call_that_failed_is_named_and_nothing_in_it_reaches_a_terminal_raw() -> None:
    body = (
        b'[{"id":"x.1","result":1},{"id":"x.2","error":{"code":-1,"message":"\\u001b[2J"}},{"id":"\\u001b","result":1}]'
    )
    found = lines(body)
    assert found == [
        "call 2, b␛[2J: error -1 ␛[2J",
        "call 3, c: No reply came to this call",
        'an unexpected reply: no call has the id "\\u001b": result',
    ]


def test_what_is_the_outcome_of_all_is_not_told_of_each() -> None:
    assert lines(b'{"id":null,"error":{"code":-32600,"message":"no batch"}}') == []
    assert lines(b"<html>") == []
