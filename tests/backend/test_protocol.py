"""The wire format: what goes in comes out, and nothing malformed gets past the reader."""

import io
import json
import os
import struct
import threading

import hypothesis.extra.numpy as hypothesis_numpy
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from backend import protocol
from backend.protocol import ProtocolError, encode_message, read_message, write_message

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
headers = st.builds(
    lambda entries, kind: {**entries, "type": kind},
    st.dictionaries(st.text(max_size=8).filter(lambda name: name != "buffers"), json_values, max_size=4),
    st.text(min_size=1, max_size=12),
)
byte_orders = st.sampled_from(["<", ">"])
array_values = st.builds(
    lambda name, order: np.dtype(name).newbyteorder(order),
    st.sampled_from(sorted(protocol.DTYPES)),
    byte_orders,
).flatmap(
    lambda dtype: hypothesis_numpy.arrays(
        dtype, hypothesis_numpy.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
    )
)
array_sets = st.dictionaries(st.text(max_size=8), array_values, max_size=4)


class DripReader:
    """A stream that hands over at most `step` bytes a call, as a pipe may."""

    def __init__(self, data: bytes, step: int) -> None:
        self._stream, self._step = io.BytesIO(data), step

    def readinto(self, buffer: memoryview) -> int:
        return self._stream.readinto(buffer[: self._step])


class DripWriter:
    """A raw stream that takes at most `step` bytes a call."""

    def __init__(self, step: int) -> None:
        self.data, self._step = bytearray(), step

    def write(self, data: memoryview) -> int:
        self.data += data[: self._step]
        return min(len(data), self._step)

    def flush(self) -> None:
        pass


def encoded(header: dict, arrays: dict[str, np.ndarray] | None = None) -> bytes:
    stream = io.BytesIO()
    write_message(stream, header, arrays)
    return stream.getvalue()


def raw(header: object, payload: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<I", len(text)) + text + payload


@settings(max_examples=200)
@given(header=headers, arrays=array_sets, step=st.integers(1, 50))
def test_round_trip(header, arrays, step):
    writer = DripWriter(step)
    write_message(writer, header, arrays)
    stream = DripReader(bytes(writer.data), step)
    message = read_message(stream)
    assert message.header == header and message.type == header["type"]
    assert list(message.arrays) == list(arrays)
    for name, array in arrays.items():
        received = message.arrays[name]
        assert received.shape == array.shape and received.dtype.name == array.dtype.name
        np.testing.assert_array_equal(received, array)
        assert received.flags.writeable and received.flags.c_contiguous
    assert read_message(stream) is None


def test_layout_of_the_bytes_is_the_documented_one():
    data = encoded({"type": "frame", "id": 7}, {"handles": np.array([[1, 2]], dtype=">i4")})
    (length,) = struct.unpack_from("<I", data)
    assert json.loads(data[4 : 4 + length]) == {
        "type": "frame",
        "id": 7,
        "buffers": [{"name": "handles", "dtype": "int32", "shape": [1, 2]}],
    }
    assert data[4 + length :] == struct.pack("<ii", 1, 2)


def test_strided_views_arrive_in_c_order():
    source = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    views = {"transposed": source.T, "reversed": source[::-1, :, ::2], "fortran": np.asfortranarray(source)}
    message = read_message(io.BytesIO(encoded({"type": "x"}, views)))
    for name, view in views.items():
        np.testing.assert_array_equal(message.arrays[name], view)


def test_every_cut_of_a_message_is_an_error():
    arrays = {"a": np.arange(3.0), "b": np.zeros((2, 0)), "c": np.uint8([1, 2])}
    data = encoded({"type": "frame", "id": 1}, arrays)
    assert read_message(io.BytesIO(b"")) is None
    for length in range(1, len(data)):
        with pytest.raises(ProtocolError, match="ended inside"):
            read_message(io.BytesIO(data[:length]))


@settings(max_examples=300)
@given(data=st.binary(max_size=200), claimed=st.booleans())
def test_noise_never_raises_anything_else(data, claimed):
    stream = io.BytesIO(struct.pack("<I", max(len(data) - 3, 0)) + data if claimed else data)
    try:
        message = read_message(stream)
    except ProtocolError:
        return
    assert message is None or isinstance(message.type, str)


def one_buffer(**entry: object) -> dict:
    return {"type": "x", "buffers": [{"name": "a", "dtype": "uint8", "shape": [1], **entry}]}


@pytest.mark.parametrize(
    "header",
    [
        b"\xff\xfe{}",
        b"{",
        b"[" * 100_000,
        b'{"type": "x", "value": NaN}',
        b'{"type": "x", "value": ' + b"9" * 10_000 + b"}",
        [],
        "text",
        None,
        {},
        {"type": 3},
        {"type": "x", "buffers": None},
        {"type": "x", "buffers": {}},
        {"type": "x", "buffers": [3]},
        {"type": "x", "buffers": [{"name": "a", "dtype": "uint8"}]},
        {"type": "x", "buffers": [{"name": "a", "dtype": "uint8", "shape": [1], "offset": 0}]},
        {"type": "x", "buffers": [{"name": "a", "dtype": "uint8", "shape": [1]}] * 2},
        {
            "type": "x",
            "buffers": [{"name": str(i), "dtype": "uint8", "shape": []} for i in range(protocol.MAX_BUFFERS + 1)],
        },
        {"type": "x", "buffers": [{"name": str(i), "dtype": "uint8", "shape": [2**31]} for i in range(3)]},
        one_buffer(name=1),
        one_buffer(dtype="object"),
        one_buffer(dtype="float16"),
        one_buffer(dtype="<f4"),
        one_buffer(dtype=["float32"]),
        one_buffer(shape=3),
        one_buffer(shape=[-1]),
        one_buffer(shape=[True]),
        one_buffer(shape=[1.0]),
        one_buffer(shape=["1"]),
        one_buffer(shape=[1] * 9),
        one_buffer(shape=[2**32 + 1]),
        one_buffer(shape=[2**40, 2**40]),
        one_buffer(shape=[0, 2**62]),
        one_buffer(dtype="float64", shape=[2**29 + 1]),
    ],
    ids=lambda header: str(header)[:60],
)
def test_hostile_headers_are_refused(header):
    with pytest.raises(ProtocolError):
        read_message(io.BytesIO(raw(header, b"\0" * 64)))


def test_a_header_length_over_the_limit_is_refused_before_anything_is_allocated():
    with pytest.raises(ProtocolError, match="over the limit"):
        read_message(io.BytesIO(struct.pack("<I", protocol.MAX_HEADER_BYTES + 1)))
    # What plain text on the pipe looks like: "Trac"eback is a length of 1.6 GB.
    with pytest.raises(ProtocolError, match="other than messages"):
        read_message(io.BytesIO(b"Traceback (most recent call last):"))


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({}, {}),
        ({"type": 1}, {}),
        ({"type": "x", "buffers": []}, {}),
        ({"type": "x", "value": float("nan")}, {}),
        ({"type": "x", "value": {1, 2}}, {}),
        ({"type": "x", "value": np.int64(1)}, {}),
        ({"type": "x", "text": "a" * (protocol.MAX_HEADER_BYTES + 1)}, {}),
        ({"type": "x"}, {"a": np.zeros(2, dtype=bool)}),
        ({"type": "x"}, {"a": np.zeros(2, dtype=np.float16)}),
        ({"type": "x"}, {"a": np.array([None])}),
        ({"type": "x"}, {"a": np.zeros((1,) * 9)}),
        ({"type": "x"}, {"a": np.broadcast_to(np.uint8(0), (2**32 + 1,))}),
        ({"type": "x"}, {str(i): np.zeros(1) for i in range(protocol.MAX_BUFFERS + 1)}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_writer_refuses_what_a_reader_would_refuse_and_writes_nothing(header, arrays):
    stream = io.BytesIO()
    with pytest.raises(ProtocolError):
        write_message(stream, header, arrays)
    assert stream.getvalue() == b""


def test_a_frame_is_one_write_and_big_arrays_are_not_copied():
    frame = np.zeros((48, 3, 4), dtype=np.float32)
    assert len(encode_message({"type": "frame", "id": 1, "index": 1}, {"handles": frame})) == 1
    weights = np.zeros((100_000, 16), dtype=np.float32)
    chunk = encode_message({"type": "started", "id": 1}, {"weights": weights})[1]
    assert np.shares_memory(np.frombuffer(chunk, dtype=np.uint8), weights)


def test_a_million_weights_pass_a_pipe():
    weights = np.random.default_rng(0).random((1_000_000, 16), dtype=np.float32)
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb", buffering=0) as reader, os.fdopen(write_end, "wb", buffering=0) as writer:
        message_parts = (writer, {"type": "started"}, {"weights": weights})
        thread = threading.Thread(target=write_message, args=message_parts)
        thread.start()
        message = read_message(reader)
        thread.join()
    np.testing.assert_array_equal(message.arrays["weights"], weights)
