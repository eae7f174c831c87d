"""Whole conversations, as frameworks pass them before each call of the model.

The conversation itself keeps the original results; only the request is compressed. Results that are no
longer needed are removed from it. Without an answer of the server each result has the text that the model
saw last, so that the provider's cache stays valid.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from .._outcome import Outcome

MOST_SESSIONS = 64
"""The number of conversations, the latest ones, whose last answer is remembered."""

_WORKED_ON = re.compile(r"\[tersed[:#]|\[Duplicate of |\[EXTERNALIZED: ")
"""Strings in texts that were compressed before. They may refer to other results, which must then be kept."""


@dataclass(frozen=True)
class Result:
    """A result in a conversation: a text, or text parts."""

    call: str
    tool: str
    arguments: Any
    content: str | list[Any]
    is_error: bool = False
    exit_code: int | None = None


@dataclass
class Turn:
    """An answer of the model, and the results of its calls."""

    said: str = ""
    results: list[Result] = field(default_factory=list)


@dataclass
class _Known:
    reclaims: bool
    shown: dict[str, tuple[bytes, Any]] = field(default_factory=dict)


class Histories:
    """The texts that the model saw of each conversation."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def reclaims(self, session: str, turns: Iterable[Turn]) -> bool:
        """Whether results may be removed. Decided once, because a removed result must not return."""
        known = self._known.get(session)
        if known is None:
            worked_on = any(_is_worked_on(result) for turn in turns for result in turn.results)
            known = self._known[session] = _Known(not worked_on)
        self._known.move_to_end(session)
        while len(self._known) > MOST_SESSIONS:
            self._known.popitem(last=False)
        return known.reclaims

    def contents(self, session: str, turns: Iterable[Turn], outcome: Outcome[Any]) -> list[Any]:
        """The contents of all results, in order, in their original shapes."""
        results = [result for turn in turns for result in turn.results]
        known = self._known.setdefault(session, _Known(False))
        new = _contents(outcome.content, results) if outcome.failure is None else None
        shown: dict[str, tuple[bytes, Any]] = {}
        for n, result in enumerate(results):
            digest = sha256(json.dumps(result.content, default=repr).encode()).digest()
            last = known.shown.get(result.call)
            old = last[1] if last is not None and last[0] == digest else result.content
            shown[result.call] = (digest, old if new is None else new[n])
        known.shown = shown
        return [shown[result.call][1] for result in results]


def body_of(turns: Iterable[Turn]) -> dict[str, Any]:
    """The conversation as a request of the format `anthropic`."""
    messages: list[dict[str, Any]] = []
    for turn in turns:
        blocks: list[dict[str, Any]] = []
        if turn.said:
            blocks.append({"type": "text", "text": turn.said})
        for result in turn.results:
            call = {"type": "tool_use", "id": result.call, "name": result.tool}
            blocks.append({**call, "input": _object(result.arguments)})
        if blocks:
            messages.append({"role": "assistant", "content": blocks})
        if turn.results:
            messages.append({"role": "user", "content": [_block(r) for r in turn.results]})
    return {"messages": messages}


def _block(result: Result) -> dict[str, Any]:
    content = result.content
    if isinstance(content, str) and result.exit_code is not None:
        # The server looks for the code here.
        content = json.dumps({"exit_code": result.exit_code, "output": content})
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call}
    if result.is_error:
        block["is_error"] = True
    return {**block, "content": content}


def _contents(body: Any, results: Sequence[Result]) -> list[Any] | None:
    """The contents of these results in the answer; `None` if it has other results."""
    found = [
        block for m in body["messages"] if m.get("role") == "user" for block in m["content"]
    ]
    if [block.get("tool_use_id") for block in found] != [result.call for result in results]:
        return None
    out = []
    for block, result in zip(found, results):
        content = block.get("content")
        if isinstance(result.content, str) and result.exit_code is not None:
            content = _inside(content)
        if type(content) is not type(result.content):
            return None
        if isinstance(content, list) and len(content) != len(result.content):
            return None
        out.append(content)
    return out


def _inside(content: Any) -> Any:
    """The output without its exit code. A removed result has no exit code."""
    try:
        output = json.loads(content)["output"]
    except (TypeError, ValueError, LookupError):
        return content
    return output if isinstance(output, str) else content


def _object(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return arguments if isinstance(arguments, dict) else {}


def _is_worked_on(result: Result) -> bool:
    return _WORKED_ON.search(json.dumps(result.content, default=repr)) is not None
