"""An agent of the OpenAI Agents SDK whose model is a script: it asks for the tests to be run."""

import asyncio

from _script import COMMAND, REPORT, show, tell
from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from tersed import AsyncCompressor
from tersed.adapters.openai_agents import TersedInputFilter


@function_tool
def bash(command: str) -> str:
    """Runs a command."""
    return REPORT


async def main() -> None:
    set_tracing_disabled(True)
    call = function_call("bash", {"command": COMMAND}, call_id="call_1")
    model = ScriptedModel([[call], [assistant_message("I saw it.")]])
    agent = Agent(name="tester", model=model, tools=[bash])
    async with AsyncCompressor(on_failure=tell) as compressor:
        config = RunConfig(call_model_input_filter=TersedInputFilter(compressor))
        await Runner.run(agent, "Do the tests pass?", run_config=config)
    assert model.last_call is not None
    show(model.last_call.input[-1]["output"])


asyncio.run(main())
