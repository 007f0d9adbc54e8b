"""Any terminal output, and ways to cut it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

QUERIES = (
    *("\x1b[c", "\x1b[>c", "\x1b[=c", "\x1bZ", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[?u"),
    *("\x1b[>q", "\x1b[?2026$p", "\x1b[4$p", "\x1b[14t", "\x1b[16t", "\x1b[18t", "\x1b[19t"),
    *("\x1b]4;1;?\x07", "\x1b]10;?\x1b\\", "\x1b]11;?\x07", "\x1b]12;?\x07"),
    *("\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\"),
)

_PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b\\", "\x07", "\x18", "\x1a", ";", "?"]),
    st.from_regex(r"\x1b\[[?>=]?[0-9;:]{0,12}[ $!\"']?[@-~]", fullmatch=True),
    st.sampled_from(
        ["\x1b[?1049h", "\x1b[?1049l", "\x1b[?6h", "\x1b[?69h", "\x1b[2;3r", "\x1b[2;3s", "\x1bc"]
    ),
    st.sampled_from(["\x1b[?2026h", "\x1b[?2026l", "\x1b[?25;2026h", "line\r\n"]),
    st.sampled_from(QUERIES),
)
# A decoder makes no half of a surrogate pair.
OUTPUT = st.lists(_PIECES, max_size=20).map(
    lambda pieces: "".join(pieces).encode("utf-8", "replace").decode()
)
PLACES = st.lists(st.integers(0, 500), max_size=8)


def cut(text: str, places: list[int]) -> list[str]:
    """The text in pieces."""
    at = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(at)]
