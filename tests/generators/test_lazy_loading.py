"""A script pays only for the generators that it uses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mock_llm.generators import GENERATORS

CODE = """
import sys
from mock_llm.script_yaml import parse_script
parse_script("model: [{}]", "s.yaml")
print(*sorted(n for n in sys.modules if n.startswith("mock_llm.generators.")))
"""


def loaded_by(turn: str) -> list[str]:
    run = [sys.executable, "-c", CODE.replace("{}", turn)]
    out = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    return [name.removeprefix("mock_llm.generators.") for name in out.split()]


def test_a_script_without_generators_loads_none() -> None:
    assert loaded_by("say: hello, call: {bash: {command: ls}}") == []


@pytest.mark.parametrize(
    ("turn", "modules"),
    [
        ("say: {paragraph-loop: {}}", ["generator", "loops", "sentences", "vocabulary", "writers"]),
        ("call: {write: {content: {item-list: {}}}}", ["generator", "healthy", "sentences", "vocabulary"]),
    ],
)
def test_a_script_loads_only_the_modules_of_its_generators(turn: str, modules: list[str]) -> None:
    assert loaded_by(turn) == modules


def test_a_misspelt_generator_is_named_without_loading_any() -> None:
    code = CODE.replace(
        "parse_script(", "import contextlib\nwith contextlib.suppress(ValueError): parse_script("
    )
    run = [sys.executable, "-c", code.replace("{}", "say: {paragraf-loop: {}}")]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "\n"


def test_the_registry_is_a_mapping_of_names_to_their_generators() -> None:
    assert len(GENERATORS) == len(list(GENERATORS)) == len(set(GENERATORS))
    assert all(name in GENERATORS and GENERATORS[name].name == name for name in GENERATORS)
    assert "nothing" not in GENERATORS
    with pytest.raises(KeyError):
        GENERATORS["nothing"]
