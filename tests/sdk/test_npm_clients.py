"""The npm client libraries accept every dialect; ``make test-npm-clients`` runs this alone."""

from __future__ import annotations

import pytest

from tests.sdk import asides, endings, errors
from tests.sdk.asides import Aside
from tests.sdk.clients_table import NPM_CELLS, Cell, Column
from tests.sdk.everything import Results, npm_tables
from tests.sdk.expectations import accepts
from tests.sdk.page import COMMAND, committed

TABLES = ("npm-clients", "npm-requests", "npm-endings", "npm-errors")


@pytest.mark.parametrize("cell", NPM_CELLS, ids=lambda cell: cell.name)
def test_a_full_reply_is_understood(cell: Cell, npm: Results) -> None:
    accepts(cell, npm)


@pytest.mark.parametrize("aside", asides.NPM, ids=lambda aside: aside.name)
def test_lists_counts_refusals_and_all_stops_are_understood(aside: Aside, npm: Results) -> None:
    asides.heard(aside, npm[aside.library][aside.name])


@pytest.mark.parametrize("table", TABLES)
def test_the_page_says_what_was_found(table: str, npm: Results) -> None:
    assert committed(table) == npm_tables(npm)[table], f"run '{COMMAND}' and read what changed"


@pytest.mark.parametrize("column", endings.NPM, ids=lambda column: column.title)
@pytest.mark.parametrize("row", endings.FAULTS)
def test_the_server_delivers_what_is_scripted_before_and_after_the_fault(
    row: str, column: Column, npm: Results
) -> None:
    endings.delivered(row, npm[column.library][endings.name(column, row)])


@pytest.mark.parametrize(
    ("column", "row"),
    [(c, row) for c in errors.NPM for row in errors.rows_of(c)],
    ids=lambda value: str(getattr(value, "title", value)),
)
def test_an_error_carries_the_status_and_what_it_says(row: str, column: Column, npm: Results) -> None:
    errors.told(row, npm[column.library][errors.name(column, row)])


def test_the_request_id_is_found_where_the_client_looks(npm: Results) -> None:
    wholes = [c for c in NPM_CELLS if c.library in ("openai", "@anthropic-ai/sdk") and c.form == "whole"]
    assert len(wholes) == 3
    for cell in wholes:
        assert npm[cell.library][cell.name].heard["request_id"] == "req_000000000001"
