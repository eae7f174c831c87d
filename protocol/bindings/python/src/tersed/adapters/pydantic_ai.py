"""Pydantic AI: a capability of an agent.

What tools give back becomes smaller before it enters the messages of the run, whichever toolset the
tool comes from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from pydantic_ai import RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition

from ..aio import AsyncCompressor
from ._shape import shape_of
from ._visible import calls_in, points_elsewhere


class TersedCapability(AbstractCapability[Any]):
    """Compresses results in `after_tool_execute`; without a working server they stay as they are.

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
            # Another agent or conversation saw that: once more, without a call to compare.
            outcome = await self.compressor.compress(shape.content, **known)
        if outcome.failure is not None:
            return result
        kept = shape.rebuild(outcome.content)
        return dataclasses.replace(result, return_value=kept) if value is not result else kept


def _conversation(ctx: RunContext[Any]) -> str | None:
    return getattr(ctx, "conversation_id", None) or ctx.run_id
