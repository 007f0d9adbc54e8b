"""An agent in a few lines, to be followed by whatever a test wants it to do badly."""

from __future__ import annotations

HELLO = """
model:
  - say: "hello {nonce}"
prompt: "Hello {nonce}"
steps:
  - silent: all
  - exit: 0
"""

AGENT = """
import http.client, json, os, shutil, signal, socket, sys, time
ORIGIN = os.environ["TTSR_REFAGENT_BASE_URL"].removesuffix("/v1").removeprefix("http://")
PROMPT = sys.argv[sys.argv.index("-p") + 1]
SESSIONS = os.environ["TTSR_REFAGENT_HOME"] + "/sessions/"

def ask(connection=None):
    connection = connection or http.client.HTTPConnection(ORIGIN)
    body = {"model": "m", "messages": [{"role": "user", "content": PROMPT}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    return answer["choices"][0]["message"]["content"] if "choices" in answer else ""

def save(*texts, name="a.jsonl"):
    os.makedirs(SESSIONS, exist_ok=True)
    with open(SESSIONS + name, "w") as file:
        for text in texts:
            message = {"role": "assistant", "content": text, "stopReason": "stop"}
            file.write(json.dumps({"type": "message", "message": message}) + "\\n")

def good():
    text = ask()
    save(text)
    print(text, flush=True)
"""
