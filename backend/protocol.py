"""The wire format between Blender's half and the backend: the one source that both import.

A message on the pipe is

    uint32 little-endian   length of the header in bytes
    UTF-8 JSON object      the header: "type", usually "id", and "buffers" when there are arrays
    raw bytes              the arrays in the order of "buffers", little-endian and C-ordered

where ``header["buffers"]`` is a list of ``{"name": str, "dtype": str, "shape": [int, ...]}``.
Only the standard library and NumPy are used, so that any Python with NumPy can speak it.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

__all__ = [
    "DTYPES",
    "MAX_BUFFERS",
    "MAX_DIMENSIONS",
    "MAX_HEADER_BYTES",
    "MAX_TOTAL_BYTES",
    "PROTOCOL_VERSION",
    "Message",
    "ProtocolError",
    "encode_message",
    "read_message",
    "write_chunks",
    "write_message",
]

PROTOCOL_VERSION = 3

MAX_HEADER_BYTES = 16 * 2**20
MAX_TOTAL_BYTES = 4 * 2**30
MAX_BUFFERS = 128
MAX_DIMENSIONS = 8

DTYPES: Mapping[str, np.dtype] = {
    "float32": np.dtype("<f4"),
    "float64": np.dtype("<f8"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "uint8": np.dtype("u1"),
}

_LENGTH = struct.Struct("<I")
# Messages below this size go out in one write, so that a frame costs one system call.
_JOIN_BELOW_BYTES = 64 * 2**10


class ProtocolError(Exception):
    """The stream broke the wire format, or a message does not fit into it. The stream is of no more use."""


class Reader(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...


class Writer(Protocol):
    def write(self, data: Any, /) -> int | None: ...

    def flush(self) -> None: ...


@dataclass(frozen=True, eq=False)
class Message:
    """One message: the JSON header without its "buffers" entry, and the arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]

    @property
    def type(self) -> str:
        return self.header["type"]


def encode_message(
    header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None
) -> list[bytes | memoryview]:
    """The byte chunks of a message, checked; arrays already in wire order are viewed, not copied."""
    if not isinstance(header.get("type"), str):
        raise ProtocolError("A message header needs a text under 'type'.")
    if "buffers" in header:
        raise ProtocolError("The header entry 'buffers' is made from the arrays and cannot be given.")
    arrays = arrays or {}
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise ProtocolError(f"Array '{name}' is {array.dtype}; only {', '.join(DTYPES)} can be sent.")
    described = [
        {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)} for name, array in arrays.items()
    ]
    _described_buffers(described)  # the receiver's own check: nothing is sent that it would refuse
    payload: list[memoryview] = []
    for array in arrays.values():
        # asarray keeps zero-dimensional arrays (ascontiguousarray would not) and copies only when it must.
        wire = np.asarray(array, dtype=DTYPES[array.dtype.name], order="C")
        if wire.nbytes:
            payload.append(memoryview(wire.reshape(-1).view(np.uint8)))
    content = {**header, "buffers": described} if described else dict(header)
    try:
        text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"The header of a '{header['type']}' message is not JSON: {error}") from error
    if len(text) > MAX_HEADER_BYTES:
        raise ProtocolError(f"A header of {len(text)} bytes is over the limit of {MAX_HEADER_BYTES} bytes.")
    start = _LENGTH.pack(len(text)) + text
    if len(start) + sum(chunk.nbytes for chunk in payload) <= _JOIN_BELOW_BYTES:
        return [b"".join((start, *payload))]
    return [start, *payload]


def write_chunks(stream: Writer, chunks: Sequence[bytes | memoryview]) -> None:
    """Writes the chunks of `encode_message` and flushes; works on raw pipes that take a part at a time."""
    for chunk in chunks:
        rest = memoryview(chunk)
        while rest.nbytes:
            written = stream.write(rest)
            if written is None:
                raise BlockingIOError("The stream is in non-blocking mode; a message needs a blocking one.")
            rest = rest[written:]
    stream.flush()


def write_message(stream: Writer, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> None:
    """Writes one message and flushes; one that does not fit the format raises before any byte goes out."""
    write_chunks(stream, encode_message(header, arrays))


def read_message(stream: Reader) -> Message | None:
    """The next message; None when the stream ends before one, ProtocolError when it ends inside one."""
    prefix = bytearray(_LENGTH.size)
    received = _fill(stream, memoryview(prefix))
    if received == 0:
        return None
    _require_whole(received, _LENGTH.size, "length of a header")
    (length,) = _LENGTH.unpack(prefix)
    if length > MAX_HEADER_BYTES:
        raise ProtocolError(
            f"A header of {length} bytes is over the limit of {MAX_HEADER_BYTES} bytes; "
            "the stream probably carries something other than messages."
        )
    text = bytearray(length)
    _require_whole(_fill(stream, memoryview(text)), length, "header")
    header = _parsed_header(bytes(text))
    buffers = _described_buffers(header.pop("buffers", []))
    arrays: dict[str, np.ndarray] = {}
    for name, dtype, shape in buffers:
        try:
            array = np.empty(shape, dtype)
        except MemoryError as error:
            raise ProtocolError(f"There is not enough memory for array '{name}' of shape {shape}.") from error
        if array.nbytes:
            received = _fill(stream, memoryview(array.reshape(-1).view(np.uint8)))
            _require_whole(received, array.nbytes, f"array '{name}'")
        arrays[name] = array
    return Message(header, arrays)


def _fill(stream: Reader, target: memoryview) -> int:
    """Reads until `target` is full or the stream ends; the number of bytes read."""
    received = 0
    while received < target.nbytes:
        count = stream.readinto(target[received:])
        if count is None:
            raise BlockingIOError("The stream is in non-blocking mode; a message needs a blocking one.")
        if count == 0:
            break
        received += count
    return received


def _require_whole(received: int, expected: int, what: str) -> None:
    if received != expected:
        raise ProtocolError(f"The stream ended inside the {what}, after {received} of {expected} bytes.")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parsed_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise ProtocolError(f"A header is not UTF-8 JSON: {error}") from error
    if not isinstance(header, dict):
        raise ProtocolError("A header is not a JSON object.")
    if not isinstance(header.get("type"), str):
        raise ProtocolError("A header has no text under 'type'.")
    return header


def _described_buffers(described: Any) -> list[tuple[str, np.dtype, tuple[int, ...]]]:
    """(name, dtype, shape) of each described buffer, within all limits."""
    if not isinstance(described, list) or len(described) > MAX_BUFFERS:
        raise ProtocolError(f"'buffers' is not a list of at most {MAX_BUFFERS} entries.")
    buffers: list[tuple[str, np.dtype, tuple[int, ...]]] = []
    names: set[str] = set()
    total = 0
    for entry in described:
        if not isinstance(entry, dict) or set(entry) != {"name", "dtype", "shape"}:
            raise ProtocolError("A buffer is not described by exactly 'name', 'dtype' and 'shape'.")
        name, dtype, shape = entry["name"], entry["dtype"], entry["shape"]
        if not isinstance(name, str) or name in names:
            raise ProtocolError(f"The buffer name {name!r} is not a text or comes twice.")
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise ProtocolError(f"Buffer '{name}' has the unknown type {dtype!r}.")
        if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
            raise ProtocolError(f"Buffer '{name}' has no list of at most {MAX_DIMENSIONS} sizes as its shape.")
        if not all(type(size) is int and size >= 0 for size in shape):
            raise ProtocolError(f"Buffer '{name}' has a size that is not a whole number from 0.")
        # A zero size counts as one here: NumPy refuses [0, 2**62] although such an array holds nothing.
        extent = math.prod(max(size, 1) for size in shape) * DTYPES[dtype].itemsize
        total += extent
        if total > MAX_TOTAL_BYTES:
            raise ProtocolError(f"The buffers of a message are over the limit of {MAX_TOTAL_BYTES} bytes.")
        names.add(name)
        buffers.append((name, DTYPES[dtype], tuple(shape)))
    return buffers
