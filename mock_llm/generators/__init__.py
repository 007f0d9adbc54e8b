"""Seeded texts for the mock model: loops that guards must stop and healthy texts that they must not."""

from __future__ import annotations

from mock_llm.generators.generator import Generator, Parameters
from mock_llm.generators.healthy import HEALTHY
from mock_llm.generators.loops import LOOPS

__all__ = ["GENERATORS", "Generator", "Parameters"]

GENERATORS: dict[str, Generator] = {generator.name: generator for generator in (*LOOPS, *HEALTHY)}
