"""The Python client libraries, each at its pinned version in an environment of its own, accept every dialect.

Their environments are built by ``make test``; the tables of docs/clients.md are written by
``python -m tests.sdk.page``.
"""

from __future__ import annotations

import pytest

from tests.sdk import asides, clients_table, endings, errors
from tests.sdk.asides import Aside
from tests.sdk.clients_table import PYTHON_CELLS, Cell, Column
from tests.sdk.everything import Results, python_tables
from tests.sdk.expectations import accepts
from tests.sdk.page import COMMAND, committed

TABLES = ("python-clients", "python-requests", "python-endings", "python-errors", "python-retries")


@pytest.mark.parametrize("cell", PYTHON_CELLS, ids=lambda cell: cell.name)
def test_a_full_reply_is_understood(cell: Cell, python: Results) -> None:
    accepts(cell, python)


@pytest.mark.parametrize("aside", asides.PYTHON, ids=lambda aside: aside.name)
def test_lists_counts_refusals_and_all_stops_are_understood(aside: Aside, python: Results) -> None:
    asides.heard(aside, python[aside.library][aside.name])


@pytest.mark.parametrize("table", TABLES)
def test_the_page_says_what_was_found(table: str, python: Results) -> None:
    assert committed(table) == python_tables(python)[table], f"run '{COMMAND}' and read what changed"


@pytest.mark.parametrize("column", endings.PYTHON, ids=lambda column: column.title)
@pytest.mark.parametrize("row", endings.FAULTS)
def test_the_server_delivers_what_is_scripted_before_and_after_the_fault(
    row: str, column: Column, python: Results
) -> None:
    endings.delivered(row, python[column.library][endings.name(column, row)])


@pytest.mark.parametrize(
    ("column", "row"),
    [(c, row) for c in errors.PYTHON for row in errors.rows_of(c)],
    ids=lambda value: str(getattr(value, "title", value)),
)
def test_an_error_carries_the_status_and_what_it_says(row: str, column: Column, python: Results) -> None:
    errors.told(row, python[column.library][errors.name(column, row)])


@pytest.mark.parametrize(
    ("title", "row"),
    [
        ("openai", "FIN before the headers"),
        ("anthropic", "FIN before the headers"),
        ("google-genai, retries asked for", "503"),
    ],
)
def test_between_tries_it_waits_twice_as_long_each_time(title: str, row: str, python: Results) -> None:
    (column,) = [column for column in errors.PYTHON if column.title == title]
    errors.backs_off(column, python[column.library][errors.name(column, row)])


def test_the_request_id_is_found_where_the_client_looks(python: Results) -> None:
    wholes = [c for c in PYTHON_CELLS if c.library in ("openai", "anthropic") and c.form == "whole"]
    assert len(wholes) == 3
    for cell in wholes:
        assert python[cell.library][cell.name].heard["request_id"] == "req_000000000001"


def test_every_library_that_lacks_something_is_among_the_tested() -> None:
    cells = {(c.library, c.dialect, c.form) for c in (*PYTHON_CELLS, *clients_table.NPM_CELLS)}
    named = {(lack.library, lack.dialect, form) for lack in clients_table.LACKS for form in lack.forms}
    assert named <= cells
