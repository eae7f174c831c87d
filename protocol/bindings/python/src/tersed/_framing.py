"""The framing of the Language Server Protocol: header fields, an empty line, a body of JSON."""

from __future__ import annotations

import json
from typing import IO, Any

from .errors import ProtocolViolation

MAX_HEADER_LINE = 4096
MAX_BODY = 1 << 30


def encode(message: object) -> bytes:
    """A message with its header, as bytes. Raises `ValueError` or `TypeError` for values that are not JSON."""
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        # Halves of surrogate pairs, which `surrogateescape` produces, can only be written as escapes.
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read(stream: IO[bytes]) -> Any:
    """The next message, or `None` at the end. Raises `ProtocolViolation` for anything else."""
    length: int | None = None
    while True:
        line = stream.readline(MAX_HEADER_LINE)
        if not line:
            return None
        if line == b"\r\n":
            break
        name, colon, value = line.partition(b":")
        if not colon or not line.endswith(b"\r\n"):
            raise ProtocolViolation(f"no header field: {line[:80]!r}")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            length = int(digits) if digits.isdigit() and len(digits) < 12 else None
    if length is None or length > MAX_BODY:
        raise ProtocolViolation("no usable Content-Length in the header")
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolViolation(f"a body that is no JSON: {error}") from error
