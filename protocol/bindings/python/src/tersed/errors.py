"""What can go wrong, one class for each kind. All are `TersedError`."""

from __future__ import annotations

from typing import Any


class TersedError(Exception):
    """Base of all errors of this package. `reason` is a stable name of the kind."""

    reason = "error"


class BinaryNotFound(TersedError):
    """No `tersed` was found: not given, not in `TERSED_BIN`, not in a package, not on `PATH`."""

    reason = "missing"


class ServerUnavailable(TersedError):
    """The server failed recently and is not started again before `retry_in` seconds have passed."""

    reason = "unavailable"

    def __init__(self, message: str, retry_in: float) -> None:
        super().__init__(message)
        self.retry_in = retry_in


class ServerExited(TersedError):
    """The server ended before it answered. `code` is its exit code, negative for a signal."""

    reason = "exited"

    def __init__(self, code: int | None) -> None:
        super().__init__(f"the server ended with exit code {code} before it answered")
        self.code = code


class ProtocolViolation(TersedError):
    """The server wrote something to standard output that is not the protocol."""

    reason = "garbage"


class RequestTimeout(TersedError):
    """No answer came in time; the request was cancelled."""

    reason = "timeout"


class ClientClosed(TersedError):
    """The client was closed."""

    reason = "closed"


class RpcError(TersedError):
    """The server answered with an error.

    `code` is that of JSON-RPC, `kind` the stable name of the fault if it has one, and
    `retryable` is whether the same request may succeed later.
    """

    reason = "refused"

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data
        about = data if isinstance(data, dict) else {}
        kind = about.get("kind")
        self.kind: str | None = kind if isinstance(kind, str) else None
        self.retryable = about.get("retryable") is True


class RequestCancelled(RpcError):
    """The request was cancelled."""

    reason = "cancelled"


class RedactionFailed(RpcError):
    """Secrets could not be removed, so no content was returned. Fail-open helpers raise it, too."""

    reason = "redaction_failed"


def from_response(error: Any) -> RpcError:
    """The exception for the `error` member of a response."""
    if not isinstance(error, dict):
        return RpcError(0, "an error without a description")
    code, message, data = error.get("code"), error.get("message"), error.get("data")
    code = code if isinstance(code, int) else 0
    message = message if isinstance(message, str) else ""
    if code == -32800:
        return RequestCancelled(code, message, data)
    if isinstance(data, dict) and data.get("kind") == "redaction_failed":
        return RedactionFailed(code, message, data)
    return RpcError(code, message, data)
