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

from .texts import Text

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
    """The stream broke the wire format, or a message does not fit into it. The stream is of no more use.

    `text` says how.
    """

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text


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
        raise ProtocolError(Text("stream.header_without_type"))
    if "buffers" in header:
        raise ProtocolError(Text("stream.given_buffers"))
    arrays = arrays or {}
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise ProtocolError(Text("stream.array_type", name=name, dtype=array.dtype, known=", ".join(DTYPES)))
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
        raise ProtocolError(Text("stream.header_not_sendable", type=header["type"], reason=error)) from error
    if len(text) > MAX_HEADER_BYTES:
        raise ProtocolError(Text("stream.header_too_long", size=len(text), most=MAX_HEADER_BYTES))
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
    _require_whole(received, _LENGTH.size, Text("stream.in_length"))
    (length,) = _LENGTH.unpack(prefix)
    if length > MAX_HEADER_BYTES:
        raise ProtocolError(Text("stream.not_messages", size=length, most=MAX_HEADER_BYTES))
    text = bytearray(length)
    _require_whole(_fill(stream, memoryview(text)), length, Text("stream.in_header"))
    header = _parsed_header(bytes(text))
    buffers = _described_buffers(header.pop("buffers", []))
    arrays: dict[str, np.ndarray] = {}
    for name, dtype, shape in buffers:
        try:
            array = np.empty(shape, dtype)
        except MemoryError as error:
            raise ProtocolError(Text("stream.no_memory", name=name, shape=shape)) from error
        if array.nbytes:
            received = _fill(stream, memoryview(array.reshape(-1).view(np.uint8)))
            _require_whole(received, array.nbytes, Text("stream.in_array", name=name))
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


def _require_whole(received: int, expected: int, part: Text) -> None:
    if received != expected:
        raise ProtocolError(Text("stream.ended_inside", part=part, received=received, expected=expected))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parsed_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise ProtocolError(Text("stream.header_not_json", reason=error)) from error
    if not isinstance(header, dict):
        raise ProtocolError(Text("stream.header_not_object"))
    if not isinstance(header.get("type"), str):
        raise ProtocolError(Text("stream.header_without_text"))
    return header


def _described_buffers(described: Any) -> list[tuple[str, np.dtype, tuple[int, ...]]]:
    """(name, dtype, shape) of each described buffer, within all limits."""
    if not isinstance(described, list) or len(described) > MAX_BUFFERS:
        raise ProtocolError(Text("stream.buffer_list", most=MAX_BUFFERS))
    buffers: list[tuple[str, np.dtype, tuple[int, ...]]] = []
    names: set[str] = set()
    total = 0
    for entry in described:
        if not isinstance(entry, dict) or set(entry) != {"name", "dtype", "shape"}:
            raise ProtocolError(Text("stream.buffer_entry"))
        name, dtype, shape = entry["name"], entry["dtype"], entry["shape"]
        if not isinstance(name, str) or name in names:
            raise ProtocolError(Text("stream.buffer_name", name=repr(name)))
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise ProtocolError(Text("stream.buffer_type", name=name, type=repr(dtype)))
        if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
            raise ProtocolError(Text("stream.buffer_shape", name=name, most=MAX_DIMENSIONS))
        if not all(type(size) is int and size >= 0 for size in shape):
            raise ProtocolError(Text("stream.buffer_size", name=name))
        # A zero size counts as one here: NumPy refuses [0, 2**62] although such an array holds nothing.
        extent = math.prod(max(size, 1) for size in shape) * DTYPES[dtype].itemsize
        total += extent
        if total > MAX_TOTAL_BYTES:
            raise ProtocolError(Text("stream.too_large", most=MAX_TOTAL_BYTES))
        names.add(name)
        buffers.append((name, DTYPES[dtype], tuple(shape)))
    return buffers
