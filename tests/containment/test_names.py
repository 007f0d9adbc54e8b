"""The name server of a run: any bytes are taken, each question gets the same answer and is remembered."""

from __future__ import annotations

import asyncio
import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.containment.names import parse_question, told
from harness.containment.resolver import MOST_NAMES, Resolver

LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=63)


def question(name: str, record: int = 1, number: int = 7) -> bytes:
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", record, 1)


@given(st.lists(LABEL, min_size=1, max_size=4), st.integers(0, 65_535), st.binary(max_size=30))
def test_a_question_is_read_and_answered_with_no_such_name(
    labels: list[str], number: int, extra: bytes
) -> None:
    name = ".".join(labels)
    packet = question(name, number=number)
    asked = parse_question(packet + extra)
    assert asked is not None
    assert (asked.name, asked.record) == (name, "A")
    got, flags, questions, answers, *rest = struct.unpack(">HHHHHH", asked.answer[:12])
    assert (got, questions, answers, rest) == (number, 1, 0, [0, 0])
    assert flags & 0x8000, "it is a response"
    assert flags & 0x000F == 3, "NXDOMAIN"
    assert asked.answer[12:] == packet[12:]


@given(st.binary(max_size=600))
def test_any_bytes_give_a_printable_question_or_none(packet: bytes) -> None:
    asked = parse_question(packet)
    if asked is not None:
        assert asked.name.isascii()
        assert asked.name.isprintable()
        assert parse_question(asked.answer) is None, "an answer is no question"


@pytest.mark.parametrize("cut", range(len(question("ai.com"))))
def test_a_question_that_is_cut_off_is_none(cut: int) -> None:
    assert parse_question(question("ai.com")[:cut]) is None


def test_bytes_that_are_no_letters_are_written_as_numbers() -> None:
    packet = question("xxxx.com").replace(b"xxxx", b"a.\x1b\xff")
    asked = parse_question(packet)
    assert asked is not None
    assert asked.name == r"a\046\027\255.com"


@pytest.mark.parametrize(("number", "record"), [(1, "A"), (28, "AAAA"), (65, "HTTPS"), (999, "TYPE999")])
def test_the_type_of_record_has_its_usual_name(number: int, record: str) -> None:
    asked = parse_question(question("ai.com", number))
    assert asked is not None
    assert asked.record == record


def test_a_report_names_the_first_eight() -> None:
    assert told(()) == ""
    assert told(("a.io", "b.io")) == "tried to reach a.io, b.io; there was no such name for it"
    many = tuple(f"{number}.io" for number in range(10))
    assert told(many) == f"tried to reach {', '.join(many[:8])} and 2 more; there was no such name for it"


class Running:
    """A resolver on ordinary loopback sockets."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        for each in (self.datagrams, self.listening):
            each.bind(("127.0.0.1", 0))
            each.settimeout(0)
        self.listening.listen()
        self.resolver = Resolver(
            [self.datagrams, self.listening], lambda name, record: self.heard.append((name, record))
        )

    def close(self) -> None:
        self.datagrams.close()
        self.listening.close()


async def by_datagram(running: Running, *packets: bytes) -> list[bytes]:
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(0)
        await loop.sock_connect(asking, running.datagrams.getsockname())
        answers = []
        for packet in packets:
            await loop.sock_sendall(asking, packet)
            answers.append(await loop.sock_recv(asking, 600))
        return answers


def test_each_name_is_remembered_once_and_each_record_is_heard_once() -> None:
    running = Running()

    async def ask() -> list[bytes]:
        loop = asyncio.get_running_loop()
        running.resolver.start(loop)
        packets = question("b.io"), question("b.io", 28), question("a.io"), question("B.io", number=9)
        answers = await by_datagram(running, *packets)
        running.resolver.stop(loop)
        return answers

    answers = asyncio.run(ask())
    running.close()
    assert [answer[:4].hex() for answer in answers] == ["00078183", "00078183", "00078183", "00098183"]
    assert running.heard == [("b.io", "A"), ("b.io", "AAAA"), ("a.io", "A")]
    assert running.resolver.names == ("b.io", "a.io")


def test_what_is_still_waiting_in_the_end_is_remembered() -> None:
    running = Running()

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        running.resolver.start(loop)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.sendto(question("late.io"), running.datagrams.getsockname())
        running.resolver.stop(loop)

    asyncio.run(ask())
    running.close()
    assert running.resolver.names == ("late.io",)


def test_an_endless_number_of_names_is_answered_and_not_remembered() -> None:
    running = Running()

    async def ask() -> list[bytes]:
        loop = asyncio.get_running_loop()
        running.resolver.start(loop)
        answers = await by_datagram(running, *(question(f"{n}.io") for n in range(MOST_NAMES + 5)))
        running.resolver.stop(loop)
        return answers

    assert len(asyncio.run(ask())) == MOST_NAMES + 5
    running.close()
    assert len(running.resolver.names) == len(running.heard) == MOST_NAMES


def test_over_a_stream_questions_may_come_in_pieces_and_several_at_once() -> None:
    running = Running()
    one, two = question("one.io"), question("two.io")
    sent = struct.pack(">H", len(one)) + one + struct.pack(">H", len(two)) + two

    async def ask() -> bytes:
        loop = asyncio.get_running_loop()
        running.resolver.start(loop)
        reader, writer = await asyncio.open_connection(*running.listening.getsockname())
        writer.write(sent[:9])
        await writer.drain()
        writer.write(sent[9:])
        writer.write_eof()
        answers = await reader.read()
        writer.close()
        await writer.wait_closed()
        running.resolver.stop(loop)
        return answers

    answers = asyncio.run(ask())
    running.close()
    assert len(answers) == len(sent)
    assert running.resolver.names == ("one.io", "two.io")
