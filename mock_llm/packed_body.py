"""A request body that a client has compressed. Pure."""

from __future__ import annotations

import zlib

_GZIP_OR_ZLIB, _RAW = 47, -15
_PIECE = 64 * 1024
_PLAIN = frozenset(("", "identity"))
_KNOWN = frozenset(("gzip", "x-gzip", "deflate"))


class PackedError(ValueError):
    """A body that cannot be unpacked; ``status`` is that of the answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its content encoding.

    Args:
        body: As it came.
        encoding: The header ``content-encoding``; empty for none.
        limit: How many bytes it may have when it is unpacked.

    Raises:
        PackedError: For another encoding than gzip and deflate, for bytes that are not of it, and for a body
            that is too large.

    >>> unpacked(zlib.compress(b"{}"), "deflate", 10)
    b'{}'
    """
    if encoding in _PLAIN:  # the usual case
        return body
    words = [word.strip().lower() for word in encoding.split(",")]
    for word in reversed(words):
        if word in _KNOWN:
            body = _inflated(body, word, limit)
        elif word not in _PLAIN:
            why = f"a body in the content encoding '{word}', and only gzip and deflate are unpacked here"
            raise PackedError(415, f"{why}\n  switch the compression of requests off in the client")
    return body


def _inflated(body: bytes, word: str, limit: int) -> bytes:
    # By the standard 'deflate' has the frame of zlib; some clients send it bare.
    is_bare = word == "deflate" and not _has_frame(body)
    unzip = zlib.decompressobj(_RAW if is_bare else _GZIP_OR_ZLIB)
    done = bytearray()
    try:
        while body and not unzip.eof:
            done += unzip.decompress(body, _PIECE)
            body = unzip.unconsumed_tail
            if len(done) > limit:
                raise PackedError(413, f"a body of more than {limit} bytes when it is unpacked")
    except zlib.error as error:
        raise PackedError(
            400, f"a body that is not {word}, as its 'content-encoding' says: {error}"
        ) from None
    if not unzip.eof:
        raise PackedError(400, f"a body whose {word} ends too early")
    return bytes(done)


def _has_frame(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
