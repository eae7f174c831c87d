"""A LangChain agent whose model is a script: it asks for the tests to be run."""

from typing import Any

from _script import COMMAND, REPORT, show, tell
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from tersed import Compressor
from tersed.adapters.langchain import TersedMiddleware


class Scripted(BaseChatModel):
    """Calls the tool once, then says what it saw."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            answer = AIMessage(last.content)
        else:
            call = {"name": "bash", "args": {"command": COMMAND}, "id": "call_1"}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def bash(command: str) -> str:
    """Runs a command."""
    return REPORT


with Compressor(on_failure=tell) as compressor:
    agent = create_agent(Scripted(), [bash], middleware=[TersedMiddleware(compressor)])
    result = agent.invoke({"messages": [{"role": "user", "content": "Do the tests pass?"}]})
    show(result["messages"][-1].content)
