"""Pydantic AI: a capability of an agent.

Tool results are compressed before they enter the messages of the run, for the tools of all
toolsets.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from pydantic_ai import RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition

from ..aio import AsyncCompressor
from ._history import Histories, Result, Turn, body_of
from ._shape import shape_of
from ._visible import calls_in, points_elsewhere


class TersedCapability(AbstractCapability[Any]):
    """Compresses results in `after_tool_execute`; without a working server they are unchanged.

    Strings, strings in lists, and `stdout`, `stderr` and `output` of a `dict` are compressed, also as
    the value of a `ToolReturn`. The session is that of the compressor, or the conversation of the
    run. A result refers only to calls that are among the messages of its agent. Tools named in
    `exclude` keep their results.
    """

    def __init__(
        self, compressor: AsyncCompressor | None = None, *, exclude: Collection[str] = ()
    ) -> None:
        self.compressor = compressor if compressor is not None else AsyncCompressor()
        self.exclude = frozenset(exclude)

    async def after_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: Any,
        result: Any,
    ) -> Any:
        """Compresses the result of a tool that has run."""
        value = result.return_value if isinstance(result, ToolReturn) else result
        shape = None if call.tool_name in self.exclude else shape_of(value)
        if shape is None:
            return result
        known: dict[str, Any] = {
            "tool": call.tool_name,
            "arguments": call.args,
            "exit_code": shape.exit_code,
            "session_id": self.compressor.session_id or _conversation(ctx),
        }
        outcome = await self.compressor.compress(
            shape.content, tool_call_id=call.tool_call_id, **known
        )
        if points_elsewhere(outcome, calls_in(ctx.messages) | {call.tool_call_id}):
            # The result refers to another agent or conversation: compress it again, without a call id.
            outcome = await self.compressor.compress(shape.content, **known)
        if outcome.failure is not None:
            return result
        kept = shape.rebuild(outcome.content)
        return dataclasses.replace(result, return_value=kept) if value is not result else kept


class TersedHistory(AbstractCapability[Any]):
    """Compresses all results of a conversation in `before_model_request`.

    The messages of the run keep the originals; a history processor would change them. Results that
    are no longer needed are removed from the request. Failed calls are compressed, too. Use this
    or `TersedCapability`, not both. The session is that of the compressor, or the conversation of the
    run. Tools named in `exclude` keep their results.
    """

    def __init__(
        self, compressor: AsyncCompressor | None = None, *, exclude: Collection[str] = ()
    ) -> None:
        self.compressor = compressor if compressor is not None else AsyncCompressor()
        self.exclude = frozenset(exclude)
        self._histories = Histories()

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Returns the request with compressed results."""
        turns = self._turns(request_context.messages)
        session = self.compressor.session_id or _conversation(ctx)
        if session is None or not any(turn.results for turn in turns):
            return request_context
        reclaim = self._histories.reclaims(session, turns)
        outcome = await self.compressor.compress_messages(
            body_of(turns), format="anthropic", session_id=session, reclaim=reclaim
        )
        contents = self._histories.contents(session, turns, outcome)
        calls = [result.call for turn in turns for result in turn.results]
        messages = _seen(request_context.messages, dict(zip(calls, contents)))
        return dataclasses.replace(request_context, messages=messages)

    def _turns(self, messages: list[ModelMessage]) -> list[Turn]:
        turns = [Turn()]
        calls: dict[str, Any] = {}
        for message in messages:
            if isinstance(message, ModelResponse):
                texts = [part.content for part in message.parts if isinstance(part, TextPart)]
                turns.append(Turn("\n".join(texts)))
            parts: list[Any] = list(message.parts)
            for part in parts:
                if isinstance(part, ToolCallPart):
                    calls[part.tool_call_id] = part.args
                elif _is_result(part) and part.tool_name not in self.exclude:
                    shape = shape_of(part.content)
                    if shape is None:
                        continue
                    arguments = calls.get(part.tool_call_id)
                    result = Result(
                        part.tool_call_id,
                        part.tool_name,
                        arguments,
                        shape.content,
                        isinstance(part, RetryPromptPart),
                        shape.exit_code,
                    )
                    turns[-1].results.append(result)
        return turns


def _is_result(part: Any) -> bool:
    return isinstance(part, (ToolReturnPart, RetryPromptPart)) and bool(part.tool_name)


def _seen(messages: list[ModelMessage], new: dict[str, Any]) -> list[ModelMessage]:
    """The messages with these contents in their results."""
    given: list[Any] = list(messages)
    return [
        dataclasses.replace(message, parts=[_with_content(part, new) for part in message.parts])
        for message in given
    ]


def _with_content(part: Any, new: dict[str, Any]) -> Any:
    shape = shape_of(part.content) if _is_result(part) and part.tool_call_id in new else None
    if shape is None:
        return part
    return dataclasses.replace(part, content=shape.rebuild(new[part.tool_call_id]))


def _conversation(ctx: RunContext[Any]) -> str | None:
    return getattr(ctx, "conversation_id", None) or ctx.run_id
