"""The mock model for Python programs."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_llm import serve, serve_async
from mock_llm.api import AsyncMock, Mock
from mock_llm.given import scripts_of
from mock_llm.problems import ScriptError
from mock_llm.reload import CannotServe
from mock_llm.script import Script, ScriptTurn
from mock_llm.turn import Text, ToolCall, Turn
from tests.mock_llm.command import ask, opened

HELD = {"say": "abcdef", "stream": {"hold_after": 3, "hold": "three"}}


def test_turns_answer_in_their_order_whoever_asks() -> None:
    three, four = Turn((Text("three"),)), ScriptTurn(Turn((Text("four"),)))
    with serve("one {nonce} {x}", {"say": "two"}, three, four) as mock:
        said = [ask(mock.base_url, text) for text in ("a", "b", "a", "c")]
        assert said == ["one {nonce} {x}", "two", "three", "four"]
        assert [exchange.reply for exchange in mock.journal] == [1, 2, 3, 4]
        assert (mock.problems, mock.unused) == ([], [])


def test_a_reply_can_be_held_looked_at_and_let_go() -> None:
    with serve(HELD) as mock:
        said: list[str] = []
        asking = threading.Thread(target=lambda: said.append(ask(mock.base_url)))
        asking.start()
        held = mock.wait_for_hold(1)
        assert (held.held_at, held.text_sent, said) == ("three", "", [])
        assert mock.release("three") == 1
        assert mock.wait_for_end(1).ended == "complete"
        asking.join()
        assert said == ["abcdef"]


def test_what_does_not_come_in_time_is_an_error() -> None:
    with serve("one") as mock:
        for wait in (mock.wait_for_request, mock.wait_for_hold, mock.wait_for_end):
            with pytest.raises(TimeoutError):
                wait(1, timeout_s=0.01)


def test_a_stopped_mock_has_cut_what_was_under_way_and_freed_its_port() -> None:
    mock = serve(HELD)
    with opened(f"{mock.openai_url}/chat/completions", body(stream=True)) as response:
        mock.wait_for_hold(1)
        mock.stop()
        mock.stop()
        assert mock.journal[0].ended == "server-stopped"
        assert b"abc" in response.read1()
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", int(mock.base_url.rsplit(":", 1)[1])))
    assert not any(thread.name == "mock-llm" for thread in threading.enumerate())


def body(text: str = "hello", *, stream: bool) -> dict[str, Any]:
    return {"model": "m", "stream": stream, "messages": [{"role": "user", "content": text}]}


def test_the_environment_aims_the_common_clients() -> None:
    with serve("Hi", token="secret-7") as mock:
        assert mock.env == {
            "OPENAI_BASE_URL": f"{mock.base_url}/v1",
            "OPENAI_API_KEY": "secret-7",
            "ANTHROPIC_BASE_URL": mock.base_url,
            "ANTHROPIC_API_KEY": "secret-7",
            "GOOGLE_GEMINI_BASE_URL": mock.base_url,
            "GEMINI_API_KEY": "secret-7",
        }
        assert ask(mock.base_url, key=mock.key) == "Hi"


def test_refused_requests_are_told_in_full() -> None:
    with serve("only one") as mock, httpx.Client(base_url=mock.base_url, trust_env=False) as client:
        statuses = [
            client.post("/v1/chat/completions", json=body(text, stream=False)).status_code for text in "ab"
        ]
        assert statuses == [200, 400]
        assert mock.problems[0].startswith("request 2 has no turn left to answer it")


def test_two_mocks_at_once_do_not_know_each_other() -> None:
    with serve("left") as left, serve("right") as right:
        assert (ask(right.base_url), ask(left.base_url)) == ("right", "left")


def test_a_taken_port_is_an_error_and_leaves_no_thread() -> None:
    with serve("x") as mock, pytest.raises(OSError, match="address already in use"):
        serve("y", port=int(mock.base_url.rsplit(":", 1)[1]))
    assert not any(thread.name == "mock-llm" for thread in threading.enumerate())


def test_an_event_loop_can_host_it(live: Any) -> None:
    async def test() -> None:
        async with (
            serve_async(HELD, "two") as mock,
            httpx.AsyncClient(base_url=mock.openai_url, trust_env=False) as client,
        ):
            asked = asyncio.create_task(client.post("/chat/completions", json=body(stream=False)))
            assert (await mock.wait_for_request(1)).number == 1
            assert (await mock.wait_for_hold(1)).held_at == "three"
            assert mock.release("three") == 1
            assert (await mock.wait_for_end(1)).ended == "complete"
            assert (await asked).status_code == 200
            assert mock.unused == ["turn 2"]

    live.run(test)


def test_files_folders_and_scripts_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text('model:\n  - say: "A {nonce}"\n', encoding="utf-8")
    (tmp_path / "b.yaml").write_text("model:\n  - say: B\n", encoding="utf-8")

    with serve(tmp_path, nonce="N-1") as mock:
        assert (ask(f"{mock.base_url}/a"), ask(f"{mock.base_url}/b")) == ("A N-1", "B")
    with serve(Script((ScriptTurn(Turn((Text("C"),))),))) as mock:
        assert ask(mock.base_url) == "C"


def test_a_mapping_is_a_turn_as_yaml_has_it() -> None:
    [script] = scripts_of([{"say": "a", "call": {"read": {"path": "x"}}, "times": 2}]).values()

    assert [turn.turn.parts[0] for turn in script.turns] == [Text("a"), Text("a")]
    assert isinstance(script.turns[0].turn.parts[1], ToolCall)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([3], TypeError, "turn 1 is a int; a text, a mapping or a Turn can be played"),
        (["a", Path("s.yaml")], TypeError, "turn 2 is a PosixPath"),
        (["a", {"saay": "x"}], ScriptError, "unknown key 'saay' in a turn"),
        ([Path("/nowhere/s.yaml")], CannotServe, "No such file"),
    ],
)
def test_what_cannot_be_played_is_said(given: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        scripts_of(given)


def test_both_kinds_can_do_the_same() -> None:
    def names(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")} - {"start"}

    assert names(Mock) == names(AsyncMock)
