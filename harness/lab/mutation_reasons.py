"""Why mutants survive: YAML text to reasons by the mutant's id, and whether they still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm.located import MapNode, ScalarNode, open_source, parse_yaml
from mock_llm.problems import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from harness.lab.mutation_worker import Tried

_LEAST = 10  # characters of a reason


class Judgement(NamedTuple):
    """The mutants against the reasons.

    Attributes:
        unexplained: Survivors without a reason.
        explained: Survivors with one.
        outdated: What is wrong with the list, one sentence each: a reason for a mutant that is killed, or for
            one that there is not.
    """

    unexplained: tuple[str, ...]
    explained: tuple[str, ...]
    outdated: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        """Whether nothing is unexplained, and nothing explained that need not be."""
        return not (self.unexplained or self.outdated)


def parse_reasons(text: str | bytes, path: str) -> dict[str, str]:
    """Read a list of reasons.

    Args:
        text: A YAML mapping of mutant ids to reasons.
        path: The file's name, for messages only.

    Raises:
        ScriptError: All mistakes, each with its place.
    """
    problems = open_source(path, text)
    root = parse_yaml(problems)
    reasons: dict[str, str] = {}
    if root is not None and not isinstance(root, MapNode):
        problems.add(root.start, root.end, "expected a mapping of mutants to reasons")
    for key, value in root.entries if isinstance(root, MapNode) else ():
        if not isinstance(value, ScalarNode) or len(value.text.strip()) < _LEAST:
            problems.add(value.start, value.end, f"no reason for '{key.text}'", "say why no test can tell it")
            continue
        reasons[key.text] = " ".join(value.text.split())
    problems.raise_any()
    return reasons


def judge(
    results: Sequence[Tried], reasons: Mapping[str, str], known: Collection[str], *, every: bool
) -> Judgement:
    """Hold survivors against the reasons.

    Args:
        results: What became of the mutants that were tried.
        reasons: Why mutants survive.
        known: Every mutant that there is.
        every: Whether all of them were tried.
    """
    alive = [result.mutant for result in results if not result.is_killed]
    killed = {result.mutant for result in results if result.is_killed}
    outdated = [f"'{name}' has a reason to survive, and is killed" for name in reasons if name in killed]
    for name in reasons:
        if every and name not in known:
            hint = did_you_mean(name, list(known))
            outdated.append(
                f"'{name}' has a reason to survive, and there is no such mutant; {hint}".rstrip("; ")
            )
    return Judgement(
        tuple(name for name in alive if name not in reasons),
        tuple(name for name in alive if name in reasons),
        tuple(outdated),
    )
