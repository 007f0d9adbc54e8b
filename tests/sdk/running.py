"""Running client programs against mock servers: one server for each case, one process for each library."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from mock_llm.journal import Exchange
from mock_llm.script import Script
from mock_llm.server import MockServer
from tests.sdk.environments import NPM, node_program, npm_folder, python_of

ROOT = Path(__file__).parents[2]
LIMIT_S = 300


class Case(NamedTuple):
    """One call of a library: its name within the program, which way it asks, and what it is answered."""

    name: str
    way: str
    script: Script
    timeout_s: float = 30
    extras: Mapping[str, Any] = {}


class Understood(NamedTuple):
    """What a library made of the reply, as :class:`tests.sdk.clients.answering.Heard`, and what it asked.

    ``problems`` is what the server objected to.
    """

    heard: Mapping[str, Any]
    exchanges: Sequence[Exchange]
    problems: Sequence[Any]


class Program(NamedTuple):
    """A client program: ``environment`` is where its library is, ``npm`` for those of Node.js."""

    environment: str
    file: str

    def command(self) -> list[str]:
        if self.environment == "npm":
            program = NPM / "clients" / f"{self.file}.mjs"
            return [node_program() or "node", str(program), str(npm_folder())]
        return [str(python_of(self.environment)), "-m", f"tests.sdk.clients.{self.file}"]


def understand(programs: Mapping[str, tuple[Program, Sequence[Case]]]) -> dict[str, dict[str, Understood]]:
    """Run the cases of every program, two programs at a time, and return what each understood of each."""
    commands = {name: program.command() for name, (program, _) in programs.items()}

    async def bounded() -> dict[str, dict[str, Understood]]:
        places = asyncio.Semaphore(2)
        async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
            tasks = {
                name: group.create_task(_run(places, commands[name], cases))
                for name, (_, cases) in programs.items()
            }
        return {name: task.result() for name, task in tasks.items()}

    return asyncio.run(bounded())


async def _run(
    places: asyncio.Semaphore, command: Sequence[str], cases: Sequence[Case]
) -> dict[str, Understood]:
    async with places, AsyncExitStack() as stack:
        servers = {case.name: await stack.enter_async_context(MockServer(case.script)) for case in cases}
        asked = [
            {
                "name": case.name,
                "way": case.way,
                "origin": servers[case.name].base_url,
                "timeout_s": case.timeout_s,
                "extras": case.extras,
            }
            for case in cases
        ]
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=ROOT,
            env=_environ(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        lines = "".join(json.dumps(each) + "\n" for each in asked)
        try:
            answers, complaints = await process.communicate(lines.encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, complaints.decode()[-3000:]
        heard = {each["name"]: each["heard"] for each in map(json.loads, answers.splitlines())}
        return {
            name: Understood(heard[name], server.journal.exchanges, server.journal.problems)
            for name, server in servers.items()
        }


def _environ() -> dict[str, str]:
    """Nothing of the machine's settings: no proxies, no keys, and nobody to report to."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "LANGSMITH_TRACING": "false",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "AI_SDK_LOG_WARNINGS": "false",
    }
