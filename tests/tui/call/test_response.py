"""The transform between a response and its view."""

from __future__ import annotations

from typing import Any, cast

import pytest
from textual.widget import Widget

from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.call.response import Transform


class Recorder:
    """A transform whose runs and cancellations are recorded."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.body = type("FakeBody", (), {"made": None})()
        self.transform = Transform(
            Widget(),
            cast("Body", self.body),
            run=lambda kind, expression: self.events.append(f"{kind} {expression}"),
            cancel=lambda: self.events.append("cancel"),
            changed=lambda: None,
        )

    @property
    def banner(self) -> str:
        return "".join(text for text, _ in self.transform.banner)

    @property
    def made(self) -> Any:
        return self.body.made


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def test_transform_banner_names_expression_and_state(recorder: Recorder) -> None:
    assert recorder.banner == ""
    recorder.transform.start("pipe", " sort ")
    assert recorder.banner == " FILTERING   | sort   running …  Esc cancel   o\xa0original"
    recorder.transform.finish("| sort", b"1", "made by sort", is_wrong=False)
    assert (recorder.made, recorder.banner) == (b"1", " FILTERED   | sort   made by sort   o\xa0original")
    recorder.transform.clear()
    assert (recorder.made, recorder.banner) == (None, "")


def test_failed_transform_leaves_the_view(recorder: Recorder) -> None:
    recorder.transform.start("filter", ".x[")
    recorder.transform.finish(".x[", b"", "jq: unclosed", is_wrong=True)
    assert (recorder.made, recorder.banner) == (None, " NOT FILTERED   .x[   jq: unclosed   o\xa0original")
    recorder.transform.start("filter", ".a")
    recorder.transform.finish(".a", b"1", "", is_wrong=False)
    recorder.transform.start("filter", ".x[")
    recorder.transform.finish(".x[", b"", "jq: unclosed", is_wrong=True)
    assert (recorder.made, recorder.banner) == (b"1", " FILTERED   .a   .x[: jq: unclosed   o\xa0original")


def test_late_result_of_another_transform_is_ignored(recorder: Recorder) -> None:
    recorder.transform.start("filter", ".a")
    recorder.transform.start("filter", ".b")
    assert recorder.events == ["filter .a", "cancel", "filter .b"]
    recorder.transform.finish(".a", b"1", "", is_wrong=False)
    assert (recorder.made, recorder.transform.is_running) == (None, True)
    recorder.transform.start("filter", "")
    recorder.transform.finish(".b", b"2", "", is_wrong=False)
    assert (recorder.made, recorder.banner) == (None, "")


def test_transform_given_up_keeps_the_text_before(recorder: Recorder) -> None:
    recorder.transform.start("filter", ".a")
    recorder.transform.give_up()
    assert (recorder.banner, recorder.events[-1]) == ("", "cancel")
    recorder.transform.start("filter", ".a")
    recorder.transform.finish(".a", b"1", "", is_wrong=False)
    recorder.transform.start("filter", ".b")
    recorder.transform.give_up()
    assert recorder.made == b"1"
    assert "FILTERED   .a   .b: cancelled: this is the previous output" in recorder.banner
