"""Which session file is read, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

from harness.agents.locate import load_agent
from harness.agents.spec_yaml import parse_agent
from harness.evidence import SessionSource
from harness.session_files import session_files, source_of

REFERENCE = load_agent("reference")
BARE = 'agent: bare\ncommand: [bare]\none_shot: ["{prompt}"]\ndialects: {openai-chat: {}}\n'


def _source(root: Path, pattern: str = "home/.agent/*.jsonl") -> SessionSource:
    roots = {"home": str(root / "home"), "work": str(root / "work")}
    return source_of(REFERENCE, str(root / pattern), session_files(str(root / pattern)), roots)


def _file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_the_last_file_by_name_is_the_session(tmp_path: Path) -> None:
    _file(tmp_path / "home/.agent/b.jsonl")
    _file(tmp_path / "home/.agent/a.jsonl")
    (tmp_path / "home/.agent/c.jsonl").mkdir()
    found = _source(tmp_path)
    assert (found.file, found.others, found.reader) == ("b.jsonl", "", "reference-jsonl")
    assert found.pattern == "{home}/.ttsr-refagent/sessions/*.jsonl", "the description's own words"


def test_without_one_it_says_what_lies_there(tmp_path: Path) -> None:
    _file(tmp_path / "home/.agent/log/a.txt")
    _file(tmp_path / "home/.agent/state.db")
    assert _source(tmp_path).others == "files there: log/a.txt, state.db"


def test_where_the_folder_is_missing_it_names_the_nearest_one_that_is_there(tmp_path: Path) -> None:
    _file(tmp_path / "home/.other/a.jsonl")
    assert _source(tmp_path).others == "files in {home}: .other/a.jsonl"


def test_an_empty_home_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    assert _source(tmp_path).others == "files in {home}: none"


def test_the_list_of_files_stays_short(tmp_path: Path) -> None:
    for number in range(9):
        _file(tmp_path / f"home/.agent/{number}.txt")
    assert _source(tmp_path).others == (
        "files there: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, ... (9 in all)"
    )


def test_an_agent_that_keeps_none_has_no_place_to_look(tmp_path: Path) -> None:
    spec = parse_agent(BARE, "bare.yaml")
    assert session_files(spec.session_glob) == []
    assert source_of(spec, "", [], {"home": str(tmp_path)}) == SessionSource(is_kept=False)


def test_a_private_folder_with_wildcards_in_its_name_is_looked_into(tmp_path: Path) -> None:
    import glob

    home = tmp_path / "a [b]*?"
    (home / "sessions").mkdir(parents=True)
    pattern = f"{glob.escape(str(home))}/sessions/*.jsonl"
    spec = load_agent("reference")
    roots = {"home": str(home), "work": str(tmp_path / "work")}
    (home / "sessions/notes.txt").touch()
    assert source_of(spec, pattern, [], roots).others == "files there: notes.txt"
    (home / "sessions/1.jsonl").touch()
    assert session_files(pattern) == [home / "sessions/1.jsonl"]
