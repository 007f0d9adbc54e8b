"""Several scripts behind one server: which of them answers a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.dialects import dialect_for_path
from mock_llm.request import BadRequest
from mock_llm.routing import Router, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mock_llm.journal import Exchange
    from mock_llm.replies import Reply
    from mock_llm.script import Script, ScriptTurn

_MOST_NAMES = 8


class Scripts:
    """Answer each request by the script that it belongs to.

    A script that is alone answers at every path. Of several, the first segment of the path names one
    (``/NAME/v1/messages``); at a path that names none, the script answers whose ``lane`` a user message
    carries. What belongs to no script is refused with the names.

    Args:
        scripts: The scripts by name; at least one.
    """

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = dict(scripts)
        self._routers = {name: Router(script) for name, script in scripts.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order they were given."""
        return tuple(self._routers)

    def lane(self, name: str) -> str:
        """The text that a user message of that script's conversation carries; empty when any will do."""
        return self._scripts[name].lane

    @property
    def unused(self) -> tuple[ScriptTurn, ...]:
        """The turns that no request has reached yet, of all scripts."""
        return tuple(turn for router in self._routers.values() for turn in router.responder.unused)

    def put(self, name: str, script: Script) -> None:
        """Add a script, or put it in the place of another; it starts at its first turn."""
        self._scripts[name] = script
        self._routers[name] = Router(script)

    def restart(self) -> None:
        """Start every script again at its first turn."""
        self._routers = {name: Router(script) for name, script in self._scripts.items()}

    def route(self, exchange: Exchange, body: bytes) -> Reply:
        """The reply to a request, and in the exchange which script gives it."""
        name = self._name(exchange, body)
        if name is None:
            return refuse(exchange, 404, self._nobody(exchange))
        if len(self._routers) > 1:
            exchange.script = name
        return self._routers[name].route(exchange, body)

    def _name(self, exchange: Exchange, body: bytes) -> str | None:
        if len(self._routers) == 1:
            return self.names[0]
        path = exchange.path.partition("?")[0]
        named = path.lstrip("/").partition("/")[0]
        if named in self._routers:
            return named
        if exchange.method != "POST":
            return self.names[0]  # the list of models, and whether anyone is there: the same for all
        return self._in_lane(exchange, body)

    def _in_lane(self, exchange: Exchange, body: bytes) -> str | None:
        dialect = dialect_for_path(exchange.path)
        if dialect is None:
            return None
        try:
            request = dialect.parse_request(body, exchange.path, exchange.headers)
        except BadRequest:
            return None
        said = [message.text for message in request.messages if message.role == "user"]
        lanes = ((name, script.lane) for name, script in self._scripts.items() if script.lane)
        return next((name for name, lane in lanes if any(lane in text for text in said)), None)

    def _nobody(self, exchange: Exchange) -> str:
        names = ", ".join(f"/{name}" for name in self.names[:_MOST_NAMES])
        more = ", ..." if len(self.names) > _MOST_NAMES else ""
        lanes = [f"'{script.lane}'" for script in self._scripts.values() if script.lane][:_MOST_NAMES]
        carried = f"  or let a user message carry a script's lane: {', '.join(lanes)}" if lanes else ""
        return "\n".join(
            line
            for line in (
                f"request {exchange.number} names none of the {len(self.names)} scripts",
                f"  {exchange.method} {exchange.path}",
                f"  put a script's name before the path: {names}{more}",
                carried,
            )
            if line
        )
