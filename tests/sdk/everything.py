"""One run of all client programs of a kind, and every table of docs/clients.md that it fills."""

from __future__ import annotations

from collections.abc import Mapping

from tests.sdk import asides, clients_table, endings, errors, requests_table
from tests.sdk.asides import Aside
from tests.sdk.clients_table import Cell, Column
from tests.sdk.running import Program, Understood, understand

Results = Mapping[str, Mapping[str, Understood]]


def python_results() -> Results:
    """What the Python libraries made of every case."""
    return _results(
        clients_table.PYTHON, clients_table.PYTHON_CELLS, endings.PYTHON, errors.PYTHON, asides.PYTHON
    )


def npm_results() -> Results:
    """What the npm libraries made of every case."""
    return _results(clients_table.NPM, clients_table.NPM_CELLS, endings.NPM, errors.NPM, asides.NPM)


def python_tables(results: Results) -> dict[str, str]:
    """The tables of the Python libraries by the name of their place in the page."""
    return {
        "python-clients": clients_table.table(clients_table.PYTHON, clients_table.PYTHON_CELLS, results),
        "python-requests": requests_table.table(clients_table.PYTHON_CELLS, results),
        "python-endings": endings.table(endings.PYTHON, results),
        "python-errors": errors.table(errors.PYTHON, results),
        "python-retries": errors.retries_table(errors.PYTHON, results),
    }


def npm_tables(results: Results) -> dict[str, str]:
    """The tables of the npm libraries by the name of their place in the page."""
    return {
        "npm-clients": clients_table.table(clients_table.NPM, clients_table.NPM_CELLS, results),
        "npm-requests": requests_table.table(clients_table.NPM_CELLS, results),
        "npm-endings": endings.table(endings.NPM, results),
        "npm-errors": errors.table(errors.NPM, results),
    }


def _results(
    libraries: Mapping[str, tuple[Program, str]],
    cells: tuple[Cell, ...],
    broken: tuple[Column, ...],
    refused: tuple[Column, ...],
    others: tuple[Aside, ...],
) -> Results:
    return understand(
        {
            library: (
                program,
                [
                    *(cell.case for cell in cells if cell.library.partition(".")[0] == library),
                    *endings.cases(broken, library),
                    *errors.cases(refused, library),
                    *(aside.case for aside in others if aside.library == library),
                ],
            )
            for library, (program, _) in libraries.items()
        }
    )
