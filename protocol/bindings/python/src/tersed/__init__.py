"""A client of `tersed`, which makes tool results cheaper for coding agents.

`Compressor` and `AsyncCompressor` fail open: without a working server they return the original
results. `Client` and `AsyncClient` offer every method of the protocol and raise errors.
"""

from __future__ import annotations

from . import errors, protocol
from ._outcome import Failure, MessagesOutcome, Outcome
from ._supervisor import PROTOCOL_VERSION
from .aio import AsyncCompressor
from .client import AsyncClient, Client, Pending
from .compressor import Compressor
from .errors import TersedError
from .options import Backoff, find_binary
from .stream import AsyncStream, Stream

__all__ = [
    "PROTOCOL_VERSION",
    "AsyncClient",
    "AsyncCompressor",
    "AsyncStream",
    "Backoff",
    "Client",
    "Compressor",
    "Failure",
    "MessagesOutcome",
    "Outcome",
    "Pending",
    "Stream",
    "TersedError",
    "errors",
    "find_binary",
    "protocol",
]
