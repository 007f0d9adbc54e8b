"""The tools against real files and processes."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from harness.refagent.conversation import ToolCallBlock
from harness.refagent.interrupts import Interrupts
from harness.refagent.tools import OUTPUT_LIMIT, SECRET, Tools
from tests.dying import dies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harness.refagent.events import ToolFinished


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., ToolFinished]:
    """Run one tool by name: ``run("bash", command="ls")``."""

    def call(name: str, /, **arguments: object) -> ToolFinished:
        return Tools(tmp_path, Interrupts()).run(ToolCallBlock("c", name, json.dumps(arguments)))

    return call


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    """Interrupts that have taken the signals over, given back afterwards."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    installed = Interrupts()
    installed.install()
    yield installed
    for number, handler in before.items():
        signal.signal(number, handler)


def test_write_makes_folders_and_read_gives_the_text_back(
    run: Callable[..., ToolFinished], tmp_path: Path
) -> None:
    assert (
        run("write", path="a/b.txt", content="ä\r\n").output
        == f"wrote 3 characters to {tmp_path / 'a/b.txt'}"
    )
    assert (tmp_path / "a/b.txt").read_bytes() == "ä\r\n".encode()
    assert run("read", path="a/b.txt").output == "ä\r\n"


def test_a_long_file_is_cut_and_the_rest_counted(run: Callable[..., ToolFinished], tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * (OUTPUT_LIMIT + 1234))
    assert run("read", path="long").output == "x" * OUTPUT_LIMIT + "\n[1,234 more bytes left out]"


@pytest.mark.parametrize(
    ("name", "arguments", "complaint"),
    [
        ("read", {"path": "nowhere"}, "No such file or directory"),
        ("read", {"path": "."}, "Is a directory"),
        ("read", {"path": "a\0b"}, "null byte"),
        ("read", {}, "the argument 'path' is missing"),
        ("write", {"path": "x", "content": 3}, "the argument 'content' is missing or not a string"),
        ("fly", {}, "no tool 'fly'; there are read, write, bash"),
    ],
)
def test_trouble_is_told_to_the_model(
    run: Callable[..., ToolFinished], name: str, arguments: dict[str, object], complaint: str
) -> None:
    result = run(name, **arguments)
    assert result.is_error
    assert complaint in result.output


def test_a_pipe_is_refused_because_it_could_block(run: Callable[..., ToolFinished], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert run("read", path="pipe").output == f"error: {tmp_path / 'pipe'} is neither a file nor a folder"
    assert run("write", path="/dev/full", content="x").is_error


def test_arguments_that_are_no_object_are_told_to_the_model(tmp_path: Path) -> None:
    for arguments in ("{", "[]", '"x"'):
        result = Tools(tmp_path, Interrupts()).run(ToolCallBlock("c", "bash", arguments))
        assert (result.output, result.is_error) == ("error: the arguments are not a JSON object", True)


def test_bash_gives_output_errors_and_exit_code(run: Callable[..., ToolFinished]) -> None:
    assert run("bash", command="echo out; echo err >&2; exit 3").output == "out\nerr\n[exit code 3]"


def test_bash_keeps_the_beginning_and_the_end_of_a_flood(run: Callable[..., ToolFinished]) -> None:
    output = run("bash", command="echo first; seq 100000; echo last").output
    assert output.startswith("first\n1\n2\n")
    assert output.endswith("100000\nlast\n[exit code 0]")
    assert "bytes left out]" in output
    assert len(output) < OUTPUT_LIMIT + 100


def test_bash_reads_nothing_and_does_not_know_the_key(
    run: Callable[..., ToolFinished], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET, "sk-secret")
    assert run("bash", command=f"cat; echo key=${SECRET}").output == "key=\n[exit code 0]"


def test_what_a_command_leaves_in_the_background_does_not_outlive_it(
    run: Callable[..., ToolFinished],
) -> None:
    output = run("bash", command="sleep 600 & echo $!").output
    pid, code = output.split("\n")
    assert code == "[exit code 0]"
    assert dies(int(pid))


def test_a_command_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path) -> None:
    tools = Tools(tmp_path, Interrupts(), timeout_s=0.3)
    output = tools.run(
        ToolCallBlock("c", "bash", json.dumps({"command": "sleep 600 & echo $!; wait"}))
    ).output
    pid, note = output.split("\n")
    assert note == "[stopped after 0.3 s]"
    assert dies(int(pid))


def test_a_command_that_closes_its_output_is_waited_for(run: Callable[..., ToolFinished]) -> None:
    assert run("bash", command="exec >&- 2>&-; exit 4").output == "\n[exit code 4]"


def test_ctrl_c_kills_a_running_command_and_its_children(tmp_path: Path, interrupts: Interrupts) -> None:
    os.mkfifo(tmp_path / "started")
    pids: list[int] = []

    def press_when_started() -> None:
        pids.append(int((tmp_path / "started").read_text()))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_when_started).start()
    call = ToolCallBlock("c", "bash", json.dumps({"command": "sleep 600 & echo $! > started; wait"}))
    with pytest.raises(KeyboardInterrupt):
        Tools(tmp_path, interrupts).run(call)
    assert dies(pids[0])


def test_a_signal_outside_a_breakable_place_waits_for_the_next_one(interrupts: Interrupts) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts.breakable():
        pytest.fail("the signal was forgotten")
    with interrupts.breakable():
        pass  # it counts once


def test_a_request_to_end_outranks_ctrl_c_and_gives_the_shells_code(interrupts: Interrupts) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        os.kill(os.getpid(), number)
    with pytest.raises(SystemExit) as end:
        interrupts.check()
    assert end.value.code == 143
