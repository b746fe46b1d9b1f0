"""Why a stream of messages cannot be used (`protocol`)."""

from __future__ import annotations

__all__ = ["NOTES"]

NOTES = {
    "stream.header_without_type": "A message header needs a text under 'type'.",
    "stream.given_buffers": "The header entry 'buffers' is made from the arrays and cannot be given.",
    "stream.array_type": "Array '{name}' is {dtype}; only {known} can be sent.",
    "stream.header_not_sendable": "The header of a '{type}' message is not JSON: {reason}",
    "stream.header_too_long": "A header of {size} bytes is over the limit of {most} bytes.",
    "stream.not_messages": (
        "A header of {size} bytes is over the limit of {most} bytes; the stream probably carries "
        "something other than messages."
    ),
    "stream.no_memory": "There is not enough memory for array '{name}' of shape {shape}.",
    "stream.in_length": "length of a header",
    "stream.in_header": "header",
    "stream.in_array": "array '{name}'",
    "stream.ended_inside": "The stream ended inside the {part}, after {received} of {expected} bytes.",
    "stream.header_not_json": "A header is not UTF-8 JSON: {reason}",
    "stream.header_not_object": "A header is not a JSON object.",
    "stream.header_without_text": "A header has no text under 'type'.",
    "stream.buffer_list": "'buffers' is not a list of at most {most} entries.",
    "stream.buffer_entry": "A buffer is not described by exactly 'name', 'dtype' and 'shape'.",
    "stream.buffer_name": "The buffer name {name} is not a text or comes twice.",
    "stream.buffer_type": "Buffer '{name}' has the unknown type {type}.",
    "stream.buffer_shape": "Buffer '{name}' has no list of at most {most} sizes as its shape.",
    "stream.buffer_size": "Buffer '{name}' has a size that is not a whole number from 0.",
    "stream.too_large": "The buffers of a message are over the limit of {most} bytes.",
    "stream.other": "{reason}",
}
