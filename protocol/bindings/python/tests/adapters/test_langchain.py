"""The middleware, in agents of the real LangChain with a scripted model."""

from __future__ import annotations

import unittest
from typing import Any

from common import BROKEN, COMMAND, REPORT, broken, is_small, working
from langchain.agents import create_agent
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from typing_extensions import Annotated

from tersed import Compressor, Failure
from tersed.adapters.langchain import TersedMiddleware


class Scripted(BaseChatModel):
    """Calls a tool in answer to a person, and is done after a result."""

    name_of_tool: str = "bash"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            answer = AIMessage("done")
        else:
            id_ = f"call_{len(messages)}"
            call = {"name": self.name_of_tool, "args": {"command": COMMAND}, "id": id_}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def bash(command: str) -> str:
    """Runs a command."""
    return REPORT


@tool
def blocks(command: str) -> list[Any]:
    """Runs a command and draws a picture."""
    image = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}
    return [{"type": "text", "text": REPORT}, image]


@tool
def commands(command: str, call: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Runs a command and changes the state."""
    return Command(update={"messages": [ToolMessage(REPORT, tool_call_id=call)]})


@tool
def fails(command: str) -> str:
    """Runs a command that cannot be run."""
    raise ValueError("no such command")


QUESTION = {"messages": [{"role": "user", "content": "test it"}]}


def agent_of(compressor: Compressor, of: BaseTool = bash, **settings: Any) -> Any:
    middleware = TersedMiddleware(compressor, exclude=settings.pop("exclude", ()))
    return create_agent(Scripted(name_of_tool=of.name), [of], middleware=[middleware], **settings)


def results(answer: Any) -> list[ToolMessage]:
    return [message for message in answer["messages"] if isinstance(message, ToolMessage)]


class LangChain(unittest.IsolatedAsyncioTestCase):
    def compressor(self, **settings: Any) -> Compressor:
        compressor = working(**settings)
        self.addCleanup(compressor.close)
        return compressor

    async def test_results_are_smaller(self) -> None:
        agent = agent_of(self.compressor())
        [sync] = results(agent.invoke(QUESTION))
        self.assertTrue(is_small(str(sync.content)), sync.content)
        self.assertEqual((sync.tool_call_id, sync.name), ("call_1", "bash"))
        [awaited] = results(await agent_of(self.compressor()).ainvoke(QUESTION))
        self.assertEqual(awaited.content, sync.content)

    def test_blocks_and_commands(self) -> None:
        [message] = results(agent_of(self.compressor(), blocks).invoke(QUESTION))
        text, image = message.content
        assert isinstance(text, dict) and isinstance(image, dict)
        self.assertTrue(is_small(text["text"]))
        self.assertEqual(image["base64"], "iVBORw0KGgo=")
        [message] = results(agent_of(self.compressor(), commands).invoke(QUESTION))
        self.assertTrue(is_small(str(message.content)))

    def test_excluded_tools_stay(self) -> None:
        [message] = results(agent_of(self.compressor(), exclude=["bash"]).invoke(QUESTION))
        self.assertEqual(message.content, REPORT)

    def test_an_error_of_a_tool_is_that_of_the_tool(self) -> None:
        with self.assertRaisesRegex(ValueError, "no such command"):
            agent_of(self.compressor(), fails).invoke(QUESTION)

    def test_threads_are_sessions(self) -> None:
        compressor = self.compressor()
        agent = agent_of(compressor, checkpointer=InMemorySaver())
        for thread, wanted in (("a", 1), ("a", 2), ("b", 1)):
            agent.invoke(QUESTION, {"configurable": {"thread_id": thread}})
            stats = compressor.client.session_stats({"sessionId": thread})
            self.assertEqual(stats["total"]["results"], wanted)

    async def test_without_a_server_results_stay(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                compressor = broken(name, told)
                self.addCleanup(compressor.close)
                agent = agent_of(compressor)
                [message] = results(agent.invoke(QUESTION))
                self.assertEqual(message.content, REPORT)
                [message] = results(await agent.ainvoke(QUESTION))
                self.assertEqual(message.content, REPORT)
                self.assertEqual(len(told), 2)


class Contexts(unittest.TestCase):
    """Agents, branches and conversations see only what is among their own messages."""

    def seen(self, agent: Any, call: str, before: list[Any], **config: Any) -> str:
        request = AIMessage(
            "", tool_calls=[{"name": "bash", "args": {"command": f"{COMMAND} --profile {call}"}, "id": call}]
        )
        messages = [*before, request]
        state = {"messages": messages}
        call_request = ToolCallRequest(
            tool_call=request.tool_calls[0], tool=bash, state=state, runtime=Runtime(config)
        )
        message = agent.wrap_tool_call(
            call_request, lambda _: ToolMessage(REPORT, tool_call_id=call, name="bash")
        )
        before[:] = [*messages, message]
        return str(message.content)

    def refers(self, text: str) -> bool:
        return "Duplicate of " in text or " as in " in text

    def test_one_conversation(self) -> None:
        with working() as compressor:
            agent, main = TersedMiddleware(compressor), []
            self.assertFalse(self.refers(self.seen(agent, "a", main, thread_id="t")))
            self.assertTrue(self.refers(self.seen(agent, "b", main, thread_id="t")))

    def test_what_is_not_among_the_messages_is_not_referred_to(self) -> None:
        # An agent inside a tool has the thread of its parent; a branch, a summary and a run without a
        # thread share a session too.
        for thread in ({"thread_id": "t"}, {}):
            with self.subTest(thread), working() as compressor:
                agent, main = TersedMiddleware(compressor), []
                self.seen(agent, "a", main, **thread)
                for n, place in enumerate(("tools:1|tools:2", "")):
                    sub: list[Any] = []
                    own = {**thread, "checkpoint_ns": place}
                    text = self.seen(agent, f"s{n}", sub, **own)
                    self.assertTrue(not self.refers(text) and is_small(text), text)
                    again = self.seen(agent, f"r{n}", sub, **own)
                    self.assertEqual(self.refers(again), bool(place))
                summed_up: list[Any] = [AIMessage("what came before")]
                self.assertFalse(self.refers(self.seen(agent, "b", summed_up, **thread)))


class Runtime:
    """As much of a runtime as the middleware looks at."""

    def __init__(self, configurable: dict[str, Any]) -> None:
        self.config = {"configurable": configurable}


if __name__ == "__main__":
    unittest.main()
