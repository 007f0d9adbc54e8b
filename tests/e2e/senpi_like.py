"""What senpi leaves behind when its rule stops a reply, made to the shape of sessions of a real build.

It stops after 1,797 characters, whatever they are: this is no guard, only its traces.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
from pathlib import Path
from typing import Any

STOPS_AT, KEEPS = 1797, 492
INTERRUPT = '<system-interrupt reason="rule_violation" rule="collapse-repetition">Go on.</system-interrupt>'
FLAGS = ["--no-context-files", "--no-extensions", "--no-skills", "--approve", "--print"]


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


def provider() -> dict[str, Any]:
    path = Path(os.environ["SENPI_CODING_AGENT_DIR"]) / "models.json"
    found: dict[str, Any] = json.loads(path.read_text())["providers"][option("--provider")]
    assert found["models"] == [{"id": option("--model")}]
    assert found["api"] == "openai-completions"
    return found


def ask(where: dict[str, Any], messages: list[dict[str, str]], most: int) -> str:
    """The reply, or as much of it as may be read."""
    host, _, path = where["baseUrl"].removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host)
    body = {"model": option("--model"), "stream": True, "messages": messages}
    headers = {"authorization": f"Bearer {where['apiKey']}"}
    connection.request("POST", f"/{path}/chat/completions", json.dumps(body), headers)
    response, text = connection.getresponse(), ""
    for line in response:
        if line.startswith(b"data: {"):
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
        if len(text) >= most:
            break
    response.close()
    connection.close()
    return text


def said(role: str, *texts: str, **more: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"type": "message", "message": {"role": role, "content": content, **more}}


def main() -> None:
    assert sys.argv[-6:-1] == FLAGS
    where, prompt = provider(), sys.argv[-1]
    system = {"role": "system", "content": "You are senpi."}
    first = ask(where, [system, {"role": "user", "content": prompt}], STOPS_AT)
    asked = [system, {"role": "user", "content": prompt}, {"role": "user", "content": INTERRUPT}]
    second = ask(where, asked, 10_000)
    rule = {
        "kind": "ttsr",
        "owner": "collapse-repetition",
        "rules": ["collapse-repetition"],
        "remediation": "nudge",
    }
    records = [
        {"type": "model_change"},
        said("user", prompt),
        {"type": "custom", "customType": "rule-activation", "data": rule},
        said(
            "assistant",
            first[:KEEPS],
            "[output interrupted by stream rule]",
            stopReason="aborted",
            errorMessage="Request was aborted",
        ),
        {"type": "custom", "customType": "senpi.hooks.stop-state", "data": {}},
        {"type": "custom_message", "customType": "ttsr-injection", "display": False, "content": INTERRUPT},
        said("assistant", second, stopReason="stop"),
    ]
    ids = [None, *map(str, range(len(records)))]
    chain = [
        {"id": own, "parentId": parent, **record}
        for record, parent, own in zip(records, ids[:-1], ids[1:], strict=True)
    ]
    folder = Path(os.environ["SENPI_CODING_AGENT_SESSION_DIR"])
    folder.mkdir(parents=True)
    (folder / "2026-11-30T10-00-00_0199.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in ({"type": "session", "version": 3}, *chain))
    )
    (folder / "2026-11-30T10-00-00_0199-artifacts").mkdir()
    sys.stdout.write(second + "\n")


main()
