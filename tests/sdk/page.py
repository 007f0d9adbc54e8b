"""The tables of docs/clients.md. ``python -m tests.sdk.page`` runs every client and writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
COMMAND = "python -m tests.sdk.page"


def committed(name: str) -> str:
    """A table as the page has it."""
    found = re.search(_pattern(name), PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"{PAGE} has no place for '{name}'"
    return found[2]


def with_table(page: str, name: str, table: str) -> str:
    """The page with one table replaced."""
    return re.sub(_pattern(name), lambda found: found[1] + table + found[3], page, flags=re.DOTALL)


def _pattern(name: str) -> str:
    return rf"(<!-- {name} -->\n)(.*?)(\n<!-- end -->)"


def main() -> None:
    """Write every table whose clients can run here."""
    from tests.sdk.environments import node_program
    from tests.sdk.everything import npm_results, npm_tables, python_results, python_tables

    tables = python_tables(python_results())
    if node_program():
        tables |= npm_tables(npm_results())
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        page = with_table(page, name, table)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
