"""LangChain and LangGraph: a middleware of `create_agent`.

What tools give back becomes smaller before it enters the messages of the agent. Works with `invoke`
and `ainvoke`; results that a tool returns as a `Command` are found in its update.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from ..compressor import Compressor
from ._shape import Shape, shape_of
from ._visible import calls_in, points_elsewhere

Result = Any  # `ToolMessage | Command[Any]`, whose parameters differ between versions


class TersedMiddleware(AgentMiddleware[Any, Any]):
    """Compresses results in `wrap_tool_call`; without a working server they stay as they are.

    The session is the `thread_id` of the run, or one of its own for runs without. A result refers
    only to calls that are among the messages of its agent: agents, branches and what was summed up
    stay apart. Tools named in `exclude` keep their results.
    """

    def __init__(
        self, compressor: Compressor | None = None, *, exclude: Collection[str] = ()
    ) -> None:
        super().__init__()
        self.compressor = compressor if compressor is not None else Compressor()
        self.exclude = frozenset(exclude)
        self._async = self.compressor.as_async()
        self._session = self.compressor.session_id or f"langchain-{uuid.uuid4()}"

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]
    ) -> Result:
        """Runs the tool and compresses its result."""
        result = handler(request)
        changed: dict[int, ToolMessage] = {}
        for message, shape in self._found(request, result):
            call = self._call(request, message, shape)
            outcome = self.compressor.compress(shape.content, **call)
            if points_elsewhere(outcome, _visible(request)):
                # Another agent, branch or conversation saw that: once more, without a call to compare.
                outcome = self.compressor.compress(
                    shape.content, **{**call, "tool_call_id": None}
                )
            if outcome.failure is None:
                changed[id(message)] = _with(message, shape.rebuild(outcome.content))
        return _replaced(result, changed)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[Result]],
    ) -> Result:
        """Runs the tool and compresses its result."""
        result = await handler(request)
        changed: dict[int, ToolMessage] = {}
        for message, shape in self._found(request, result):
            call = self._call(request, message, shape)
            outcome = await self._async.compress(shape.content, **call)
            if points_elsewhere(outcome, _visible(request)):
                outcome = await self._async.compress(
                    shape.content, **{**call, "tool_call_id": None}
                )
            if outcome.failure is None:
                changed[id(message)] = _with(message, shape.rebuild(outcome.content))
        return _replaced(result, changed)

    def _found(self, request: ToolCallRequest, result: Result) -> list[tuple[ToolMessage, Shape]]:
        if request.tool_call["name"] in self.exclude:
            return []
        found = ((message, shape_of(message.content)) for message in _messages(result))
        return [(message, shape) for message, shape in found if shape is not None]

    def _call(
        self, request: ToolCallRequest, message: ToolMessage, shape: Shape
    ) -> dict[str, Any]:
        call = request.tool_call
        own = message.tool_call_id == call["id"]
        return {
            "tool": call["name"],
            "arguments": call["args"] if own else None,
            "tool_call_id": message.tool_call_id,
            "is_error": True if message.status == "error" else None,
            "exit_code": shape.exit_code,
            "session_id": self._session_of(request),
        }

    def _session_of(self, request: ToolCallRequest) -> str:
        config = (getattr(request.runtime, "config", None) or {}).get("configurable") or {}
        session = str(config.get("thread_id") or self._session)
        # An agent that a tool starts has the thread of its parent, and that tool's place in it.
        agent = str(config.get("checkpoint_ns") or "").rpartition("|")[0]
        return f"{session}/{agent}" if agent else session


def _visible(request: ToolCallRequest) -> set[str]:
    """The calls that the model sees."""
    state = request.state
    found = state.get("messages") if isinstance(state, dict) else getattr(state, "messages", None)
    return calls_in(found or ()) | {request.tool_call["id"] or ""}


def _messages(result: Result) -> list[ToolMessage]:
    if isinstance(result, ToolMessage):
        return [result]
    update = result.update if isinstance(result, Command) else None
    messages = update.get("messages") if isinstance(update, dict) else None
    if not isinstance(messages, list):
        return []
    return [message for message in messages if isinstance(message, ToolMessage)]


def _with(message: ToolMessage, content: Any) -> ToolMessage:
    return message.model_copy(update={"content": content})


def _replaced(result: Result, changed: dict[int, ToolMessage]) -> Result:
    if not changed:
        return result
    if isinstance(result, ToolMessage):
        return changed[id(result)]
    messages = [changed.get(id(message), message) for message in result.update["messages"]]
    return dataclasses.replace(result, update={**result.update, "messages": messages})
