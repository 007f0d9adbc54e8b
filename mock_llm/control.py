"""The control API: the journal, waits, gates and resets for tools in any language, under ``/__``.

Answers are JSON. Only pages and programs of this machine may ask: a request that a web page of another
origin has caused, or that reached us under another name than this machine's, is refused.
"""

from __future__ import annotations

import json
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from mock_llm.asked import Answered
from mock_llm.journal_json import exchange_summary, exchange_whole
from mock_llm.token import is_admitted, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.asked import Asked
    from mock_llm.journal import Exchange, Journal
    from mock_llm.script import ScriptTurn
    from mock_llm.server import MockServer

DEFAULT_TIMEOUT_S = 30.0
LONGEST_TIMEOUT_S = 3600.0
_DONE = {"begun": "begun", "held": "come to a gate", "ended": "ended"}
ROUTES = (
    "GET /__health",
    "GET /__journal[?after=N][&full=1]",
    "GET /__journal/N",
    "GET /__wait?request=N[&until=begun|held|ended][&timeout_s=T]",
    "POST /__release?gate=NAME[&count=N]",
    "POST /__reset",
)


class Refused(Exception):
    """What is asked cannot be done; ``status`` is the HTTP one."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Control:
    """Answer the control API of one server.

    Args:
        server: The server that is looked at and driven.
        restart: Starts the scripts again at their first turns.
        unused: The turns that no request has reached yet.
        token: Without it, or with an empty one, every program of this machine may ask.
    """

    def __init__(
        self,
        server: MockServer,
        *,
        restart: Callable[[], None],
        unused: Callable[[], tuple[ScriptTurn, ...]],
        token: str = "",
    ) -> None:
        self._server = server
        self._restart = restart
        self._unused = unused
        self._token = token
        self._released: set[str] = set()

    async def answer(self, asked: Asked) -> Answered:
        """The answer to a request; that to ``/__wait`` comes when what is waited for has happened."""
        try:
            value = await self._value(asked)
        except Refused as error:
            return Answered(error.status, _rendered({"error": str(error)}))
        return Answered(200, _rendered(value))

    async def _value(self, asked: Asked) -> dict[str, Any]:
        self._admit(asked)
        url = urlsplit(asked.target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        words = url.path.strip("/").split("/")
        route = words[0]
        _require_method(asked.method, "POST" if route in ("__release", "__reset") else "GET", route)
        if route == "__health":
            held = self._server.gates.held
            return {"ok": True, "requests": len(self._server.journal.exchanges), "held": held}
        if route == "__journal":
            return self._exchange(words[1]) if len(words) > 1 else self._journal(query)
        if route == "__wait":
            return await self._wait(query)
        if route == "__release":
            return self._release(query)
        if route == "__reset":
            return self._reset()
        raise Refused(404, f"no '/{route}' here; there are {', '.join(ROUTES)}")

    def _admit(self, asked: Asked) -> None:
        host, origin = f"//{asked.headers.get('host', '')}", asked.headers.get("origin", "")
        for name, url in (("Host", host), ("Origin", origin)):
            if not _is_local(url):  # 'null' is what a page without an origin of its own sends
                raise Refused(
                    403, f"the control API is for this machine only, and '{name}' is '{url.strip('/')}'"
                )
        if not is_admitted(self._token, asked.headers, asked.target):
            raise Refused(401, f"the request {refusal(asked.headers, asked.target)}")

    def _journal(self, query: Mapping[str, str]) -> dict[str, Any]:
        after = _number(query, "after", 0)
        shown = exchange_whole if query.get("full", "") not in ("", "0") else exchange_summary
        journal = self._server.journal
        return {
            "exchanges": [shown(exchange) for exchange in journal.exchanges if exchange.number > after],
            "problems": [exchange.complaint for exchange in journal.problems],
            "unused": [turn.place for turn in self._unused()],
        }

    def _exchange(self, word: str) -> dict[str, Any]:
        number = _number({"number": word}, "number")
        exchange = _find(self._server.journal, number)
        if exchange is None:
            raise Refused(404, f"no request {number}; there were {len(self._server.journal.exchanges)}")
        return exchange_whole(exchange)

    async def _wait(self, query: Mapping[str, str]) -> dict[str, Any]:
        number, until = _number(query, "request"), query.get("until", "begun")
        timeout_s = _seconds(query, "timeout_s", DEFAULT_TIMEOUT_S)
        waits = {
            "begun": self._server.wait_for_request,
            "held": self._server.wait_for_hold,
            "ended": self._server.wait_for_end,
        }
        if until not in waits:
            raise Refused(400, f"'until' is one of {', '.join(waits)}, not '{until}'")
        try:
            return exchange_whole(await waits[until](number, timeout_s))
        except TimeoutError:
            seen = f"there were {len(self._server.journal.exchanges)} requests"
            raise Refused(
                504, f"request {number} has not {_DONE[until]} within {timeout_s:g} s; {seen}"
            ) from None

    def _release(self, query: Mapping[str, str]) -> dict[str, Any]:
        gate = query.get("gate", "")
        if not gate:
            raise Refused(400, "say which gate: POST /__release?gate=NAME")
        count = _number(query, "count") if "count" in query else None
        self._released.add(gate)
        return {"gate": gate, "released": self._server.release(gate, count)}

    def _reset(self) -> dict[str, Any]:
        dropped = len(self._server.journal.exchanges)
        self._restart()
        self._server.journal.clear()
        while self._released:
            self._server.gates.shut(self._released.pop())
        return {"dropped": dropped}


def _is_local(url: str) -> bool:
    """Whether a URL is absent or names this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return url in ("", "//") or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _find(journal: Journal, number: int) -> Exchange | None:
    return next((exchange for exchange in journal.exchanges if exchange.number == number), None)


def _require_method(method: str, wanted: str, route: str) -> None:
    if method != wanted and not (method == "HEAD" and wanted == "GET"):
        raise Refused(405, f"'/{route}' wants {wanted}, not {method}")


def _number(query: Mapping[str, str], name: str, default: int | None = None) -> int:
    text = query.get(name, "" if default is None else str(default))
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise Refused(400, f"'{name}' is a number of a request, from 1, not '{text}'")
    return int(text)


def _seconds(query: Mapping[str, str], name: str, default: float) -> float:
    text = query.get(name, str(default))
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST_TIMEOUT_S:
        raise Refused(400, f"'{name}' is a time from 0 to {LONGEST_TIMEOUT_S:g} s, not '{text}'")
    return value


def _rendered(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode("utf-8")
