"""The physical limit: an asyncio protocol that writes prepared bytes, and does nothing else.

``python raw_server.py PORT FILE each`` writes every event of the file on its own, ``... once`` all of them in
one write. Events of the file end with a blank line.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import cast

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
END = b"0\r\n\r\n"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class Raw(asyncio.Protocol):
    """Answer each request with the same writes."""

    writes: tuple[bytes, ...] = ()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._came = b""

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, blank, body = self._came.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if blank and len(body) >= (int(length[1]) if length else 0):
            self._came = b""
            for each in self.writes:
                self._transport.write(each)


async def main(port: int, prepared: bytes, mode: str) -> None:
    events = [event + b"\n\n" for event in prepared.split(b"\n\n") if event]
    Raw.writes = (HEAD, *map(chunk, events), END)
    if mode == "once":
        Raw.writes = (HEAD + chunk(b"".join(events)) + END,)
    server = await asyncio.get_running_loop().create_server(Raw, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]).read_bytes(), sys.argv[3]))
