"""A Pydantic AI agent whose model is a script: it asks for the tests to be run."""

import asyncio

from _script import COMMAND, REPORT, show, tell
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tersed import AsyncCompressor
from tersed.adapters.pydantic_ai import TersedCapability


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Calls the tool once, then says what it saw."""
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            return ModelResponse(parts=[TextPart(str(part.content))])
    return ModelResponse(parts=[ToolCallPart("bash", {"command": COMMAND}, "call_1")])


async def main() -> None:
    async with AsyncCompressor(on_failure=tell) as compressor:
        agent = Agent(FunctionModel(scripted), capabilities=[TersedCapability(compressor)])

        @agent.tool_plain
        def bash(command: str) -> str:
            """Runs a command."""
            return REPORT

        show((await agent.run("Do the tests pass?")).output)


asyncio.run(main())
