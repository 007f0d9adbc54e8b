"""The tools that are advertised to the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it: every parameter is a required string."""

    name: str
    description: str
    parameters: tuple[tuple[str, str], ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as JSON Schema."""
        return {
            "type": "object",
            "properties": {name: {"type": "string", "description": text} for name, text in self.parameters},
            "required": [name for name, _ in self.parameters],
        }


TOOLS = (
    ToolSpec("read", "Read a text file.", (("path", "The file, absolute or from the working folder."),)),
    ToolSpec(
        "write",
        "Write a text file; missing folders are made, an existing file is replaced.",
        (("path", "The file, absolute or from the working folder."), ("content", "The whole new text.")),
    ),
    ToolSpec("bash", "Run a bash command in the working folder.", (("command", "The command line."),)),
)
