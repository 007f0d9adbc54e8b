"""Environments of client libraries: built whole or not at all, found again, and built anew for other pins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.sdk import environments
from tests.sdk.environments import CannotBuild


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ttsr-qa" / "sdk"


def build(key: str, told: list[str], content: str = "it") -> Path:
    return environments._built(
        "some", key, "3 packages", lambda folder: write(folder / "made", content), told.append
    )


def write(path: Path, content: str) -> None:
    path.write_text(content)


def test_it_is_built_once_and_says_so() -> None:
    told: list[str] = []
    first = build("pins", told)
    assert (first / "made").read_text() == "it"
    assert told == [
        "building the clients' environment 'some' (3 packages, once) ...",
        told[-1],
    ]
    assert told[-1].startswith("built 'some' in ")
    assert build("pins", told, "another") == first
    assert (first / "made").read_text() == "it"
    assert len(told) == 2


def test_other_pins_are_another_environment() -> None:
    assert build("pins", []) != build("other pins", [])


def quiet(_: str) -> None:
    pass


def test_what_fails_leaves_nothing_behind(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise CannotBuild("no network")

    with pytest.raises(CannotBuild, match="no network"):
        environments._built("some", "pins", "3 packages", fail, quiet)
    assert [path.name for path in cache.iterdir()] == [".some.lock"]


def test_what_a_killed_build_left_is_removed(cache: Path) -> None:
    left = cache / ".some.abc.part"
    left.mkdir(parents=True)
    build("pins", [])
    assert not left.exists()


def test_a_command_that_fails_shows_its_last_lines(tmp_path: Path) -> None:
    program = "import sys; print('WARNING: an old cache'); print('no such package'); sys.exit(7)"
    with pytest.raises(CannotBuild) as caught:
        environments._run([sys.executable, "-c", program], tmp_path)
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("exit code 7: ")
    assert rest == ["  | no such package"]


def test_without_node_it_says_what_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert environments.node_program() is None
    with pytest.raises(CannotBuild, match=r"need Node.js 20 or newer, with npm, on PATH"):
        environments.npm_folder(quiet)


def test_an_older_node_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v18.20.1\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert environments.node_program() is None
    node.write_text("#!/bin/sh\necho v22.1.0\n")
    assert environments.node_program() == str(node)


@pytest.mark.parametrize("name", environments.PYTHON_ENVIRONMENTS)
def test_every_package_has_its_pin(name: str) -> None:
    first, *pins = environments.requirements(name).read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert pins
    for pin in pins:
        package, _, version = pin.partition("==")
        assert environments.pinned(name, package) == version != ""
