"""A clone of the tree, and the real command in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.qa_command import Qa
from tests.gate.clone import Clone


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)
