"""Runs the loop: carries out its commands and feeds back what comes of them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.refagent.commands import (
    EndTurn,
    HangUp,
    Notify,
    Record,
    RunTool,
    SaveInFlight,
    SendRequest,
    SettleInFlight,
    Show,
    ShowCall,
)
from harness.refagent.events import UserInterrupt, UserPrompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.refagent.client import ModelClient
    from harness.refagent.commands import Command
    from harness.refagent.conversation import Message, ToolCallBlock
    from harness.refagent.display import Display
    from harness.refagent.events import Event
    from harness.refagent.loop import AgentLoop
    from harness.refagent.session import Session
    from harness.refagent.tools import Tools


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside the loop."""

    client: ModelClient
    tools: Tools
    session: Session
    display: Display
    request_body: Callable[[tuple[Message, ...]], dict[str, Any]]


class Driver:
    """Takes one user message at a time through the loop."""

    def __init__(self, loop: AgentLoop, world: World) -> None:
        self._loop = loop
        self._world = world
        self._request: SendRequest | None = None
        self._call: ToolCallBlock | None = None
        self._hung_up = False
        self._end: EndTurn | None = None

    def turn(self, prompt: str) -> EndTurn:
        """Deal with one user message, to its end."""
        self._end = None
        self._feed(UserPrompt(prompt))
        while self._end is None:
            try:
                self._step()
            except KeyboardInterrupt:
                self._feed(UserInterrupt())
        self._world.display.end_reply()
        return self._end

    def _step(self) -> None:
        """Do the one thing that the loop waits for."""
        if self._call is not None:
            call, self._call = self._call, None
            self._feed(self._world.tools.run(call))
        elif self._request is not None:
            request, self._request = self._request, None
            self._stream(request)
        else:
            raise AssertionError("the loop waits for nothing and has not ended the turn")

    def _stream(self, request: SendRequest) -> None:
        self._hung_up = False
        body = self._world.request_body(request.messages)
        with closing(self._world.client.ask(body)) as events:  # leaving early closes the connection
            for event in events:
                self._feed(event)
                if self._hung_up or self._end:
                    return

    def _feed(self, event: Event) -> None:
        for command in self._loop.handle(event):
            self._obey(command)

    def _obey(self, command: Command) -> None:
        match command:
            case SendRequest():
                self._request = command
            case RunTool(call):
                self._call = call
            case HangUp():
                self._hung_up = True
            case EndTurn():
                self._end = command
            case _:
                self._tell(command)

    def _tell(self, command: SaveInFlight | Record | SettleInFlight | Show | ShowCall | Notify) -> None:
        world = self._world
        match command:
            case SaveInFlight(block, kind, text):
                world.session.save_in_flight(block, kind, text)
            case Show(kind, text):
                world.display.show(kind, text)
            case Record(record):
                world.session.append(record)
            case SettleInFlight():
                world.session.settle_in_flight()
                world.display.end_reply()
            case Notify(text):
                world.display.notify(text)
            case ShowCall(call):
                world.display.show_call(call)
