"""A contract and reasons of one's own: what is wrong with their files is said at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lab.mutation_files import load_contract, load_reasons
from harness.problems import UserError

GROUPS = ("turns", "leak", "collapse")
CASES = Path("contract_cases.py")
COLLAPSE = Path("vectors/parity-collapse.jsonl")
SILENT = '{"id": "a", "text": "calm", "finding": null}\n'


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """A contract with no case of its own and one vector."""
    (tmp_path / "vectors").mkdir()
    for group in GROUPS:
        (tmp_path / f"vectors/parity-{group}.jsonl").write_text("", encoding="utf-8")
    (tmp_path / COLLAPSE).write_text(SILENT, encoding="utf-8")
    (tmp_path / CASES).write_text("CASES = []\n", encoding="utf-8")
    return tmp_path


def test_a_contract_is_its_own_cases_and_the_vectors(contract: Path) -> None:
    (case,) = load_contract(contract)
    assert (case.group, case.id) == ("collapse", "a")


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (CASES, "CASES = [\n", ":1: the contract cannot be loaded: '[' was never closed"),
        (CASES, "\nCASES = 1 / 0\n", ":2: the contract cannot be loaded: ZeroDivisionError: division by zero"),
        (CASES, "CASE = []\n", ": the contract has no list 'CASES'"),
        (CASES, "CASES = [1]\n", ": CASES[0] is no case\n  they are made of what is in harness.lab"),
        (COLLAPSE, SILENT + "{oh\n", ":2: this is no vector of 'collapse': Expecting property name"),
        (COLLAPSE, '{"id": "a", "text": "b"}\n', ":1: this is no vector of 'collapse': it has no 'finding'"),
        (COLLAPSE, "[1]\n", ":1: this is no vector of 'collapse': list indices must be"),
    ],
)  # fmt: skip
def test_a_broken_contract_is_told_of_at_its_place(contract: Path, file: Path, text: str, said: str) -> None:
    (contract / file).write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_contract(contract)
    assert str(caught.value).startswith(f"{contract / file}{said}")
    assert caught.value.exit_code == 2


def test_reasons_that_are_no_yaml_are_told_of_at_their_place(tmp_path: Path) -> None:
    (tmp_path / "reasons.yaml").write_text('"a": b\n"c: d', encoding="utf-8")
    with pytest.raises(UserError, match=r"reasons\.yaml:2:1: not valid YAML"):
        load_reasons(tmp_path / "reasons.yaml")
    with pytest.raises(UserError, match=r"cannot read the reasons '.*none\.yaml': No such file"):
        load_reasons(tmp_path / "none.yaml")
