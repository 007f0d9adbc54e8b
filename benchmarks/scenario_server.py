"""The mock server of a scenario in a process of its own, so that its processor time is nobody's here.

``python scenario_server.py SCENARIO`` prints its base URL and the prompt in hexadecimal, serves until the
standard input ends, and prints how many replies the conversation took. A new one for each run: a script plays
once.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from harness.find_scenarios import find
from harness.scenario_yaml import load_scenario
from mock_llm.script import Script
from mock_llm.server import MockServer
from mock_llm.template import fill_turns

NONCE = "bench"


async def main(word: str) -> None:
    scenario = load_scenario(find([word], Path.cwd())[0])
    server = MockServer(Script(fill_turns(scenario.model, {"nonce": NONCE}), lane=NONCE))
    await server.start()
    print(server.base_url, scenario.prompt.replace("{nonce}", NONCE).encode().hex(), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(len(server.journal.main), flush=True)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
