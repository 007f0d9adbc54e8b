"""The files of a run's evidence can be read whatever is masked in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.recorder import Recorder
from harness.redact import Masks
from harness.terminal.cast import Event, parse_cast

if TYPE_CHECKING:
    from pathlib import Path


def test_a_secret_of_digits_spoils_no_line_and_no_figure(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, Masks({"12345": "[PIN]"}), (80, 24), started_s=0.0)
    recorder.terminal(0.12345, "the pin is 12345.")
    recorder.event(0.12345, "terminal", "output", {"chars": 12345, "text": "12345"})
    recorder.write("result.json", {"chars": 12345, "text": "12345"})
    recorder.close(1.0)
    cast = parse_cast((tmp_path / "terminal.cast").read_text())
    assert cast.events == (Event(0.12345, "o", "the pin is [PIN]."),)
    (event,) = map(json.loads, (tmp_path / "events.jsonl").read_text().splitlines())
    assert (event["t"], event["chars"], event["text"]) == (0.12345, 12345, "[PIN]")
    assert json.loads((tmp_path / "result.json").read_text()) == {"chars": 12345, "text": "[PIN]"}


def test_a_secret_that_is_written_in_two_pieces_is_masked_in_the_recording(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, Masks({"sk-1234": "[KEY]"}), (80, 24), started_s=0.0)
    for at_s, piece in enumerate(["a sk", "-12", "34 b"], 1):
        recorder.terminal(at_s, piece)
    recorder.close(9.0)
    cast = parse_cast((tmp_path / "terminal.cast").read_text())
    assert "".join(event.data for event in cast.events) == "a [KEY] b"
