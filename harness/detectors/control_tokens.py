"""The rule ``control-token-leak``: the marks of a chat template in what a model says."""

from __future__ import annotations

import re
from typing import ClassVar

from harness.detectors.finding import ASCII_SPACE, Finding
from harness.detectors.quoting import Quoting

_TOKEN = re.compile(
    r"<\|[A-Za-z][A-Za-z0-9_]{0,31}\|>|</?[A-Za-z][A-Za-z0-9_]{0,15}>|\[[A-Z0-9_]{2,16}\]", re.ASCII
)
# What may still become a token.
_BEGUN = re.compile(
    r"<(?:\|(?:[A-Za-z][A-Za-z0-9_]{0,31}\|?)?)?|</?(?:[A-Za-z][A-Za-z0-9_]{0,15})?|\[[A-Z0-9_]{0,16}"
)
_LONGEST = 36
_OPENING = re.compile(r"[^\S\t]*(?:(?:thinking|reasoning|analysis)\b[\s.:\u2026]*)?", re.IGNORECASE)
_MAX_OPENING = 64  # characters of a message that may come before the first token of "the very start"


class ControlTokenLeak:
    """Detect a control token that comes again and again.

    The same token again, with only ASCII whitespace between, makes a run. How many it takes depends on
    where the run began: at the very start of the message (or after a bare word such as "Thinking"), where
    the text quotes (see :class:`Quoting`), or elsewhere. The whole run is garbage.

    A collapse that begins right after a token belongs to the leak (see :meth:`claim`).

    Args:
        min_at_start: Tokens that make a finding at the very start of the message.
        min_elsewhere: Tokens that do elsewhere.
        min_quoted: Tokens that do where the text quotes.
        max_gap: Whitespace characters between two tokens of a run.
        reach: Characters after a word about tokens that count as quoting.
        claim_reach: Characters after a token within which a collapse has to fire to belong to it.

    Raises:
        ValueError: If a number of tokens is below 1.

    Source: senpi pull request 493, as restated in the stream-guard contract (3, 4, 8, 32, 128, 2048).
    """

    rule: ClassVar[str] = "control-token-leak"
    mechanism: ClassVar[str] = "control-token-leak"
    fires_on: ClassVar[str] = ">]"

    def __init__(
        self,
        *,
        min_at_start: int = 3,
        min_elsewhere: int = 4,
        min_quoted: int = 8,
        max_gap: int = 32,
        reach: int = 128,
        claim_reach: int = 2048,
    ) -> None:
        if min(min_at_start, min_elsewhere, min_quoted) < 1:
            raise ValueError(
                f"min_at_start, min_elsewhere, min_quoted are {min_at_start}, {min_elsewhere}, {min_quoted}, "
                "but must be at least 1"
            )
        self._needed = {"start": min_at_start, "elsewhere": min_elsewhere, "quoted": min_quoted}
        self._max_gap = max_gap
        self._claim_reach = claim_reach
        self._starts_message = True
        self._quoting = Quoting(reach)
        self._before = re.compile(f"({_TOKEN.pattern})[{re.escape(ASCII_SPACE)}]{{0,{max_gap}}}\\Z")
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
        self._begun = ""  # what may become a token
        self._read = 0  # up to the start of what has begun
        self._end = 0  # of what was fed
        self._opening: str | None = "" if self._starts_message else None
        self._tail = ""  # the last text, for claims
        self._fired = False
        self._quoting.reset()
        self._drop()

    def begin(self, *, starts_message: bool) -> None:
        """Start a stream that is, or is not, the first of its message."""
        self._starts_message = starts_message
        self.reset()

    def _drop(self) -> None:
        self._token = ""
        self._count = 0
        self._start = 0
        self._gap = 0
        self._context = ""

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        return 0

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired or not delta:
            return None
        self._end += len(delta)
        keep = self._claim_reach + self._max_gap + 2 * _LONGEST
        self._tail = (self._tail + delta)[-keep - len(delta) :]
        text = self._begun + delta
        at = 0
        if "<" in text or "[" in text:
            for match in _TOKEN.finditer(text):
                self._pass(text[at : match.start()])
                at = match.end()
                finding = self._count_token(match.group())
                if finding:
                    self._fired = True
                    return finding
        begun = self._where_one_begins(text, at)
        self._pass(text[at:begun])
        self._begun = text[begun:]
        return None

    def finish(self) -> Finding | None:
        """Say that the stream has ended."""
        return None

    def claim(self, collapse: Finding) -> Finding | None:
        """The finding of a collapse as one of this rule, when it began right after a token.

        Only whitespace (``max_gap``) may lie between, and the collapse must have fired within ``claim_reach``
        characters of the token. The detector has read as far as the collapse, or further.
        """
        tail_start = self._end - len(self._tail)
        match = self._before.search(self._tail, 0, max(0, collapse.anomaly_start - tail_start))
        if match is None or collapse.fired_at - (tail_start + match.end(1)) > self._claim_reach:
            return None
        start = tail_start + match.start()
        return collapse._replace(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"after the control token {match.group(1)}: {collapse.reason}",
            anomaly_start=start,
            garbage_start=start,
            details={**collapse.details, "token": match.group(1), "collapse": collapse.mechanism},
        )

    def _where_one_begins(self, text: str, at: int) -> int:
        at = max(at, len(text) - _LONGEST)
        begun = max(text.rfind("<", at), text.rfind("[", at))
        return begun if begun >= 0 and _BEGUN.fullmatch(text, begun) else len(text)

    def _pass(self, text: str) -> None:
        """Go over text that holds no token."""
        if not text:
            return
        if self._count:
            self._gap += len(text)
            if self._gap > self._max_gap or text.strip(ASCII_SPACE):
                self._drop()
        self._go(text)

    def _go(self, text: str) -> None:
        self._quoting.read(text)
        self._read += len(text)
        if self._opening is not None:
            self._opening += text[: _MAX_OPENING + 1]
            if len(self._opening) > _MAX_OPENING:
                self._opening = None

    def _count_token(self, token: str) -> Finding | None:
        if token != self._token:
            self._token, self._count = token, 0
            self._start = self._read
            self._context = self._where()
        self._count += 1
        self._gap = 0
        self._go(token)
        return self._finding() if self._count >= self._needed[self._context] else None

    def _where(self) -> str:
        if self._opening is not None and _OPENING.fullmatch(self._opening):
            return "start"
        return "quoted" if self._quoting.is_quoted else "elsewhere"

    def _finding(self) -> Finding:
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"the control token {self._token} {self._count} times in a row",
            anomaly_start=self._start,
            garbage_start=self._start,
            fired_at=self._read,
            details={"token": self._token, "tokens": self._count, "context": self._context},
        )
