"""What every cell of the tables of clients must show."""

from __future__ import annotations

from mock_llm.dialects import NAMES
from tests.sdk.clients_table import Cell, lacking, seen
from tests.sdk.everything import Results


def accepts(cell: Cell, results: Results) -> None:
    """The library asked in this dialect and form, and shows all of the reply but what it never does."""
    assert cell.dialect in NAMES
    understood = results[cell.library.partition(".")[0]][cell.name]
    assert understood.heard["error"] == "", understood.heard["message"]
    assert understood.problems == []
    (exchange,) = understood.exchanges
    assert exchange.request is not None
    assert (exchange.request.dialect, exchange.ended) == (cell.dialect, "complete")
    assert exchange.request.stream == (cell.form != "whole")
    aspects = seen(cell, understood)
    assert [aspect for aspect, right in aspects.items() if right is False] == [], understood.heard
    assert {aspect for aspect, right in aspects.items() if right is None} == lacking(cell)
