"""What a coding agent says when it plans instead of working: sentences, and actions it announces anew."""

from __future__ import annotations

from typing import NamedTuple

from mock_llm.generators.languages import Language


class Plan(NamedTuple):
    """One action. What stands in ``thing`` and ``purposes`` comes back in every announcement of it."""

    verbs: tuple[str, ...]
    thing: str
    purposes: tuple[str, ...]


def _bank(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in " ".join(words.split()).split(","))


PLANNING = Language(
    patterns=(
        "{intention} {verb} {thing} {place} {time}",
        "{intention} {verb} {thing}, {reason}",
        "{time} it makes sense to {verb} {thing} {place}",
        "the user asked for {result}, {reason}",
        "{reason}, the plan is to {verb} {thing} {time}",
        "what is still missing is {result}, and {thing} {place} stands in its way",
        "if {thing} turns out to be fine, {result} should be next {time}",
        "nothing {place} depends on {thing}, {reason}",
    ),
    banks={
        "intention": _bank("""
            I will, I am going to, I should, I need to, my next step is to, first I want to, after that I
            can, then I have to
        """),
        "verb": _bank("""
            inspect, rewrite, extract, rename, split, document, simplify, isolate, instrument, restore,
            deprecate, port, verify, wrap, inline, benchmark, mock, validate
        """),
        "thing": _bank("""
            the session store, the retry policy, the config loader, the websocket adapter, the date parser,
            the upload queue, the permission check, the migration runner, the template cache, the error
            mapper, the billing webhook, the search index, the thumbnail worker, the feature flag, the
            audit trail, the rate limiter, the locale file, the event bus
        """),
        "place": _bank("""
            in the gateway package, under the legacy folder, behind the public interface, in the shared
            library, next to the integration suite, inside the worker image, across the two services, on
            the release branch, in the command line tool, below the domain layer
        """),
        "time": _bank("""
            before any other change, once the types agree, in a separate commit, while the tests still
            pass, as soon as the build is green, after reading the callers, without touching the schema,
            right after the refactoring
        """),
        "reason": _bank("""
            because two callers rely on the old order, since the log shows a race at shutdown, as the
            fixture hides a missing await, because the cache key ignores the tenant, since nobody owns that
            module, as the docs promise a stable name, because a silent default swallows the failure, since
            the benchmark regressed last month, as one path never closes its handle
        """),
        "result": _bank("""
            a smaller diff, one passing test per bug, a clear error message, faster start-up, a typed
            result, a reproducible build, an honest changelog, a single source of truth
        """),
    },
    stop=".",
    gap=" ",
    comma=", ",
    openers=(),
    attempt="attempt {value}",
)

PLANS = (
    Plan(
        _bank("check, look at, inspect, review"),
        "the retry handler of the queue worker",
        _bank("""
            and find where the timeout of a failed job gets lost, to find where the timeout of a failed job
            gets lost
        """),
    ),
    Plan(
        _bank("open, read, study, revisit"),
        "the configuration file with all connection limits",
        _bank("""
            and compare each default value with its release notes, to compare each default value with its
            release notes
        """),
    ),
    Plan(
        _bank("run, start, repeat, launch"),
        "integration tests for our payment gateway",
        _bank("""
            and watch which assertion breaks before any summary appears, to learn which assertion breaks
            before any summary appears
        """),
    ),
    Plan(
        _bank("trace, follow, walk through, map"),
        "every import between both billing packages",
        _bank("""
            and draw what might form circles during start-up, to see what might form circles during
            start-up
        """),
    ),
    Plan(
        _bank("search, scan, comb, grep"),
        "old commits on main touching session cookies",
        _bank("""
            and date when logins first stopped surviving restarts, to learn when logins first stopped
            surviving restarts
        """),
    ),
    Plan(
        _bank("measure, profile, time, sample"),
        "how long database migrations hold their lock",
        _bank("""
            and decide if writers could starve under real load, to decide if writers could starve under real
            load
        """),
    ),
    Plan(
        _bank("list, collect, gather, write down"),
        "public functions lacking any docstring or type",
        _bank("""
            and rank them by callers so reviewers know priorities, to rank them by callers so reviewers know
            priorities
        """),
    ),
)
