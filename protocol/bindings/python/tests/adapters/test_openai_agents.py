"""The input filter, in runs of the real OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

import json
import unittest
from typing import Any

from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call
from common import BROKEN, COMMAND, REPORT, broken, is_small, working

from tersed import AsyncCompressor, Failure
from tersed.adapters.openai_agents import TersedInputFilter

set_tracing_disabled(True)


@function_tool
def bash(command: str) -> str:
    """Runs a command."""
    return REPORT


@function_tool
def wait(seconds: int) -> str:
    """Waits."""
    return "waited"


async def run(compressor: AsyncCompressor, **settings: Any) -> tuple[Any, ScriptedModel]:
    """A run with two turns of tools."""
    first = function_call("bash", {"command": COMMAND}, call_id="call_1")
    second = function_call("wait", {"seconds": 1}, call_id="call_2")
    model = ScriptedModel([[first], [second], [assistant_message("done")]])
    agent = Agent(name="tester", model=model, tools=[bash, wait])
    config = RunConfig(call_model_input_filter=TersedInputFilter(compressor, **settings))
    result = await Runner.run(agent, "test it", run_config=config)
    return result, model


def outputs(items: Any) -> list[str]:
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


class OpenAIAgents(unittest.IsolatedAsyncioTestCase):
    async def test_the_model_sees_less_and_the_run_keeps_all(self) -> None:
        async with working().as_async() as compressor:
            result, model = await run(compressor)
        _, second, third = (call.input for call in model.calls)
        self.assertTrue(is_small(outputs(second)[0]), outputs(second))
        self.assertEqual(outputs(third)[1], "waited")
        self.assertEqual(outputs(result.to_input_list()), [REPORT, "waited"])

    async def test_what_was_sent_is_sent_again_in_the_same_bytes(self) -> None:
        async with working().as_async() as compressor:
            _, model = await run(compressor)
        _, second, third = (call.input for call in model.calls)
        self.assertEqual(json.dumps(third[: len(second)]), json.dumps(second))

    async def test_sessions(self) -> None:
        async with working().as_async() as compressor:
            await run(compressor, session_of=lambda data: data.agent.name)
            stats = await compressor.client.session_stats({"sessionId": "tester"})
            self.assertEqual(stats["total"]["results"], 2)

    async def test_without_a_server_the_input_stays(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                async with broken(name, told).as_async() as compressor:
                    _, model = await run(compressor)
                assert model.last_call is not None
                self.assertEqual(outputs(model.last_call.input), [REPORT, "waited"])
                self.assertEqual(len(told), 3)


if __name__ == "__main__":
    unittest.main()
