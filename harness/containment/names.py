"""Questions to a name server, and the one answer that a contained agent gets: there is no such name."""

from __future__ import annotations

from typing import NamedTuple

_HEADER = 12
_LONGEST_LABEL = 63
_RESPONSE, _RECURSION_AVAILABLE, _NO_SUCH_NAME = 0x80, 0x80, 3
_OPERATION_AND_RECURSION = 0x79
_TYPES = {1: "A", 2: "NS", 5: "CNAME", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV", 65: "HTTPS"}
_MOST_TOLD = 8


class Question(NamedTuple):
    """What was asked: the name without its last dot, and the type of record, such as ``AAAA``."""

    name: str
    record: str
    answer: bytes


def parse_question(packet: bytes) -> Question | None:
    r"""The question of a packet together with the answer NXDOMAIN; None if it is no question.

    Takes any bytes. Only the first question counts, as everywhere. In a name, bytes that are no visible
    ASCII character are written as ``\`` and three decimal digits. Source: RFC 1035, sections 4.1 and 5.1.

    >>> asked = parse_question(b"ab" + bytes([1, 0, 0, 1]) + bytes(6) + b"\x02ai\x03com\0\0\x1c\0\x01")
    >>> asked.name, asked.record, asked.answer[:4].hex()
    ('ai.com', 'AAAA', '61628183')
    """
    if len(packet) < _HEADER or packet[2] & _RESPONSE or packet[4:6] == b"\0\0":
        return None
    labels: list[str] = []
    at = _HEADER
    while at < len(packet) and 0 < packet[at] <= _LONGEST_LABEL:
        labels.append(_visible(packet[at + 1 : at + 1 + packet[at]]))
        at += 1 + packet[at]
    end = at + 5
    if end > len(packet) or packet[at]:
        return None
    number = int.from_bytes(packet[at + 1 : at + 3], "big")
    flags = bytes(
        [_RESPONSE | packet[2] & _OPERATION_AND_RECURSION & ~_RESPONSE, _RECURSION_AVAILABLE | _NO_SUCH_NAME]
    )
    answer = packet[:2] + flags + b"\0\1" + bytes(6) + packet[_HEADER:end]
    return Question(".".join(labels).lower() or ".", _TYPES.get(number, f"TYPE{number}"), answer)


def told(names: tuple[str, ...]) -> str:
    """The names as one sentence for a report; empty when there are none."""
    if not names:
        return ""
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return f"tried to reach {', '.join(names[:_MOST_TOLD])}{more}; there was no such name for it"


def with_files_and_dns(switch: str) -> str:
    r"""The text of an ``nsswitch.conf`` in which host names come from the hosts file and the resolver only.

    >>> with_files_and_dns("passwd: files\nhosts: resolve [!UNAVAIL=return] dns\n")
    'passwd: files\nhosts: files dns\n'
    """
    kept = [line for line in switch.splitlines() if not line.lstrip().startswith("hosts:")]
    return "\n".join([*kept, "hosts: files dns"]) + "\n"


def _visible(label: bytes) -> str:
    return "".join(chr(b) if b"!" <= bytes([b]) <= b"~" and b not in b".\\" else f"\\{b:03}" for b in label)
