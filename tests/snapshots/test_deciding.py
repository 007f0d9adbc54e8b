from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.snapshots.deciding import Command, Deciding


def press(count: int, keys: str) -> tuple[list[tuple[str, int]], Deciding]:
    deciding = Deciding(count)
    return [(c.kind, c.place) for key in keys for c in deciding.press(key)], deciding


def test_each_key_decides_the_change_that_is_shown() -> None:
    commands, deciding = press(3, "ars")
    assert commands == [("accept", 0), ("reject", 1), ("skip", 2)]
    assert (deciding.is_at_end, deciding.is_over) == (True, False)
    assert deciding.press("\n") == [Command("quit")]
    assert deciding.is_over


def test_a_capital_decides_the_rest_and_one_undo_takes_all_of_it_back() -> None:
    commands, deciding = press(4, "rAu")
    assert commands == [("reject", 0), *(("accept", n) for n in (1, 2, 3)), *(("undo", n) for n in (3, 2, 1))]
    assert deciding.at == 1
    assert [c for key in "uu" for c in deciding.press(key)] == [Command("undo", 0), Command("help")]


def test_a_jump_and_an_unknown_key_decide_nothing() -> None:
    commands, deciding = press(2, "ajx")
    assert commands == [("accept", 0), ("jump", 1), ("help", 0)]
    assert deciding.at == 1


def test_nothing_to_review_is_over_at_once() -> None:
    assert Deciding(0).is_over


@given(st.integers(0, 6), st.text("arsARSujx", max_size=20))
def test_each_change_is_decided_at_most_once_and_nothing_undecided_is_undone(count: int, keys: str) -> None:
    decided: dict[int, str] = {}
    for kind, place in press(count, keys)[0]:
        if kind in ("accept", "reject", "skip"):
            assert place not in decided
            decided[place] = kind
        elif kind == "undo":
            del decided[place]
    assert sorted(decided) == list(range(press(count, keys)[1].at))
