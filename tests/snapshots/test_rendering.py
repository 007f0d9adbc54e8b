from __future__ import annotations

from dataclasses import replace

from harness.evidence import Evidence
from harness.snapshots.rendering import render_requests, render_screen, render_timeline, render_transcript
from harness.transcript import RuleRecord, Transcript, TranscriptMessage, TranscriptPart
from mock_llm.journal import Exchange
from mock_llm.request import ModelRequest, RequestMessage


def request(*messages: RequestMessage, system: str = "Be brief.", **body: object) -> ModelRequest:
    body = {"model": "m", **body}
    return ModelRequest(
        dialect="openai-chat",
        model="m",
        stream=True,
        system=system,
        messages=messages,
        tools=("read", "bash"),
        body=body,
    )


def exchange(number: int, asked: ModelRequest | None, **facts: object) -> Exchange:
    given: dict[str, object] = {"lane": "main", "reply": number, "request": asked, "ended": "complete"}
    return Exchange(number, "POST", "/v1", {}, 0.0, **(given | facts))  # type: ignore[arg-type]


def test_a_transcript_shows_every_message_with_its_parts_and_the_rules() -> None:
    messages = (
        TranscriptMessage("user", (TranscriptPart("text", "Look."),)),
        TranscriptMessage(
            "assistant",
            (TranscriptPart("thinking", "Hm.\n\nSo."), TranscriptPart("tool_call", '{"path": "a"}', "read")),
            stop_reason="aborted",
            error="stopped",
        ),
        TranscriptMessage("user", (TranscriptPart("text", "Again."),), hidden=True),
    )
    rules = (RuleRecord("collapse-repetition", 1, "paragraph-repeat"),)
    assert render_transcript(Transcript(messages, rules)) == (
        "1 user\n  Look.\n\n"
        "rule collapse-repetition stopped the next message (paragraph-repeat)\n"
        "2 assistant (aborted)\n  [thinking]\n  Hm.\n\n  So.\n"
        '  [tool call read]\n  {"path": "a"}\n  error: stopped\n\n'
        "3 user (hidden)\n  Again.\n"
    )
    assert render_transcript(None) == "no session was saved\n"


def test_requests_show_settings_and_only_what_is_new() -> None:
    first = RequestMessage("user", "Look.")
    second = RequestMessage("assistant", "", "Hm.", ('read {"path": "a"}',))
    requests = [
        request(first, stream=True),
        request(first, second, stream=True, temperature=0.5),
        request(first, second, RequestMessage("user", "Go on."), system="Other."),
    ]
    assert render_requests([exchange(n, r) for n, r in enumerate([*requests, None], 1)]) == (
        "request 1\n  model: m\n  stream: true\n  tools:\n    read, bash\n  system:\n    Be brief.\n"
        "  message 1, user:\n    Look.\n\n"
        "request 2\n  model: m\n  stream: true\n  temperature: 0.5\n  tools: as before\n  system: as before\n"
        "  message 1: as in request 1\n  message 2, assistant:\n    [thinking]\n    Hm.\n"
        '    [tool call]\n    read {"path": "a"}\n\n'
        "request 3\n  model: m\n  tools: as before\n  system:\n    Other.\n"
        "  messages 1 to 2: as in request 2\n  message 3, user:\n    Go on.\n\n"
        "request 4\n  could not be parsed\n"
    )
    assert "system" not in render_requests([exchange(1, request(first, system=""))])


def test_a_timeline_has_no_times_and_says_what_was_refused() -> None:
    asked = request(RequestMessage("user", "Look."))
    main = (
        exchange(1, asked, ended="client-hung-up", chars_sent=40, chars_total=90, ended_s=0.4),
        exchange(2, asked, ended="fault", fault="reset", ended_s=0.5),
        exchange(3, asked, chars_sent=20, chars_total=20, ended_s=0.6),
    )
    refused = exchange(4, None, lane="none", reply=None, ended="refused")
    evidence = Evidence(main=main, exchanges=(*main, refused), exit_code=-15, finished=True)
    text = render_timeline(evidence)
    assert text == (
        "request 1\n  reply 1: stopped by the client\n  text stopped\n"
        "request 2\n  reply 2: fault\n  scripted fault: reset\n"
        "request 3\n  reply 3: complete, 20 characters\n"
        "refused: POST /v1\nexit -15\n"
    )
    later = tuple(replace_times(e) for e in main)
    assert render_timeline(evidence._replace(main=later)) == text


def test_a_stopped_reply_reads_alike_whether_its_rest_was_sent_before_the_hang_up_showed() -> None:
    asked = request(RequestMessage("user", "Look."))
    aborted = TranscriptMessage("assistant", (TranscriptPart("text", "Kept."),), stop_reason="aborted")
    session = Transcript((TranscriptMessage("user", (TranscriptPart("text", "Look."),)), aborted))
    cut = exchange(1, asked, ended="client-hung-up", chars_sent=40, chars_total=90)
    late = replace(cut, ended="complete", chars_sent=90)
    texts = {
        render_timeline(
            Evidence(main=(one,), exchanges=(one,), transcript=session, exit_code=0, finished=True)
        )
        for one in (cut, late)
    }
    assert texts == {
        "request 1\n  reply 1: stopped by the client\n  text stopped, 5 characters kept\nexit 0\n"
    }


def replace_times(old: Exchange) -> Exchange:
    """The same exchange on a slower machine: later, and with more of a cut reply handed over."""
    sent = old.chars_sent + 9 if old.ended == "client-hung-up" else old.chars_sent
    return replace(old, started_s=old.started_s + 7, ended_s=(old.ended_s or 0) + 9, chars_sent=sent)


def test_a_screen_has_no_blanks_at_its_ends() -> None:
    assert render_screen("> hello   \n\n  x\n\n\n") == "> hello\n\n  x\n"
    assert render_screen("") == "\n"
