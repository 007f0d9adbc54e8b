"""The HTTP client: one request at a time, its reply as stream events."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
from httpx_sse import EventSource

from harness.refagent.errors import StartError
from harness.refagent.events import Done, StreamError
from harness.refagent.retry import Refused, wait_before_retry
from harness.refagent.wire import error_text, parse_object

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from httpx_sse import ServerSentEvent

    from harness.refagent.events import StreamEvent
    from harness.refagent.interrupts import Interrupts
    from harness.refagent.wire import Wire

USER_AGENT = "ttsr-refagent/0.1"
_CONNECT_TIMEOUT_S = 5.0


class ModelClient:
    """Sends requests to one server in one dialect.

    Args:
        wire: The dialect.
        base_url: Where the dialect's path is added.
        path: The dialect's path for this model.
        api_key: Sent as the dialect wants it; empty sends none.
        interrupts: Waiting for the server can be broken off by these.
        notify: Told in one line about each retry.
        max_retries: How often a request that was refused for the moment is sent again.
        timeout_s: How long the server may stay silent.

    Raises:
        StartError: If the base URL is none.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        base_url: str,
        path: str,
        api_key: str,
        interrupts: Interrupts,
        notify: Callable[[str], None],
        max_retries: int,
        timeout_s: float,
    ) -> None:
        self._wire = wire
        self._url = _url(base_url, path)
        self._headers = wire.headers(api_key)
        self._interrupts = interrupts
        self._notify = notify
        self._max_retries = max_retries
        self._http = httpx.Client(
            # Loading the certificate bundle takes tens of milliseconds; a plain connection has no use for it.
            verify=not base_url.startswith("http:"),
            trust_env=False,
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_TIMEOUT_S),
            headers={"user-agent": USER_AGENT},
        )

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def ask(self, body: dict[str, Any]) -> Generator[StreamEvent]:
        """The events of the model's reply; the last one is ``Done`` or ``StreamError``.

        Closing the iterator hangs up at once. Once the reply has begun, nothing is retried.

        Raises:
            KeyboardInterrupt: On Ctrl-C; the connection is closed.
        """
        for retries_made in range(self._max_retries + 1):
            response, problem = self._send(body, retries_made)
            if response is not None and response.is_success:
                yield from self._events(response)
                return
            refused = (
                Refused(None, {}) if response is None else Refused(response.status_code, response.headers)
            )
            wait_s = wait_before_retry(refused, retries_made, self._max_retries, time.time())
            if wait_s is None:
                yield StreamError(problem)
                return
            self._notify(f"{problem}; trying again in {wait_s:g} s")
            with self._interrupts.breakable():
                time.sleep(wait_s)

    def _send(self, body: dict[str, Any], retries_made: int) -> tuple[httpx.Response | None, str]:
        """Wait for the head of the answer; with a refusal, also for its text."""
        # The SDKs count their retries in this header; servers and their logs understand it.
        headers = {
            **self._headers,
            "accept": "text/event-stream",
            "x-stainless-retry-count": str(retries_made),
        }
        request = self._http.build_request("POST", self._url, json=body, headers=headers)
        try:
            with self._interrupts.breakable():
                response = self._http.send(request, stream=True)
                if response.is_success:
                    return response, ""
                response.read()
        except httpx.HTTPError as error:
            return None, f"no answer from {self._url}: {_reason(error)}"
        return response, f"the server answered {response.status_code}: {error_text(response.text)}"

    def _events(self, response: httpx.Response) -> Iterator[StreamEvent]:
        try:
            yield from self._read(response)
        except httpx.HTTPError as error:
            yield StreamError(f"the connection broke in mid-reply: {_reason(error)}")
        finally:
            response.close()

    def _read(self, response: httpx.Response) -> Iterator[StreamEvent]:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            yield from self._read_whole(response)
        elif kind == "text/event-stream":
            yield from self._read_stream(response)
        else:
            yield StreamError(f"the server answered with content type '{kind}', not with an event stream")

    def _read_whole(self, response: httpx.Response) -> Iterator[StreamEvent]:
        with self._interrupts.breakable():
            response.read()
        body = parse_object(response.text)
        if body is None:
            yield StreamError("the server's answer is not a JSON object")
        else:
            yield from self._wire.decode_whole(body)

    def _read_stream(self, response: httpx.Response) -> Iterator[StreamEvent]:
        decoder = self._wire.decoder()
        source = EventSource(response).iter_sse()
        while (sent := self._next(source)) is not None:
            for event in decoder.feed(sent.data):
                if isinstance(event, Done):
                    self._drain(source)
                yield event
                if isinstance(event, (Done, StreamError)):
                    return
        yield from decoder.finish()

    def _next(self, source: Iterator[ServerSentEvent]) -> ServerSentEvent | None:
        with self._interrupts.breakable():
            return next(source, None)

    def _drain(self, source: Iterator[ServerSentEvent]) -> None:
        """Read to the end of the body, so that the connection can carry the next request."""
        with suppress(httpx.HTTPError):
            while self._next(source) is not None:
                pass


def _url(base_url: str, path: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.rstrip("/") + path)
    except httpx.InvalidURL as error:
        raise StartError(f"'{base_url}' is not a URL: {error}") from error
    if not url.host:
        raise StartError(f"the base URL '{base_url}' names no host")
    return url


def _reason(error: httpx.HTTPError) -> str:
    """What went wrong: httpx leaves some of its messages empty."""
    return str(error) or type(error).__name__
