"""Each agent's session store in one form: the roles, the parts and how a message ended."""

from __future__ import annotations

import json

import pytest

from harness.readers import read
from harness.transcript import Transcript
from tests.readers.samples import LLM, SAMPLES, opencode

SHORT = {"text": "t", "thinking": "th", "tool_call": "call", "tool_result": "result"}


def shown(transcript: Transcript) -> list[str]:
    """One line a message: role, parts, and how it ended."""
    found = []
    for message in transcript.messages:
        parts = [
            f"{SHORT[part.kind]}:{part.name}{':' if part.name else ''}{part.text}" for part in message.parts
        ]
        ends = [end for end in (message.stop_reason, message.error, "hidden" * message.hidden) if end]
        end = f" [{', '.join(ends)}]" if ends else ""
        found.append(f"{message.role} {' | '.join(parts)}{end}")
    return found


WANTED = {
    "codex-rollout": [
        "system t:<skills_instructions> [hidden]",
        "user t:<environment_context> [hidden]",
        "user t:list twice",
        'assistant th:Both.  | t:I will list. | call:exec_command:{"cmd": "ls"}',
        "tool result:a.txt",
        "assistant t:Done.",
        "user t:go on",
        "assistant  [interrupted]",
        "user t:<turn_aborted> [hidden]",
    ],
    "gemini-jsonl": [
        "user t:<session_context> [hidden]",
        "user t:list it",
        'assistant th:**Plan** one call | t:I will list. | call:run_shell_command:{"command": "ls"}',
        "tool result:run_shell_command:a.txt",
        "assistant t:Done.",
        "assistant  [cancelled]",
    ],
    "claude-jsonl": [
        "user t:list it",
        'assistant th:hm | call:Bash:{"command": "ls"} [tool_use]',
        "tool result:a.txt",
        "assistant t:Do [interrupted]",
        "user t:[Request interrupted by user]",
    ],
    "qwen-jsonl": [
        "user t:list it",
        'assistant th:hm | t:I will list. | call:run_shell_command:{"command": "ls"}',
        "tool result:run_shell_command:a.txt",
        "assistant t:Do [interrupted]",
    ],
    "cline-json": [
        'user t:<user_input mode="act">list it</user_input>',
        'assistant th:hm | call:run_commands:{"command": "ls"}',
        "tool result:a.txt",
        "assistant t:Done.",
    ],
    "copilot-events": [
        "user t:list it",
        'assistant th:hm | t:I will list. | call:bash:{"command": "ls"}',
        "tool result:a.txt",
        "assistant  [aborted, user_abort]",
    ],
    "aider-markdown": [
        "system t:Aider v0.86.2\nMain model: openai/mock-1 with whole edit format [hidden]",
        "user t:list it\nin two lines",
        "assistant t:Here it is:\n\na.txt",
        "system t:Tokens: 1.2k sent, 12 received. [hidden]",
    ],
    "gptme-jsonl": [
        "system t:You are gptme [hidden]",
        "user t:list it",
        'assistant t:I will list. | call:shell:{"command": "ls"}',
        "tool result:Ran command: ls\n\na.txt",
        "assistant t:Done.",
        "assistant  [error, LLM request failed: degeneration]",
    ],
    "mini-json": [
        "system t:You are a helpful assistant [hidden]",
        "user t:list it",
        'assistant t:I will list. | call:bash:{"command": "ls"}',
        "tool result:a.txt",
        "system  [RepeatedFormatError]",
    ],
    "llm-json": ["system t:Be brief [hidden]", "user t:list it", "assistant th:hm | t:a.txt"],
    "opencode-sqlite": [
        "user t:list it",
        'assistant th:hm | t:I will list. | call:bash:{"command": "ls"} [tool_calls]',
        "tool result:bash:a.txt",
        "assistant t:Do [aborted, Aborted]",
    ],
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_session_is_read_into_messages(name: str) -> None:
    assert shown(read(name, SAMPLES[name])) == WANTED[name]


@pytest.mark.parametrize("logged", [0, 1, 2, 3])
def test_what_is_only_in_the_log_of_a_database_is_read_too(logged: int) -> None:
    files = opencode(logged=logged)
    assert shown(read("opencode-sqlite", files)) == WANTED["opencode-sqlite"]
    without = read("opencode-sqlite", {"opencode.db": files["opencode.db"]})
    assert len(without.assistant) == max(2 - logged, 0)


def test_a_log_that_was_cut_counts_up_to_its_last_commit() -> None:
    files = opencode(logged=2)
    log = files["opencode.db-wal"]
    found = read("opencode-sqlite", {**files, "opencode.db-wal": log[:-1]})
    assert [m.role for m in found.messages] == ["user", "assistant", "tool", "assistant"]
    assert found.assistant[1].parts == (), "its part was the last commit"


def test_an_empty_store_has_no_messages() -> None:
    assert [read(name, b"").messages for name in sorted(SAMPLES)] == [()] * len(SAMPLES)


def test_the_log_of_llm_is_told_by_its_content() -> None:
    assert read("llm-json", {"logs.db": LLM}) == read("llm-json", {"logs.json": LLM})


def test_a_line_of_gptme_that_only_looks_like_a_call_is_text() -> None:
    content = "Write\n@shell(c1): {nothing of that\nand go on."
    (message,) = read("gptme-jsonl", json.dumps({"role": "assistant", "content": content})).messages
    assert (message.text, len(message.parts)) == (content, 1)
