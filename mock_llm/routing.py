"""From a whole HTTP request to the reply's head and commands; fills in the exchange. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm import delivery
from mock_llm.dialects import PATHS, by_name, counting_for_path, dialect_for_path
from mock_llm.dialects.dialect import Ids
from mock_llm.dialects.sse import input_tokens
from mock_llm.fates import Fate, fate_of
from mock_llm.matchers import UndecidedError
from mock_llm.replies import JSON, Impossible, Reply, scripted_reply
from mock_llm.request import BadRequest
from mock_llm.responder import Play, Refuse, Responder
from mock_llm.script import ScriptTurn

if TYPE_CHECKING:
    from mock_llm.dialects.dialect import Counting, Dialect
    from mock_llm.journal import Exchange
    from mock_llm.script import Script

MODELS = ("mock-model",)
GREETING = b"mock-llm\n"


class Router:
    """Answer each request of one run: the model's paths by the script, a few others by constants."""

    def __init__(self, script: Script) -> None:
        self.responder = Responder(script, self._fate)
        self._attempts: dict[tuple[str, int], int] = {}
        self._exchanges: dict[int, Exchange] = {}

    def route(self, exchange: Exchange, body: bytes) -> Reply:
        """The reply to a request; its place in the journal is filled in on the way."""
        dialect = dialect_for_path(exchange.path)
        if dialect is not None and exchange.method == "POST":
            return self._model(exchange, dialect, body)
        counting = counting_for_path(exchange.path)
        if counting is not None and exchange.method == "POST":
            return _counted(exchange, counting, body)
        if exchange.method in ("GET", "HEAD"):
            constant = _constant(exchange)
            if constant is not None:
                return constant
        if dialect is not None:
            problem = _misdirected(exchange, "with a method other than POST")
            return refuse(exchange, 405, problem, dialect)
        return refuse(exchange, 404, _misdirected(exchange, "for a path that the mock does not serve"))

    def _model(self, exchange: Exchange, dialect: Dialect, body: bytes) -> Reply:
        try:
            request = dialect.parse_request(body, exchange.path, exchange.headers)
        except BadRequest as error:
            problem = f"request {exchange.number} is not valid for {dialect.name}: {error}"
            return refuse(exchange, 400, problem, dialect)
        exchange.request = request = request._replace(headers=exchange.headers)
        try:
            answer = self.responder.answer(request, exchange.number)
        except UndecidedError as error:
            problem = f"request {exchange.number} cannot be told from others\n  {error}"
            return refuse(exchange, 400, problem, dialect)
        if isinstance(answer, Refuse):
            exchange.violations = answer.violations
            return refuse(exchange, answer.status, answer.message, dialect)
        if isinstance(answer, Play):
            self._played(exchange, answer)
        else:
            exchange.lane, exchange.turn = "side", ScriptTurn(answer.side.turn, place=answer.side.name)
        assert exchange.turn is not None
        try:
            reply = scripted_reply(exchange, exchange.turn, request, dialect)
        except Impossible as error:
            return refuse(exchange, 400, f"request {exchange.number} cannot be answered: {error}", dialect)
        # One that is refused has no fate, and the journal drops it.
        self._exchanges[exchange.number] = exchange
        return reply

    def _played(self, exchange: Exchange, play: Play) -> None:
        """Only replies of the main lane are numbered in the journal; those of others name their lane."""
        key = play.lane, play.reply
        exchange.attempt = self._attempts[key] = self._attempts.get(key, 0) + 1
        exchange.lane, exchange.of_lane, exchange.turn = "main", play.lane, play.turn
        exchange.conversation, exchange.note = play.conversation, play.note
        exchange.violations = play.violations
        if not play.lane:
            exchange.reply = play.reply
            return
        exchange.lane, stream = "side", play.turn.stream
        if stream.is_held and not stream.hold:
            gate = f"{play.lane}-{play.reply}"
            exchange.turn = play.turn._replace(stream=stream._replace(hold=gate))

    def _fate(self, number: int) -> Fate:
        exchange = self._exchanges.get(number)
        return fate_of(exchange) if exchange else Fate()


def refuse(exchange: Exchange, status: int, problem: str, dialect: Dialect | None = None) -> Reply:
    """An error in the provider's shape; the exchange becomes a problem of the run."""
    exchange.lane, exchange.problem = "none", problem
    dialect = dialect or dialect_for_path(exchange.path) or _guess(exchange)
    body = dialect.error_body(status, problem, request_id=_request_id(exchange, dialect)[1])
    return _fixed(exchange, status, body, JSON, dialect)


def _constant(exchange: Exchange) -> Reply | None:
    """What clients ask besides the model: the list of models, and whether anyone is there."""
    path = exchange.path.partition("?")[0].rstrip("/")
    dialect = _guess(exchange)
    if path == "":
        return _aside(exchange, GREETING, "text/plain; charset=utf-8", dialect)
    if path.endswith("/models"):
        return _aside(exchange, dialect.models_body(MODELS), JSON, dialect)
    _, is_one, model = path.partition("/models/")
    if is_one and model and dialect_for_path(path) is None:  # every model is served, whatever its name
        from urllib.parse import unquote  # few clients ask for one model

        return _aside(exchange, dialect.model_body(unquote(model)), JSON, dialect)
    return None


def _counted(exchange: Exchange, dialect: Counting, body: bytes) -> Reply:
    """How many tokens a request has: asked beside the conversation, and no turn of it."""
    try:
        request = dialect.parse_request(body, exchange.path, exchange.headers)
    except BadRequest as error:
        problem = f"request {exchange.number} is not valid for {dialect.name}: {error}"
        return refuse(exchange, 400, problem, dialect)
    return _aside(exchange, dialect.count_body(input_tokens(request)), JSON, dialect)


def _aside(exchange: Exchange, body: bytes, content_type: str, dialect: Dialect) -> Reply:
    exchange.lane = "side"
    return _fixed(exchange, 200, body, content_type, dialect)


def _fixed(exchange: Exchange, status: int, body: bytes, content_type: str, dialect: Dialect) -> Reply:
    headers = (("content-type", content_type), _request_id(exchange, dialect))
    commands = (delivery.Send(body), delivery.Finish())
    return Reply(status, headers, iter(commands), len(body))


def _request_id(exchange: Exchange, dialect: Dialect) -> tuple[str, str]:
    return dialect.request_id_header, Ids(exchange.number).numbered("req_")


def _guess(exchange: Exchange) -> Dialect:
    """The dialect of a client whose path does not say it."""
    path, _, query = exchange.path.partition("?")
    if "x-goog-api-key" in exchange.headers or "/v1beta" in path or query.startswith("key="):
        return by_name("gemini")
    anthropic = "anthropic-version" in exchange.headers or "x-api-key" in exchange.headers
    return by_name("anthropic-messages" if anthropic else "openai-chat")


def _misdirected(exchange: Exchange, what: str) -> str:
    known = ", ".join(f"POST ...{path}" for path in PATHS)
    return "\n".join(
        (
            f"request {exchange.number} asks {what}",
            f"  {exchange.method} {exchange.path}",
            f"  served: {known}, GET .../models[/ID]",
            "  see which base URL and which wire format the client is configured for",
        )
    )
