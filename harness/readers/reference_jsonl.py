"""Sessions of the reference agent: the shape of pi's, never branched, with figures in its rule records."""

from __future__ import annotations

from harness.readers.pi_jsonl import read

__all__ = ["read"]
