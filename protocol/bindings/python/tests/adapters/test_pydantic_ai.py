"""The capability, in agents of the real Pydantic AI with a scripted model."""

from __future__ import annotations

import unittest
from typing import Any

from common import BROKEN, COMMAND, REPORT, broken, is_small, working
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from tersed import AsyncCompressor, Failure
from tersed.adapters.pydantic_ai import TersedCapability


async def seen(compressor: AsyncCompressor, value: Any, **settings: Any) -> ToolReturnPart:
    """What a model sees of a tool's return value."""
    found: list[ToolReturnPart] = []

    def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        found.extend(p for p in messages[-1].parts if isinstance(p, ToolReturnPart))
        if found:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("bash", {"command": COMMAND}, "call_1")])

    def bash(command: str) -> Any:
        """Runs a command."""
        return value

    capability = TersedCapability(compressor, **settings)
    toolset: FunctionToolset[None] = FunctionToolset([bash])
    agent = Agent(FunctionModel(scripted), toolsets=[toolset], capabilities=[capability])
    await agent.run("test it")
    [part] = found
    return part


class PydanticAI(unittest.IsolatedAsyncioTestCase):
    async def seen(self, value: Any, **settings: Any) -> ToolReturnPart:
        async with working().as_async() as compressor:
            return await seen(compressor, value, **settings)

    async def test_results_are_smaller(self) -> None:
        part = await self.seen(REPORT)
        self.assertTrue(is_small(part.content), part.content)
        self.assertEqual(part.tool_call_id, "call_1")

    async def test_what_a_command_wrote(self) -> None:
        part = await self.seen({"stdout": REPORT, "stderr": "warned\n", "returncode": 101})
        self.assertTrue(is_small(part.content["stdout"]))
        self.assertEqual((part.content["stderr"], part.content["returncode"]), ("warned\n", 101))

    async def test_a_tool_return_keeps_its_metadata(self) -> None:
        part = await self.seen(ToolReturn(REPORT, metadata={"seconds": 3}))
        self.assertTrue(is_small(part.content))
        self.assertEqual(part.metadata, {"seconds": 3})

    async def test_anything_else_stays(self) -> None:
        self.assertEqual((await self.seen([1, 2])).content, [1, 2])
        self.assertEqual((await self.seen(REPORT, exclude=["bash"])).content, REPORT)

    async def test_without_a_server_results_stay(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                async with broken(name, told).as_async() as compressor:
                    self.assertEqual((await seen(compressor, REPORT)).content, REPORT)
                self.assertEqual(len(told), 1)

    async def test_agents_that_share_a_session_see_only_their_own(self) -> None:
        async def run(compressor: AsyncCompressor, *calls: str) -> list[str]:
            def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
                done = [p for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
                if len(done) == len(calls):
                    return ModelResponse(parts=[TextPart("done")])
                call = calls[len(done)]
                arguments = {"command": f"{COMMAND} --profile {call}"}
                return ModelResponse(parts=[ToolCallPart("bash", arguments, call)])

            def bash(command: str) -> Any:
                """Runs a command."""
                return REPORT

            toolset: FunctionToolset[None] = FunctionToolset([bash])
            capability = TersedCapability(compressor)
            agent = Agent(FunctionModel(scripted), toolsets=[toolset], capabilities=[capability])
            messages = (await agent.run("test it")).all_messages()
            parts = [p for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
            return [str(part.content) for part in parts]

        def refers(text: str) -> bool:
            return "Duplicate of " in text or " as in " in text

        async with working().as_async() as compressor:
            shared = AsyncCompressor(compressor.client, session_id="s")
            first, second = await run(shared, "a1", "a2")
            self.assertEqual((refers(first), refers(second)), (False, True))
            other, third = await run(shared, "b1", "b2")
            self.assertTrue(not refers(other) and is_small(other), other)
            self.assertNotIn(" a", third.split("as in")[-1].split("(")[0])


if __name__ == "__main__":
    unittest.main()
