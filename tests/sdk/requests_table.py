"""How every client library asks: paths, keys, and whether a request says which try it is."""

from __future__ import annotations

from collections.abc import Mapping

from mock_llm.dialects.fields import RETRY_HEADER
from mock_llm.journal import Exchange
from tests.sdk.clients_table import Cell
from tests.sdk.running import Understood

KEYS = ("authorization", "x-api-key", "x-goog-api-key")


def table(cells: tuple[Cell, ...], results: Mapping[str, Mapping[str, Understood]]) -> str:
    """The Markdown table: a row for each library and dialect."""
    lines = [
        "| library | dialect | streamed | whole | key in | counts its tries |",
        "|---|---|---|---|---|---|",
    ]
    for library, dialect in dict.fromkeys((cell.library, cell.dialect) for cell in cells):
        here = [cell for cell in cells if (cell.library, cell.dialect) == (library, dialect)]
        found = {cell.form: results[library.partition(".")[0]][cell.name].exchanges[0] for cell in here}
        streamed, whole = found["iterated"], found["whole"]
        assert key_header(streamed) == key_header(whole)
        counts = "yes" if RETRY_HEADER in streamed.headers else ""
        lines.append(
            f"| {library.replace('.', ' with openai-')} | {dialect} | `{streamed.path}` | `{whole.path}` "
            f"| `{key_header(streamed)}` | {counts} |"
        )
    return "\n".join(lines)


def key_header(exchange: Exchange) -> str:
    """The headers in which the client sends its key."""
    return ", ".join(name for name in KEYS if name in exchange.headers)
