"""Script files that change while they are served: found, loaded again, and never at a running reply's cost."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_llm.reload import CannotServe, Watched, script_files
from mock_llm.standalone import Standalone
from tests.mock_llm.command import Running, ask

CHAT = "/v1/chat/completions"


def write(path: Path, text: str) -> None:
    """Write a file so that its time differs from before, however fast that comes."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


def saying(*texts: str) -> str:
    return "model:\n" + "".join(f"  - say: {text}\n" for text in texts)


@contextlib.asynccontextmanager
async def serving(*paths: Path) -> AsyncIterator[tuple[Standalone, httpx.AsyncClient, list[str]]]:
    told: list[str] = []
    watched = Watched(paths)
    standalone = Standalone(watched.load(), changed=watched.changed, tell=told.append)
    await standalone.server.start()
    try:
        async with httpx.AsyncClient(base_url=standalone.server.base_url, trust_env=False) as client:
            yield standalone, client, told
    finally:
        await standalone.server.stop()


async def said(client: httpx.AsyncClient, asking: Any, text: str = "hello", at: str = "") -> str:
    response = await client.post(at + CHAT, json=asking.body(text, stream=False))
    return str(response.json()["choices"][0]["message"]["content"])


def test_a_change_is_served_from_its_first_turn(live: Any, asking: Any, tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    write(script, saying("old", "older"))

    async def test() -> None:
        async with serving(script) as (_, client, told):
            assert await said(client, asking) == "old"
            write(script, saying("new", "newer"))
            assert await said(client, asking) == "new"
            assert told == [f"{script} has changed: it starts at its first turn"]

    live.run(test)


def test_a_reply_under_way_goes_on_as_it_began(live: Any, asking: Any, tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    write(script, "model:\n  - say: the old text\n    stream: {hold_after: 4, hold: four}\n")

    async def test() -> None:
        async with serving(script) as (standalone, client, _):
            running = asyncio.create_task(said(client, asking))
            await standalone.server.wait_for_hold(1)
            write(script, saying("new"))
            assert await said(client, asking, "another") == "new"
            standalone.server.release("four")
            assert await running == "the old text"

    live.run(test)


def test_a_mistake_is_told_once_and_the_old_script_goes_on_until_it_is_mended(
    live: Any, asking: Any, tmp_path: Path
) -> None:
    script = tmp_path / "s.yaml"
    write(script, saying("one", "two", "three"))

    async def test() -> None:
        async with serving(script) as (standalone, client, told):
            assert await said(client, asking, "a") == "one"
            write(script, "model:\n  - saay: x\n")
            for text in ("b", "c"):
                assert await said(client, asking, text) == "one"  # each is a conversation of its own
            standalone.look()
            assert len(told) == 1
            assert told[0].startswith(f"{script}:2:5: unknown key 'saay' in a turn\n  2 |   - saay: x\n")
            assert told[0].endswith("\nthe script as it was goes on")
            write(script, saying("mended"))
            assert await said(client, asking, "d") == "mended"

    live.run(test)


def test_a_text_that_a_script_reads_is_watched_too(live: Any, asking: Any, tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    write(tmp_path / "text.txt", "old")
    write(script, "model:\n  - say: {file: text.txt}\n")

    async def test() -> None:
        async with serving(script) as (_, client, _):
            assert await said(client, asking) == "old"
            write(tmp_path / "text.txt", "new")
            assert await said(client, asking) == "new"

    live.run(test)


def test_a_file_that_is_removed_is_told_and_one_that_comes_to_a_folder_is_served(
    live: Any, asking: Any, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    write(first, saying("one"))

    async def test() -> None:
        async with serving(tmp_path) as (standalone, client, told):
            first.unlink()
            assert await said(client, asking) == "one"
            write(second, saying("two"))
            standalone.look()
            assert await said(client, asking, at="/second") == "two"
            assert await said(client, asking, "b", at="/first") == "one"
            assert "No such file" in told[0]
            assert told[1:] == [f"{second} has changed: it starts at its first turn"]

    live.run(test)


def test_serve_shows_a_mistake_when_it_is_saved_and_not_only_when_somebody_asks(tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    write(script, saying("old"))
    with Running("serve", str(script), "--no-token") as running:
        url = running.url()
        write(script, "model:\n  - saay: x\n")
        running.until("unknown key 'saay'")
        running.until("the script as it was goes on")
        assert ask(url) == "old"
        write(script, saying("new"))
        running.until("has changed")
        assert ask(url, "other") == "new"


def test_no_reload_leaves_the_script_as_it_was(tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    write(script, saying("old"))
    with Running("serve", str(script), "--no-token", "--no-reload") as running:
        url = running.url()
        write(script, saying("new"))
        assert ask(url) == "old"


def test_the_scripts_of_a_folder_are_its_files_with_a_model(tmp_path: Path) -> None:
    write(tmp_path / "b one.yaml", saying("x"))
    write(tmp_path / "a.json", '{"model": [{"say": "x"}]}')
    write(tmp_path / "scenario.yml", "scenario: s\n" + saying("x"))
    write(tmp_path / "notes.yaml", "a: 1\n")
    write(tmp_path / ".hidden.yaml", saying("x"))
    write(tmp_path / "readme.md", saying("x"))

    assert [file.name for file in script_files([tmp_path])] == ["a", "b-one", "scenario"]


def taken(folder: Path) -> list[Path]:
    write(folder / "v1.yaml", saying("x"))
    write(folder / "other.yaml", saying("x"))
    return [folder]


def twice(folder: Path) -> list[Path]:
    (folder / "more").mkdir()
    write(folder / "a.yaml", saying("x"))
    write(folder / "more" / "a.yaml", saying("x"))
    return [folder, folder / "more"]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda folder: [folder], r"no script in .*\n  a script is a .yaml file with 'model:' at its top"),
        (taken, r"'v1' cannot be the name of one of several scripts: .*\n  rename .*v1.yaml"),
        (twice, r"two scripts are named 'a': .*\n  rename one of them"),
    ],
)
def test_what_cannot_be_served_together_is_said(
    tmp_path: Path, made: Callable[[Path], list[Path]], message: str
) -> None:
    with pytest.raises(CannotServe, match=message):
        script_files(made(tmp_path))


def test_a_second_script_of_a_name_that_comes_to_a_folder_is_told_and_the_first_goes_on(
    live: Any, asking: Any, tmp_path: Path
) -> None:
    write(tmp_path / "s.yaml", saying("one"))

    async def test() -> None:
        async with serving(tmp_path) as (standalone, client, told):
            write(tmp_path / "s.json", '{"model": [{"say": "two"}]}')
            standalone.look()
            assert told[0].startswith("two scripts are named 's'")
            assert await said(client, asking) == "one"

    live.run(test)


def test_a_scenario_is_served_by_the_keys_that_a_script_has_too(
    live: Any, asking: Any, tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    write(scenario, "scenario: s\nprompt: hi\nsteps: [{exit: 0}]\n" + saying('"one {nonce}"'))

    async def test() -> None:
        async with serving(scenario) as (_, client, told):
            assert await said(client, asking) == "one nonce"
            write(scenario, "scenario: s\nmodel: 3\nsteps: 7\n")
            assert await said(client, asking, "b") == "one nonce"
            assert told[0].startswith(f"{scenario}:2:8: ")
            assert "steps" not in told[0]
            write(scenario, "scenario: s\nmodel:\n  - say: [\n")
            assert await said(client, asking, "c") == "one nonce"
            assert len(told) == 2

    live.run(test)
