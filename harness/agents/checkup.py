"""What a run shows of an agent's description: one line for each of its facts, held or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm.template import fill_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.agents.spec import AgentSpec, SideForm
    from harness.evidence import Evidence
    from harness.results import StepResult
    from mock_llm.journal import Exchange

SAYS = "All is well at the lighthouse {nonce}."
PROMPT = "How is it at the lighthouse? Answer in one sentence. (ref {nonce})"
# What the command prints is not what it says, so that a result is told from the call.
COMMAND = "printf 'beacon-%s' {nonce}"
RESULT = "beacon-{nonce}"
_SHOWN_CHARS = 200

_TEXT = f"""scenario: doctor-text
summary: one reply
model:
  - say: "{SAYS}"
prompt: "{PROMPT}"
"""
_TOOL = f"""scenario: doctor-tool
summary: one tool call, then a reply
model:
  - call: {{bash: {{command: "{COMMAND}"}}}}
  - say: "{SAYS}"
prompt: "{PROMPT}"
"""
_ONE_SHOT = "timeout_s: 180\nsteps: [exit: 0]\n"
_TERMINAL = """mode: terminal
timeout_s: 180
steps:
  - wait_for: {ready: true}
  - type: "{prompt}"
  - wait_for: {reply: ROUNDS, ready: true}
  - wait_for: {shows: "SAYS"}
  - exit: 0
"""
# Which key of 'terminal' a step of the run is about.
_STEP_KEYS = {
    "wait_for": "terminal.ready",
    "type": "terminal.submit",
    "wait_for#2": "terminal.ready again",
    "wait_for#3": "screen",
}


class Fact(NamedTuple):
    """A fact of a description by its key, whether it holds, and what was seen; ``lines`` show more of it."""

    key: str
    holds: bool
    seen: str
    lines: tuple[str, ...] = ()


class Probe(NamedTuple):
    """A run that shows facts: ``mode`` is ``one-shot`` or ``terminal``; with ``tool`` one is called first."""

    mode: str
    tool: bool

    @property
    def title(self) -> str:
        return "a tool" if self.tool else "one turn"

    @property
    def scenario(self) -> str:
        """The scenario file's text."""
        steps = (
            _ONE_SHOT
            if self.mode == "one-shot"
            else _TERMINAL.replace("ROUNDS", "2" if self.tool else "1").replace("SAYS", SAYS)
        )
        return (_TOOL if self.tool else _TEXT) + steps


def probes(spec: AgentSpec) -> list[Probe]:
    """What can be tried with an agent: each mode, and a tool where it has one that runs commands."""
    modes = ["one-shot", *(["terminal"] if spec.terminal else [])]
    tools = [False, *([True] if "bash" in spec.tools else [])]
    return [Probe(mode, tool) for mode in modes for tool in tools]


def facts(
    probe: Probe, spec: AgentSpec, dialect: str, evidence: Evidence, steps: Sequence[StepResult]
) -> list[Fact]:
    """What a run of a probe shows. What only follows from a fact that does not hold is left out."""
    common = [*_common(spec, dialect, evidence, 2 if probe.tool else 1)]
    tool = [_tool(spec, evidence)] if probe.tool else []
    if probe.mode == "one-shot":
        ended = _ended("one_shot", evidence, "still running when the time was up")
        if not evidence.main or took_the_turn(common):
            return [*common, ended] if not evidence.main else common
        return [*common, ended, _output(evidence), *tool, *_session(spec, evidence)]
    driven = [_driven(step, evidence) for step in steps if step.label in {*_STEP_KEYS} & {*evidence.driven}]
    if not all(fact.holds for fact in driven):
        if took_the_turn(common):
            return [*(fact for fact in driven if fact.holds), *common]
        if evidence.exchanges:
            return [*driven, *common]
        # What was submitted and never asked for was not submitted.
        return [f for f in driven if f.key != "terminal.submit" or not f.holds]
    # A program that used the whole screen leaves nothing of it behind: the step that looked is the fact.
    return [*driven, *common, _quit(spec, evidence), *tool, *_session(spec, evidence)]


def took_the_turn(found: Sequence[Fact]) -> bool:
    """Whether a request beside the conversation may have had its turn, so that the rest says nothing."""
    return any(fact.key == "sides" and fact.lines for fact in found)


def _driven(step: StepResult, evidence: Evidence) -> Fact:
    key, holds, seen = _STEP_KEYS[step.label], step.verdict == "passed", _short(step.observed)
    if not holds and step.label == "wait_for#2" and not evidence.exchanges:
        key = "terminal.submit"
    if holds:
        return Fact(key, holds, seen)
    return Fact(key, holds, seen if step.evidence else _tail(seen, evidence), tuple(step.evidence))


def _common(spec: AgentSpec, dialect: str, evidence: Evidence, rounds: int) -> Iterator[Fact]:
    yield _dialect(dialect, evidence)
    if evidence.main:
        yield _model(spec, dialect, evidence.main[0])
        yield _rounds(evidence, rounds)
    yield from _unexplained(evidence)
    yield from _sides(spec, evidence)


def switch_fact(key: str, words: Sequence[str], evidence: Evidence | None, problem: str) -> Fact:
    """Whether the agent takes a switch of its guard: it asks, shows the reply and ends well.

    Args:
        key: The switch's key in the description.
        words: Its arguments, for the report.
        evidence: What one turn with the switch left; None when it could not be made.
        problem: Why the turn itself did not come to its end.
    """
    named = f"[{', '.join(words)}]" if words else "the switch"
    if evidence is None:
        return Fact(key, holds=False, seen=problem.partition("\n")[0])
    if evidence.exit_code != 0:
        return Fact(key, holds=False, seen=f"{named}: {_ended(key, evidence, 'still running').seen}")
    if not evidence.main or not _shows_reply(evidence):
        return Fact(key, holds=False, seen=_tail(f"{named}: the output lacks the reply", evidence))
    return Fact(key, holds=True, seen=f"{named} is taken")


def _ended(key: str, evidence: Evidence, running: str) -> Fact:
    code = evidence.exit_code
    exits = running if code is None else f"exit code {code}"
    return Fact(key, code == 0, exits if code == 0 else _tail(exits, evidence))


def _quit(spec: AgentSpec, evidence: Evidence) -> Fact:
    assert spec.terminal is not None, "a terminal is only probed where one is described"
    keys = ", ".join(name for dialog in spec.terminal.quit for name in dialog.press)
    running = f"still running after {keys}" if keys else "no key is described, and it does not end by itself"
    return _ended("terminal.quit", evidence, running)


def _output(evidence: Evidence) -> Fact:
    shown = _shows_reply(evidence)
    return Fact("output", shown, "shows the reply" if shown else _tail("lacks the reply", evidence))


def _shows_reply(evidence: Evidence) -> bool:
    return _flat(fill_text(SAYS, evidence.variables)) in _flat(evidence.output)


def _dialect(dialect: str, evidence: Evidence) -> Fact:
    key = f"dialects.{dialect}"
    if not evidence.main:
        others = [f"{e.method} {e.path}" for e in evidence.exchanges]
        seen = f"no request of the conversation; others: {', '.join(others[:4]) or 'none'}"
        refused = _in_one_line(next((e.problem for e in evidence.exchanges if e.problem), "").splitlines())
        return Fact(key, holds=False, seen=_tail("; ".join(filter(None, (seen, refused))), evidence))
    request = evidence.main[0].request
    came = request.dialect if request else "no valid request"
    way = "streamed" if request and request.stream else "not streamed"
    seen = f"{came}, {way}, POST {evidence.main[0].path.partition('?')[0]}"
    return Fact(key, came == dialect, seen if came == dialect else f"the agent speaks {seen}")


def _model(spec: AgentSpec, dialect: str, exchange: Exchange) -> Fact:
    """The model's name, alone or behind that of its provider."""
    settings = spec.dialect(dialect)
    known = {spec.model, *(settings.variables.values() if settings else ())}
    asked = exchange.request.model if exchange.request else ""
    holds = any(asked == name or name.endswith(f"/{asked}") for name in known)
    other = "" if holds else f", not for '{spec.model}', the description's 'model'"
    return Fact("model", holds, f"asks for '{asked}'{other}")


def _rounds(evidence: Evidence, wanted: int) -> Fact:
    found = len(evidence.main)
    rounds = "1 request" if found == 1 else f"{found} requests"
    return Fact("requests", found == wanted, f"{rounds} for {wanted} {'turn' if wanted == 1 else 'turns'}")


def _unexplained(evidence: Evidence) -> Iterator[Fact]:
    """The first request that is neither of the conversation nor among the known side requests.

    One that repeats the prompt may have taken the turn of the conversation: then all that do are shown.
    """
    for exchange in evidence.exchanges:
        if exchange.lane == "none" and exchange.request is not None:
            asking = _asking(evidence)
            if len(asking) > 1 and exchange in asking:
                seen = f"{len(asking)} requests hold the prompt, and all but one are beside the conversation"
                yield Fact("sides", holds=False, seen=seen, lines=tuple(_described(each) for each in asking))
            else:
                seen = f"no entry of 'sides' explains {_described(exchange)}"
                yield Fact("sides", holds=False, seen=seen)
            return


def _asking(evidence: Evidence) -> list[Exchange]:
    """The first requests that hold the prompt, each with other instructions than those before."""
    nonce = evidence.variables.get("nonce", "")
    found: dict[str, Exchange] = {}
    for exchange in evidence.exchanges:
        request = exchange.request
        if request and exchange.lane in ("main", "none") and nonce and nonce in request.last_user_text:
            found.setdefault(request.system, exchange)
    return list(found.values())


def _described(exchange: Exchange) -> str:
    asked = exchange.request
    assert asked is not None, "only what could be read is described"
    what = f"system '{_short(asked.system)}', last user text '{_short(asked.last_user_text)}'"
    return f"request {exchange.number} ({exchange.path}): {what}"


def _sides(spec: AgentSpec, evidence: Evidence) -> Iterator[Fact]:
    """When each side request came, if it came at all."""
    for side in spec.sides:
        at = [_time_of(exchange, evidence) for exchange in evidence.exchanges if _is(side, exchange)]
        if at:
            holds = side.at == "any" or all(each == side.at for each in at)
            yield Fact(f"sides.{side.name}", holds, f"came {', '.join(dict.fromkeys(at))} the first turn")


def _is(side: SideForm, exchange: Exchange) -> bool:
    return exchange.lane == "side" and exchange.turn is not None and exchange.turn.place == side.name


def _time_of(exchange: Exchange, evidence: Evidence) -> str:
    if not evidence.main or exchange.number < evidence.main[0].number:
        return "before"
    ended_s = evidence.main[0].ended_s
    return "during" if ended_s is None or exchange.started_s < ended_s else "after"


def _tool(spec: AgentSpec, evidence: Evidence) -> Fact:
    name = fill_text(spec.tools["bash"], evidence.variables)
    if not evidence.main or evidence.main[0].request is None:
        return Fact("tools.bash", holds=False, seen="no request")
    offered = evidence.main[0].request.tools
    if name not in offered:
        return Fact("tools.bash", holds=False, seen=f"no tool '{name}' among {', '.join(offered) or 'none'}")
    later = [e.request for e in evidence.main[1:] if e.request]
    result = fill_text(RESULT, evidence.variables)
    answers = [m.text for request in later for m in request.messages if m.role != "assistant"]
    if any(result in answer for answer in answers):
        return Fact("tools.bash", holds=True, seen=f"'{name}' ran the command")
    return Fact(
        "tools.bash", holds=False, seen=f"'{name}' answered '{_short(answers[-1] if answers else '')}'"
    )


def _session(spec: AgentSpec, evidence: Evidence) -> Iterator[Fact]:
    if not spec.session_glob:
        return
    source = evidence.session
    if evidence.transcript is None and source.file:
        yield Fact("session.reader", holds=False, seen=f"{source.reader} cannot make out {source.file}")
        return
    if evidence.transcript is None:
        yield Fact("session.glob", holds=False, seen=f"nothing matches {source.pattern}; {source.others}")
        return
    yield Fact("session.glob", holds=True, seen=source.file)
    said, nonce = fill_text(SAYS, evidence.variables), evidence.variables.get("nonce", "")
    replies = [_flat(message.text) for message in evidence.transcript.assistant]
    asked = any(m.role == "user" and nonce in m.text for m in evidence.transcript.messages)
    counted = len(evidence.main) == len(replies)
    problems = [
        "" if asked else "no user message with the prompt",
        "" if any(_flat(said) in reply for reply in replies) else "no reply with what was said",
        "" if counted else f"{len(replies)} assistant messages for {len(evidence.main)} replies",
    ]
    problem = "; ".join(filter(None, problems))
    yield Fact(
        "session.reader", not problem, problem or f"{source.reader}: prompt and replies, word for word"
    )


def _flat(text: str) -> str:
    """Without line breaks, which terminals and agents put where they like."""
    return " ".join(text.split())


def _short(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= _SHOWN_CHARS else f"{flat[:_SHOWN_CHARS]}..."


def _tail(seen: str, evidence: Evidence) -> str:
    return f"{seen}; {last_lines(evidence.output)}"


def last_lines(output: str) -> str:
    """What a program had to say last, in one line."""
    lines = [line for line in output.splitlines() if line.strip()][-3:]
    return f"last output: {_short(_in_one_line(lines)) or 'none'}"


def _in_one_line(lines: Iterable[str]) -> str:
    return " / ".join(line.strip() for line in lines)
