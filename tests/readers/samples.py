"""Session stores as the agents write them, made by hand to the shapes that real runs left."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any


def lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T18:48:44.690Z", "type": "response_item", "payload": payload}


def event(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-30T18:48:44.690Z", "type": "event_msg", "payload": payload}


def said(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text} for text in texts])


CODEX = lines(
    {"type": "session_meta", "payload": {"cwd": "/w"}},
    said("developer", "<skills_instructions>"),
    said("user", "<environment_context>"),
    said("user", "list twice"),
    event(type="task_started"),
    item(type="reasoning", summary=[{"type": "summary_text", "text": "Both. "}]),
    said("assistant", "I will list."),
    item(type="function_call", name="exec_command", arguments='{"cmd": "ls"}', call_id="c1"),
    item(type="function_call_output", call_id="c1", output="a.txt"),
    event(type="token_count", info={}),
    said("assistant", "Done."),
    said("user", "go on"),
    event(type="turn_aborted", reason="interrupted"),
    said("user", "<turn_aborted>"),
)

GEMINI = lines(
    {"sessionId": "s", "kind": "main"},
    {"$set": {"messages": [{"id": "0", "type": "user", "content": [{"text": "<session_context>"}]}]}},
    {"id": "1", "type": "user", "content": [{"text": "list it"}]},
    {"$set": {"lastUpdated": "2026-11-30T18:49:05.944Z"}},
    {"id": "2", "type": "gemini", "content": "I will list.", "thoughts": []},
    {
        "id": "2",
        "type": "gemini",
        "content": "I will list.",
        "thoughts": [{"subject": "Plan", "description": "one call"}],
        "toolCalls": [
            {
                "id": "t",
                "name": "run_shell_command",
                "args": {"command": "ls"},
                "result": [{"functionResponse": {"id": "t", "response": {"output": "a.txt"}}}],
            }
        ],
    },
    {
        "id": "3",
        "type": "user",
        "content": [{"functionResponse": {"id": "t", "response": {"output": "a.txt"}}}],
    },
    {"id": "4", "type": "gemini", "content": "Done.", "thoughts": []},
    {"id": "5", "type": "info", "content": "Request cancelled."},
)

CLAUDE = lines(
    {"type": "queue-operation", "operation": "enqueue"},
    {"type": "user", "message": {"role": "user", "content": "list it"}},
    {
        "type": "assistant",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
    },
    {
        "type": "assistant",
        "message": {
            "id": "m1",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}],
            "stop_reason": "tool_use",
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a.txt"}],
        },
    },
    {"type": "api-request-blob", "message": {"role": "user", "content": "list it"}},
    {
        "type": "assistant",
        "message": {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "text", "text": "Do"}],
            "stop_reason": None,
        },
    },
    {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]},
    },
)

QWEN = lines(
    {"type": "system", "subtype": "start"},
    {"type": "user", "message": {"role": "user", "parts": [{"text": "list it"}]}},
    {
        "type": "assistant",
        "message": {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"text": "I will list."},
                {"functionCall": {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}}},
            ],
        },
        "usageMetadata": {"promptTokenCount": 1},
    },
    {
        "type": "tool_result",
        "message": {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "c",
                        "name": "run_shell_command",
                        "response": {"output": "a.txt"},
                    }
                }
            ],
        },
    },
    {"type": "assistant", "message": {"role": "model", "parts": [{"text": "Do"}]}},
)

CLINE = json.dumps(
    {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": '<user_input mode="act">list it</user_input>'}],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "tool_use", "id": "t", "name": "run_commands", "input": {"command": "ls"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": [{"type": "text", "text": "a.txt"}],
                    }
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        ]
    },
    indent=1,
).encode()

COPILOT = lines(
    {"type": "session.start", "data": {}},
    {"type": "user.message", "data": {"content": "list it"}},
    {
        "type": "assistant.message",
        "data": {
            "content": "I will list.",
            "reasoningText": "hm",
            "toolRequests": [{"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}],
        },
    },
    {"type": "tool.execution_complete", "data": {"toolCallId": "c", "result": {"content": "a.txt"}}},
    {"type": "assistant.turn_end", "data": {}},
    {"type": "abort", "data": {"reason": "user_abort"}},
)

AIDER = b"""
# aider chat started at 2026-11-30 18:50:01

> Aider v0.86.2\x20\x20
> Main model: openai/mock-1 with whole edit format\x20\x20

#### list it\x20\x20
#### in two lines\x20\x20

Here it is:

a.txt
> Tokens: 1.2k sent, 12 received.\x20\x20
"""

GPTME = lines(
    {"role": "system", "content": "You are gptme"},
    {"role": "user", "content": "list it"},
    {"role": "assistant", "content": 'I will list.\n\n@shell(c1): {"command": "ls"}'},
    {"role": "system", "content": "Ran command: ls\n\na.txt"},
    {"role": "assistant", "content": "Done."},
    {"role": "system", "content": "LLM request failed: degeneration"},
)

MINI = json.dumps(
    {
        "info": {"exit_status": "RepeatedFormatError"},
        "messages": [
            {"role": "system", "content": "You are a helpful assistant"},
            {"role": "user", "content": "list it"},
            {
                "role": "assistant",
                "content": "I will list.",
                "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
            },
            {"role": "tool", "content": "a.txt"},
        ],
    }
).encode()

LLM = json.dumps(
    [{"prompt": "list it", "system": "Be brief", "response": "a.txt", "reasoning": "hm"}]
).encode()

OPENCODE_ROWS: list[tuple[str, dict[str, object], list[dict[str, object]]]] = [
    ("msg_1", {"role": "user"}, [{"type": "text", "text": "list it"}]),
    (
        "msg_2",
        {"role": "assistant", "finish": "tool-calls"},
        [
            {"type": "reasoning", "text": "hm"},
            {"type": "text", "text": "I will list."},
            {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}, "output": "a.txt"}},
        ],
    ),
    (
        "msg_3",
        {"role": "assistant", "error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}},
        [{"type": "text", "text": "Do"}],
    ),
]


def opencode(*, logged: int) -> dict[str, bytes]:
    """A database of opencode; the last ``logged`` messages are in its write-ahead log alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA wal_autocheckpoint=0")
            connection.execute("CREATE TABLE message (id TEXT PRIMARY KEY, data TEXT)")
            connection.execute("CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT)")
            for number, (own, data, parts) in enumerate(OPENCODE_ROWS):
                if number == len(OPENCODE_ROWS) - logged:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.execute("INSERT INTO message VALUES (?, ?)", (own, json.dumps(data)))
                for place, part in enumerate(parts):
                    row = (f"prt_{number}{place}", own, json.dumps(part))
                    connection.execute("INSERT INTO part VALUES (?, ?, ?)", row)
            if not logged:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # Read while it is open: closing would put the log into the database.
            return {name: (Path(folder) / name).read_bytes() for name in ("opencode.db", "opencode.db-wal")}


SAMPLES: Mapping[str, Mapping[str, bytes]] = {
    "codex-rollout": {"rollout.jsonl": CODEX},
    "gemini-jsonl": {"session.jsonl": GEMINI},
    "claude-jsonl": {"session.jsonl": CLAUDE},
    "qwen-jsonl": {"session.jsonl": QWEN},
    "cline-json": {"session.messages.json": CLINE},
    "copilot-events": {"events.jsonl": COPILOT},
    "aider-markdown": {".aider.chat.history.md": AIDER},
    "gptme-jsonl": {"conversation.jsonl": GPTME},
    "mini-json": {"run.traj.json": MINI},
    "llm-json": {"logs.json": LLM},
    "opencode-sqlite": opencode(logged=2),
}
