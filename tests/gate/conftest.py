"""The real command in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.qa_command import Qa


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)
