"""The real command for every test here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.qa_command import Qa

collect_ignore_glob = ["*_agent.py", "*_like.py"]  # programs that tests start, not tests


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)
