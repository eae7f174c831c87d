"""Shared by the fail-open helpers: their results, and how a failure becomes a result."""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .errors import BinaryNotFound, ClientClosed, RedactionFailed, TersedError
from .protocol import (
    ArtifactRef,
    BatchCompressed,
    BatchItem,
    BatchParams,
    BeforeAfter,
    CommandWords,
    Compressed,
    CompressParams,
    ContextItem,
    Evidence,
    Format,
    Found,
    MessageResult,
    MessagesCompressed,
    MessagesParams,
    ModelAnswer,
    PolicyPatch,
    Read,
    ReadParams,
    Reclaim,
    ReclaimParams,
    ReclaimTerms,
    SearchParams,
    Stats,
    ToolResult,
)

log = logging.getLogger("tersed")

T = TypeVar("T")
Content = TypeVar("Content", bound="str | list[Any]")
Body = TypeVar("Body", bound="dict[str, Any] | list[Any]")

DEFAULT_DEADLINE = 5.0
"""Seconds after which a helper returns the original."""


@dataclass(frozen=True)
class Failure:
    """Why a result was returned unchanged.

    `reason` is one of `missing`, `unavailable`, `exited`, `garbage`, `timeout`, `cancelled`,
    `refused`, `closed`, `unserializable`, `error`; `method` is the method that was called.
    """

    reason: str
    method: str
    error: Exception


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The text for the model, in the shape of the original.

    With `failure`, `content` is the original. `artifact` names the stored original if the
    content differs from it.
    """

    content: T
    evidence: Evidence | None = None
    artifact: ArtifactRef | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class MessagesOutcome(Outcome[T]):
    """A request body for the model's provider, and the outcomes of its results.

    With `failure` it is the original body, without outcomes.
    """

    results: Sequence[MessageResult] = ()
    """The outcome of each result, in order."""
    tokens: BeforeAfter | None = None
    """Tokens of all results, before and after."""
    reclaim: Reclaim | None = None
    """The results that were removed from the conversation, if that was requested."""


OnFailure = Callable[[Failure], None]

_warned = threading.Event()


def failed(error: Exception, method: str, on_failure: OnFailure | None) -> Failure:
    """Reports a failure. Raises only `RedactionFailed`."""
    if isinstance(error, RedactionFailed):
        raise error
    if isinstance(error, TersedError):
        reason = error.reason
    elif isinstance(error, (TypeError, ValueError, RecursionError)):
        reason = "unserializable"
    else:
        reason = "error"
    failure = Failure(reason, method, error)
    if not isinstance(error, ClientClosed):
        log.debug("%s failed open: %s", method, error)
    if isinstance(error, BinaryNotFound) and not _warned.is_set():
        # Without a handler the standard library prints a warning to standard error.
        _warned.set()
        log.warning("nothing is compressed: %s", error)
    if on_failure is not None:
        try:
            on_failure(failure)
        except Exception:
            log.exception("on_failure failed")
    return failure


def tool_result(
    content: str | list[Any],
    tool: str | None,
    arguments: Any,
    command: CommandWords | None,
    tool_call_id: str | None,
    exit_code: int | None,
    is_error: bool | None,
) -> ToolResult:
    """A result as a protocol object, without empty members."""
    result: ToolResult = {"content": content}
    if tool is not None:
        result["tool"] = tool
    if arguments is not None:
        result["arguments"] = arguments
    if command is not None:
        result["command"] = command
    if tool_call_id:
        result["toolCallId"] = tool_call_id
    if exit_code is not None:
        result["exitCode"] = exit_code
    if is_error is not None:
        result["isError"] = is_error
    return result


def compress_params(
    result: ToolResult,
    session_id: str | None,
    policy: PolicyPatch | None,
    query: str | None,
    full_output: bool,
) -> CompressParams:
    """Parameters of `toolResult/compress`."""
    params: CompressParams = {"result": result}
    if session_id:
        params["sessionId"] = session_id
    if policy is not None:
        params["policy"] = policy
    if query:
        params["query"] = query
    if full_output:
        params["fullOutput"] = True
    return params


def batch_params(
    results: Sequence[BatchItem], session_id: str | None, policy: PolicyPatch | None
) -> BatchParams:
    """Parameters of `toolResult/compressBatch`."""
    items: list[BatchItem] = list(results)
    params: BatchParams = {"results": items}
    if session_id:
        params["sessionId"] = session_id
    if policy is not None:
        params["policy"] = policy
    return params


def messages_params(
    body: Mapping[str, Any] | list[Any],
    format: Format | None,
    session_id: str | None,
    policy: PolicyPatch | None,
    reclaim: bool = False,
) -> MessagesParams:
    """Parameters of `messages/compress`."""
    params: MessagesParams = {"body": body}
    # Removed results must be remembered, which needs a session.
    if reclaim and session_id:
        params["reclaim"] = "auto"
    if format is not None:
        params["format"] = format
    if session_id:
        params["sessionId"] = session_id
    if policy is not None:
        params["policy"] = policy
    return params


def checked(content: Any, original: Any) -> Any:
    """The content, if it has the shape of the original."""
    if not isinstance(content, type(original)):
        raise TersedError(f"the server answered with {type(content).__name__}")
    if isinstance(original, list) and len(content) != len(original):
        raise TersedError("the server answered with another number of parts")
    return content


def compressed(answer: Compressed, original: T) -> Outcome[T]:
    """The outcome of one answered request."""
    kept = checked(answer["content"], original)
    return Outcome(kept, answer.get("evidence"), answer.get("artifact"))


def batch(answer: BatchCompressed, given: Sequence[BatchItem]) -> list[Outcome[Any]]:
    """The outcomes of a batch."""
    if len(answer["results"]) != len(given):
        raise TersedError("the server answered with another number of results")
    return [compressed(a, content_of(g)) for a, g in zip(answer["results"], given)]


def content_of(item: BatchItem) -> Any:
    """The content of one result of a batch, which may be a member `result`."""
    result: Any = item.get("result", item)
    return result["content"]


def messages(answer: MessagesCompressed, body: T) -> MessagesOutcome[T]:
    """The outcome of a body."""
    kept = checked(answer["body"], body)
    results = answer.get("results") or ()
    return MessagesOutcome(
        kept, results=results, tokens=answer.get("tokens"), reclaim=answer.get("reclaim")
    )


def totals(answer: Stats) -> Stats:
    """The totals of a session, if the answer has any."""
    if not isinstance(answer.get("total"), dict):
        raise TersedError("the server answered without totals")
    return answer


def read_params(
    id: str, lines: Sequence[tuple[int, int]], session_id: str | None, cursor: str | None
) -> ReadParams:
    """Parameters of `artifact/read`."""
    ranges = [list(pair) for pair in lines]
    return {"id": id, "sessionId": session_id, "lines": ranges or None, "cursor": cursor}


def page(read: Read) -> bytes:
    """The bytes of a page."""
    if read["encoding"] == "base64":
        return base64.b64decode(read["text"])
    return read["text"].encode("utf-8", "surrogatepass")


def search_params(
    id: str, pattern: str, fixed: bool, context: int, session_id: str | None
) -> SearchParams:
    """Parameters of `artifact/search`."""
    return {
        "id": id,
        "pattern": pattern,
        "fixed": fixed,
        "context": context,
        "sessionId": session_id,
    }


def reclaim_params(
    session_id: str,
    answers: Sequence[ModelAnswer] | None,
    context: Sequence[ContextItem] | None,
    terms: ReclaimTerms | None,
    policy: PolicyPatch | None,
) -> ReclaimParams:
    """Parameters of `session/reclaim`."""
    params: ReclaimParams = {"sessionId": session_id}
    if answers is not None:
        params["answers"] = list(answers)
    if context is not None:
        params["context"] = list(context)
    if terms is not None:
        params["reclaimTerms"] = terms
    if policy is not None:
        params["policy"] = policy
    return params


def numbered(found: Found) -> list[tuple[int, str]]:
    """Matches and the lines around them, each line once, in order."""
    lines: dict[int, str] = {}
    for match in found["matches"]:
        for line in [*match["before"], *match["after"]]:
            lines.setdefault(line["line"], line["text"])
        lines[match["line"]] = match["text"]
    return sorted(lines.items())
