"""LangChain and LangGraph: a middleware of `create_agent`.

Tool results are compressed before they enter the messages of the agent. Works with `invoke`
and `ainvoke`; results that a tool returns as a `Command` are found in its update.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ModelRequest, ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from ..compressor import Compressor
from ._history import Histories, Turn, body_of
from ._history import Result as Kept
from ._shape import Shape, shape_of
from ._visible import calls_in, points_elsewhere

Result = Any  # `ToolMessage | Command[Any]`, whose parameters differ between versions


class TersedMiddleware(AgentMiddleware[Any, Any]):
    """Compresses results in `wrap_tool_call`; without a working server they are unchanged.

    The session is the `thread_id` of the run, or one of its own for runs without. A result refers
    only to calls that are among the messages of its agent: never to those of other agents,
    other branches, or before a summary. Tools named in `exclude` keep their results.
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
                # The result refers to another agent, branch or conversation: compress it again, without a call id.
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
        # An agent that a tool starts has the thread of its parent, and a namespace for that tool.
        agent = str(config.get("checkpoint_ns") or "").rpartition("|")[0]
        return f"{session}/{agent}" if agent else session


class TersedHistoryMiddleware(AgentMiddleware[Any, Any]):
    """Compresses all results of a conversation in `wrap_model_call`, before each call of the model.

    The state of the agent keeps the originals. Results that are no longer needed are removed from the
    request. Results of failed calls are compressed, too. Use this or `TersedMiddleware`, not both. The
    session is the `thread_id` of the run, or one of its own for runs without. Tools named in `exclude`
    keep their results.
    """

    def __init__(
        self, compressor: Compressor | None = None, *, exclude: Collection[str] = ()
    ) -> None:
        super().__init__()
        self.compressor = compressor if compressor is not None else Compressor()
        self.exclude = frozenset(exclude)
        self._async = self.compressor.as_async()
        self._session = self.compressor.session_id or f"langchain-{uuid.uuid4()}"
        self._histories = Histories()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]
    ) -> Any:
        """Calls the model with compressed results."""
        turns, session = self._turns(request), self._session_of(request)
        if not any(turn.results for turn in turns):
            return handler(request)
        reclaim = self._histories.reclaims(session, turns)
        outcome = self.compressor.compress_messages(
            body_of(turns), format="anthropic", session_id=session, reclaim=reclaim
        )
        return handler(_seen(request, turns, self._histories.contents(session, turns, outcome)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        """Calls the model with compressed results."""
        turns, session = self._turns(request), self._session_of(request)
        if not any(turn.results for turn in turns):
            return await handler(request)
        reclaim = self._histories.reclaims(session, turns)
        outcome = await self._async.compress_messages(
            body_of(turns), format="anthropic", session_id=session, reclaim=reclaim
        )
        return await handler(
            _seen(request, turns, self._histories.contents(session, turns, outcome))
        )

    def _turns(self, request: ModelRequest[Any]) -> list[Turn]:
        turns = [Turn()]
        calls: dict[str, Any] = {}
        for message in request.messages:
            if isinstance(message, AIMessage):
                turns.append(Turn(str(message.text)))
                calls.update({call["id"] or "": call for call in message.tool_calls})
            elif isinstance(message, ToolMessage) and message.tool_call_id:
                call = calls.get(message.tool_call_id, {})
                tool = call.get("name") or message.name or ""
                shape = None if tool in self.exclude else shape_of(message.content)
                if tool and shape is not None:
                    failed = message.status == "error"
                    id_, args = message.tool_call_id, call.get("args")
                    turns[-1].results.append(Kept(id_, tool, args, shape.content, failed))
        return turns

    def _session_of(self, request: ModelRequest[Any]) -> str:
        info = getattr(request.runtime, "execution_info", None)
        session = str(getattr(info, "thread_id", None) or self._session)
        # An agent that a tool starts has the thread of its parent, and a namespace for that tool.
        agent = str(getattr(info, "checkpoint_ns", None) or "").rpartition("|")[0]
        return f"{session}/{agent}" if agent else session


def _seen(request: ModelRequest[Any], turns: list[Turn], contents: list[Any]) -> ModelRequest[Any]:
    """The request with these contents in its results."""
    results = [result.call for turn in turns for result in turn.results]
    new = dict(zip(results, contents))
    messages = []
    for message in request.messages:
        if isinstance(message, ToolMessage) and message.tool_call_id in new:
            shape = shape_of(message.content)
            if shape is not None:
                message = _with(message, shape.rebuild(new[message.tool_call_id]))
        messages.append(message)
    return request.override(messages=messages)


def _visible(request: ToolCallRequest) -> set[str]:
    """The calls whose results the model sees."""
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
