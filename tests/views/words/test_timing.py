"""The phases of an exchange as bars."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import PhaseBar, bars, drawn, timing_page
from rpcexplorer.transport.port import Phases
from tests.views.exchanges import exchange

WHOLE = Phases(name=0.1, connect=0.1, tls=0.2, send=0.0, wait=0.4, transfer=0.2)


def test_each_phase_begins_where_the_one_before_it_ended() -> None:
    found = bars(WHOLE, 1.0, 40)
    assert [bar.label for bar in found] == ["name lookup", "connect", "TLS", "send", "wait", "transfer"]
    assert [round(bar.start, 6) for bar in found] == [0, 0.1, 0.2, 0.4, 0.4, 0.8]
    assert [bar.took for bar in found] == ["100 ms", "100 ms", "200 ms", "0 ms", "400 ms", "200 ms"]


def test_the_bars_are_drawn_in_eighths_of_a_column_on_one_scale() -> None:
    assert drawn(bars(WHOLE, 1.0, 20), 20) == [
        "██                  ",
        "  ██                ",
        "    ████            ",
        "        ▏           ",
        "        ████████    ",
        "                ████",
    ]
    assert drawn([PhaseBar("wait", 0.0, 0.3, ""), PhaseBar("transfer", 0.3, 0.7, "")], 5) == ["█▌   ", " ████"]


def test_a_phase_that_was_not_measured_is_left_out() -> None:
    assert [bar.label for bar in bars(Phases(send=0.1, wait=0.9), 1.0, 20)] == ["send", "wait"]
    assert bars(Phases(), 1.0, 20) == []


@pytest.mark.parametrize(("seconds", "rest"), [(1.2, ["200 ms"]), (1.009, []), (1.0, []), (0.5, []), (nan, [])])
def test_time_that_no_phase_explains_is_the_rest_if_it_is_more_than_a_hundredth(
    seconds: float, rest: list[str]
) -> None:
    found = bars(Phases(wait=1.0), seconds, 20)
    assert [bar.took for bar in found if bar.label == "other"] == rest
    assert found[0].length == pytest.approx(1 / max(1.0, seconds))


def test_a_phase_that_took_next_to_nothing_can_still_be_seen() -> None:
    found = bars(Phases(connect=1e-9, wait=10.0), 10.0, 30)
    assert found[0].length == pytest.approx(1 / 30 / 8)
    first, second = drawn(found, 30)
    assert first == "▏" + " " * 29
    assert second == "█" * 30


def test_an_exchange_that_took_no_time_at_all_is_drawn_as_well() -> None:
    assert drawn(bars(Phases(send=0.0, wait=0.0), 0.0, 4), 4) == ["▏   ", "▏   "]


TIMES = st.one_of(st.none(), st.floats(-1, 1e6), st.sampled_from([inf, nan]))


@given(
    st.builds(Phases, *[TIMES] * 6, kept=st.booleans()),
    st.one_of(st.floats(0, 1e7), st.sampled_from([inf, nan])),
    st.integers(0, 200),
)
def test_every_line_has_the_width_and_something_on_it(phases: Phases, seconds: float, width: int) -> None:
    for line in drawn(bars(phases, seconds, width), width):
        assert len(line) == max(width, 1)
        assert line.strip()


def test_a_connection_that_was_kept_is_said_to_be_and_takes_no_room() -> None:
    first, *others = bars(Phases(send=0.1, wait=0.9, kept=True), 1.0, 20)
    assert (first.label, first.took, first.start) == ("connection", "kept", 0.0)
    assert others == bars(Phases(send=0.1, wait=0.9), 1.0, 20)


def test_the_page_says_plainly_what_is_known_of_the_time() -> None:
    def page(phases: Phases) -> list[str]:
        lines = timing_page(exchange(Result(b"1"), phases=phases, seconds=1.2), 60)
        return ["".join(text for text, _ in line).strip() for line in lines]

    measured, unmeasured, kept = page(WHOLE), page(Phases()), page(Phases(wait=1.2, kept=True))
    assert kept[0].split() == ["connection", "▏", "kept"]
    assert [line.split("  ")[0] for line in measured[5:8]] == ["transfer", "other", "total"]
    assert unmeasured[:2] == ["There is no breakdown of the time: only the total is known.", "total           1.2 s"]
