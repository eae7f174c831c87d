"""The earlier calls to which a result refers, and whether the model still sees them.

A framework may share one compressor among agents, return to an earlier point of a conversation, or
shorten it without a notice. The model sees the results in the messages, and no others.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from .._outcome import Outcome


def points_elsewhere(outcome: Outcome[Any], visible: Container[str]) -> bool:
    """Whether a result refers to a call that is not `visible`."""
    if outcome.failure is not None:
        return False
    evidence = outcome.evidence
    if evidence is None:
        # Without evidence, anything that looks like a reference may be one.
        return _looks_like_a_reference(outcome.content)
    return any(call not in visible for call in _calls(evidence))


def calls_in(messages: Iterable[Any]) -> set[str]:
    """The calls in messages of LangChain or Pydantic AI."""
    found: set[str] = set()
    for message in messages:
        calls = getattr(message, "tool_calls", None) or ()
        found.update(call.get("id") or "" for call in calls if isinstance(call, dict))
        for part in (message, *(getattr(message, "parts", None) or ())):
            call = getattr(part, "tool_call_id", None)
            if isinstance(call, str):
                found.add(call)
    return found


def _calls(evidence: Any) -> Iterator[str]:
    if evidence.get("duplicateOf"):
        yield evidence["duplicateOf"]
    for omission in evidence.get("omissions") or ():
        by = omission.get("shownBy")
        if by:
            yield by["toolCallId"]


def _looks_like_a_reference(content: Any) -> bool:
    if isinstance(content, str):
        return "[Duplicate of " in content or " as in " in content
    if isinstance(content, dict):
        return any(_looks_like_a_reference(value) for value in content.values())
    if isinstance(content, (list, tuple)):
        return any(_looks_like_a_reference(value) for value in content)
    return False
