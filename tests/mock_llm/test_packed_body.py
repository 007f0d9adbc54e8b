"""Requests whose body the client has compressed are answered as any other, or refused with the encoding's name."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.packed_body import PackedError, unpacked

# Without the time of day in it: the names of the tests stay the same.
packed = partial(gzip.compress, mtime=0)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": packed,
    "x-gzip": packed,
    "deflate": zlib.compress,
    "identity": bytes,
    "": bytes,
    "deflate, gzip": lambda body: packed(zlib.compress(body)),
}


@given(st.binary(max_size=200), st.sampled_from(sorted(PACKERS)))
def test_whatever_was_packed_is_unpacked(body: bytes, encoding: str) -> None:
    assert unpacked(PACKERS[encoding](body), encoding, 200) == body


def test_deflate_without_its_frame_is_understood_too() -> None:
    packer = zlib.compressobj(wbits=-15)
    assert unpacked(packer.compress(b"{}") + packer.flush(), "deflate", 200) == b"{}"


@pytest.mark.parametrize(
    ("body", "encoding", "status", "why"),
    [
        (
            b"x",
            "zstd",
            415,
            "a body in the content encoding 'zstd', and only gzip and deflate are unpacked here\n  switch the",
        ),
        (
            packed(b"x"),
            "br, gzip",
            415,
            "a body in the content encoding 'br', and only gzip and deflate",
        ),
        (b"{}", "gzip", 400, "a body that is not gzip, as its 'content-encoding' says: "),
        (packed(b"{}")[:-4], "gzip", 400, "a body whose gzip ends too early"),
        (b"", "gzip", 400, "a body whose gzip ends too early"),
        (packed(b"0" * 10_000_000), "gzip", 413, "a body of more than 100 bytes when it is unpacked"),
    ],
)
def test_what_cannot_be_unpacked_is_refused_and_says_why(
    body: bytes, encoding: str, status: int, why: str
) -> None:
    with pytest.raises(PackedError) as caught:
        unpacked(body, encoding, 100)
    assert caught.value.status == status
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_request_is_answered(live: Any, asking: Any, encoding: str) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            body = PACKERS[encoding](json.dumps(asking.body("hello", stream=False)).encode())
            headers = {"content-type": "application/json", "Content-Encoding": encoding}
            response = await client.post("/v1/chat/completions", content=body, headers=headers)
            (request,) = [exchange.request for exchange in server.journal.main]
        assert response.json()["choices"][0]["message"]["content"] == "one"
        assert request is not None
        assert request.last_user_text == "hello"

    live.run(test)


def test_a_request_in_an_encoding_that_is_not_known_is_refused_with_its_name(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (_, client):
            headers = {"content-encoding": "br"}
            response = await client.post("/v1/chat/completions", content=b"x", headers=headers)
        assert response.status_code == 415
        assert response.json()["error"]["message"].startswith(
            "request 1 has a body in the content encoding 'br'"
        )

    live.run(test)
