"""How common clients are aimed at the mock: lines for a POSIX shell.

The variables and files are those that the libraries and the agent CLIs were seen to obey. An agent that wants
a file gets one in a folder of its own, so that nobody's settings are touched.
"""

from __future__ import annotations

import json
from shlex import quote
from typing import NamedTuple


class Client(NamedTuple):
    """A client: its name here, the dialect it needs, and the lines with ``{url}``, ``{key}``, ``{model}``."""

    name: str
    dialect: str
    lines: str


_CODEX = """\
export CODEX_HOME=$(mktemp -d) MOCK_API_KEY={key}
cat > $CODEX_HOME/config.toml <<'END'
model = "{model}"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
END
codex exec --skip-git-repo-check 'Hello'"""

_PI = """\
export PI_HOME=$(mktemp -d); mkdir -p $PI_HOME/.pi/agent
cat > $PI_HOME/.pi/agent/models.json <<'END'
{"providers": {"mock": {"baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "{key}",
  "models": [{"id": "{model}", "reasoning": true, "contextWindow": 128000, "maxTokens": 8192}]}}}
END
HOME=$PI_HOME PI_OFFLINE=1 pi --provider mock --model {model} -p 'Hello'"""

_AIDER = """\
aider --model openai/{model} --openai-api-base {url}/v1 --openai-api-key {key} --no-check-update"""

CLIENTS = (
    Client("openai", "openai-chat", "export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY={key}"),
    Client("anthropic", "anthropic-messages", "export ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY={key}"),
    Client("google-genai", "gemini", "export GOOGLE_GEMINI_BASE_URL={url} GEMINI_API_KEY={key}"),
    Client(
        "claude",
        "anthropic-messages",
        "export ANTHROPIC_BASE_URL={url} ANTHROPIC_AUTH_TOKEN={key}"
        " CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
    ),
    Client("codex", "openai-responses", _CODEX),
    Client("gemini", "gemini", "export GOOGLE_GEMINI_BASE_URL={url} GEMINI_API_KEY={key}"),
    Client("pi", "openai-chat", _PI),
    Client(
        "qwen", "openai-chat", "export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY={key} OPENAI_MODEL={model}"
    ),
    Client("aider", "openai-chat", _AIDER),
)
NAMES = tuple(client.name for client in CLIENTS)
_BASE = {"openai-chat": "/v1", "openai-responses": "/v1"}
_DEFAULT_KEY = "sk-mock"
_DEFAULT_MODEL = "mock-model"
_SHORT = frozenset(client.name for client in CLIENTS if "\n" not in client.lines)


def base_url(dialect: str, url: str) -> str:
    """What a client of that dialect calls its base URL, from the server's own.

    >>> base_url("openai-chat", "http://127.0.0.1:1")
    'http://127.0.0.1:1/v1'
    """
    return url + _BASE.get(dialect, "")


def lines_for(client: Client, url: str, key: str = "") -> str:
    """The lines to paste for one client. An empty key is filled with one that is none.

    >>> lines_for(CLIENTS[1], "http://127.0.0.1:1")
    'export ANTHROPIC_BASE_URL=http://127.0.0.1:1 ANTHROPIC_API_KEY=sk-mock'
    """
    values = {"{url}": url, "{key}": key or _DEFAULT_KEY, "{model}": _DEFAULT_MODEL}
    text = client.lines
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def by_client(name: str) -> Client:
    """The client of that name.

    Raises:
        KeyError: If there is none.
    """
    found = next((client for client in CLIENTS if client.name == name), None)
    if found is None:
        raise KeyError(f"no client '{name}'; there are {', '.join(NAMES)}")
    return found


def curl(url: str, key: str, text: str) -> str:
    """A command to paste that asks for a streamed answer.

    >>> curl("http://127.0.0.1:1", "", "Hi").split(" -d ")[0]
    "curl -sN http://127.0.0.1:1/v1/chat/completions -H 'content-type: application/json'"
    """
    body = {
        "model": _DEFAULT_MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": text}],
    }
    headers = ["content-type: application/json", *([f"authorization: Bearer {key}"] if key else [])]
    fields = " ".join(f"-H {quote(header)}" for header in headers)
    data = quote(json.dumps(body, ensure_ascii=False))
    return f"curl -sN {url}/v1/chat/completions {fields} -d {data}"


def render_clients(url: str, dialects: tuple[str, ...], key: str = "") -> str:
    """The one-line clients that the dialects suffice for, a name before each; the others by name only."""
    usable = [client for client in CLIENTS if client.dialect in dialects]
    width = max((len(client.name) for client in usable), default=0)
    lines = [
        f"{client.name:<{width}}  {lines_for(client, url, key)}" for client in usable if client.name in _SHORT
    ]
    longer = [client.name for client in usable if client.name not in _SHORT]
    if longer:
        lines.append(f"{' or '.join(longer)}: the option '--client NAME' prints a few lines")
    return "\n".join(lines)
