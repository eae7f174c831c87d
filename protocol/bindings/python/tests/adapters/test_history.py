"""Adapters that give the model a smaller conversation, in the real frameworks with scripted models."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from typing import Any

os.environ["MSWEA_SILENT_STARTUP"] = "1"
os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = tempfile.mkdtemp()

from common import BROKEN, COMMAND, REPORT, broken, is_small, working  # noqa: E402
from langchain.agents import create_agent  # noqa: E402
from langchain_core.language_models import BaseChatModel  # noqa: E402
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.environments.local import LocalEnvironment  # noqa: E402
from minisweagent.models.test_models import (  # noqa: E402
    DeterministicToolcallModel,
    make_toolcall_output,
)
from pydantic_ai import Agent, ModelRetry  # noqa: E402
from pydantic_ai.messages import (  # noqa: E402
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel  # noqa: E402
from pydantic_ai.toolsets import FunctionToolset  # noqa: E402

from tersed import AsyncCompressor, Compressor, Failure  # noqa: E402
from tersed.adapters._history import Histories, Result, Turn, body_of  # noqa: E402
from tersed.adapters.langchain import TersedHistoryMiddleware  # noqa: E402
from tersed.adapters.mini_swe_agent import TersedModel  # noqa: E402
from tersed.adapters.pydantic_ai import TersedHistory  # noqa: E402

STEPS = 3
"""Calls that each scripted model makes before it is done."""


class Seeing(BaseChatModel):
    """Calls a tool three times, and notes the results that it is shown with each call."""

    shown: list[list[Any]]
    tool_name: str = "bash"

    @property
    def _llm_type(self) -> str:
        return "seeing"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        results = [m.content for m in messages if isinstance(m, ToolMessage)]
        self.shown.append(results)
        answer = AIMessage("done")
        if len(results) < STEPS:
            args_ = {"command": f"{COMMAND} --profile {len(results)}"}
            call = {"name": self.tool_name, "args": args_, "id": f"call_{len(results)}"}
            answer = AIMessage("next", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def bash(command: str) -> str:
    """Runs a command."""
    return REPORT


def check_grown(case: unittest.TestCase, shown: list[list[Any]]) -> None:
    """Each request holds the results of the one before, byte for byte, and the new one is smaller."""
    case.assertEqual([len(results) for results in shown], list(range(STEPS + 1)))
    for before, after in zip(shown, shown[1:]):
        case.assertEqual(after[: len(before)], before)
    case.assertTrue(is_small(str(shown[-1][0])), shown[-1][0])
    case.assertTrue(all(len(str(text)) < len(REPORT) for text in shown[-1]))


class LangChainHistory(unittest.IsolatedAsyncioTestCase):
    def agent(self, compressor: Compressor, **settings: Any) -> tuple[Any, list[list[Any]]]:
        middleware = TersedHistoryMiddleware(compressor, **settings)
        saver = InMemorySaver()
        model = Seeing(shown=[])
        agent = create_agent(model, [bash], middleware=[middleware], checkpointer=saver)
        return agent, model.shown

    async def test_the_model_sees_less_and_the_state_keeps_all(self) -> None:
        config: Any = {"configurable": {"thread_id": "t"}}
        for is_async in (False, True):
            with working() as compressor:
                agent, shown = self.agent(compressor)
                given: Any = {"messages": ["test it"]}
                state = await agent.ainvoke(given, config) if is_async else agent.invoke(given, config)
                stats = compressor.client.session_stats({"sessionId": "t"})
            check_grown(self, shown)
            kept = [m.content for m in state["messages"] if isinstance(m, ToolMessage)]
            self.assertEqual(kept, [REPORT] * STEPS)
            self.assertEqual(stats["total"]["results"], STEPS)

    def test_excluded_tools_stay(self) -> None:
        with working() as compressor:
            agent, shown = self.agent(compressor, exclude=["bash"])
            agent.invoke({"messages": ["test it"]}, {"configurable": {"thread_id": "t"}})
        self.assertEqual(shown[-1], [REPORT] * STEPS)

    def test_without_a_server_all_stays(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                with broken(name, told) as compressor:
                    agent, shown = self.agent(compressor)
                    agent.invoke({"messages": ["test it"]}, {"configurable": {"thread_id": "t"}})
                self.assertEqual(shown[-1], [REPORT] * STEPS)
                self.assertTrue(told)


class PydanticHistory(unittest.IsolatedAsyncioTestCase):
    async def run_it(
        self, compressor: AsyncCompressor, fails: bool = False
    ) -> tuple[list[list[Any]], list[ModelMessage]]:
        shown: list[list[Any]] = []

        def results(messages: list[ModelMessage]) -> list[Any]:
            kinds = (ToolReturnPart, RetryPromptPart)
            return [p.content for m in messages for p in m.parts if isinstance(p, kinds)]

        def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            shown.append(results(messages))
            if len(shown[-1]) == STEPS:
                return ModelResponse(parts=[TextPart("done")])
            arguments = {"command": f"{COMMAND} --profile {len(shown[-1])}"}
            return ModelResponse(parts=[ToolCallPart("bash", arguments, f"call_{len(shown[-1])}")])

        def run(command: str) -> Any:
            """Runs a command."""
            if fails:
                raise ModelRetry(REPORT)
            return REPORT

        toolset: FunctionToolset[None] = FunctionToolset(max_retries=STEPS)
        toolset.add_function(run, name="bash")
        agent = Agent(
            FunctionModel(scripted), toolsets=[toolset], capabilities=[TersedHistory(compressor)]
        )
        ended = await agent.run("test it")
        return shown, ended.all_messages()

    async def test_the_model_sees_less_and_the_run_keeps_all(self) -> None:
        for fails in (False, True):
            async with working().as_async() as compressor:
                shown, messages = await self.run_it(compressor, fails)
            check_grown(self, shown)
            kinds = (ToolReturnPart, RetryPromptPart)
            kept = [p.content for m in messages for p in m.parts if isinstance(p, kinds)]
            self.assertEqual(kept, [REPORT] * STEPS)

    async def test_without_a_server_all_stays(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                async with broken(name, told).as_async() as compressor:
                    shown, _ = await self.run_it(compressor)
                self.assertEqual(shown[-1], [REPORT] * STEPS)
                self.assertTrue(told)


class SeeingModel(DeterministicToolcallModel):
    """Notes the observations that it is shown with each call."""

    def query(self, messages: list[dict[str, str]], **kwargs: Any) -> dict[str, Any]:
        self.shown = [
            *getattr(self, "shown", []),
            [m["content"] for m in messages if m.get("role") == "tool"],
        ]
        answer: dict[str, Any] = super().query(messages, **kwargs)
        return answer


class MiniSweAgentHistory(unittest.TestCase):
    def run_it(self, compressor: Compressor) -> tuple[list[list[Any]], list[dict[str, Any]]]:
        def step(number: int, command: str) -> dict[str, Any]:
            id_ = f"call_{number}"
            call = {"id": id_, "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            actions = [{"command": command, "tool_call_id": id_}]
            message: dict[str, Any] = make_toolcall_output("next", [call], actions)
            return message

        shows = "import os; print(os.environ['REPORT'], end=''); exit(101)"
        runs = [f'{sys.executable} -c "{shows}" # cargo test {n}' for n in range(STEPS)]
        submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo it fails"
        model = SeeingModel(outputs=[step(n, run) for n, run in enumerate([*runs, submit])])
        environment = LocalEnvironment(env={"REPORT": REPORT})
        agent = DefaultAgent(
            TersedModel(model, compressor),
            environment,
            system_template="",
            instance_template="{{task}}",
            cost_limit=0,
        )
        end = agent.run("test it")
        self.assertEqual(end["exit_status"], "Submitted")
        return model.shown, agent.messages

    def test_the_model_sees_less_and_the_trajectory_keeps_all(self) -> None:
        with working() as compressor:
            shown, messages = self.run_it(compressor)
        check_grown(self, shown)
        self.assertIn("<returncode>101</returncode>", shown[-1][0])
        kept = [m["content"] for m in messages if m.get("role") == "tool"][:STEPS]
        self.assertTrue(all(REPORT in text for text in kept))

    def test_without_a_server_all_stays(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                with broken(name, told) as compressor:
                    shown, _ = self.run_it(compressor)
                self.assertTrue(all(REPORT in text for text in shown[-1]))
                self.assertTrue(told)


def log(name: str) -> str:
    """A long output that no other one shares."""
    return "\n".join(f"{name} answered request {n * 7919} of {name}_{n}" for n in range(400))


class AnyHistory(unittest.TestCase):
    def seen(
        self, compressor: Compressor, histories: Histories, turns: list[Turn], session: str = "s"
    ) -> list[Any]:
        outcome = compressor.compress_messages(
            body_of(turns),
            format="anthropic",
            session_id=session,
            reclaim=histories.reclaims(session, turns),
        )
        return histories.contents(session, turns, outcome)

    def test_what_is_not_needed_leaves_and_stays_away(self) -> None:
        turns: list[Turn] = []
        with working(policy={"expandTool": True}) as compressor:
            histories = Histories()
            gone: list[int] = []
            while not gone and len(turns) < 40:
                n = len(turns)
                run = Result(f"r{n}", "bash", {"command": "./serve --trace"}, log(f"run_{n}"))
                turns.append(Turn(f"Next is step {n}.", [run]))
                texts = self.seen(compressor, histories, turns)
                gone = [at for at, text in enumerate(texts) if " removed" in text]
            self.assertTrue(gone, "nothing left")
            marked = Result("m", "bash", {"command": "cat notes"}, "[tersed: omitted 3 lines 1-3]\n")
            turns.append(Turn("One more.", [marked]))
            self.assertEqual(self.seen(compressor, histories, turns)[gone[0]], texts[gone[0]])

    def test_when_the_server_fails_the_last_bytes_stay(self) -> None:
        histories = Histories()
        arguments = {"command": COMMAND}
        turns = [Turn("", [Result("a", "bash", arguments, REPORT, exit_code=101)])]
        with working() as compressor:
            before = self.seen(compressor, histories, turns)
        self.assertTrue(is_small(before[0]))
        told: list[Failure] = []
        with broken("missing", told) as compressor:
            turns.append(Turn("", [Result("b", "bash", arguments, REPORT)]))
            self.assertEqual(self.seen(compressor, histories, turns), [*before, REPORT])
            other = [Turn("", [Result("a", "bash", arguments, "another text", exit_code=101)])]
            self.assertEqual(self.seen(compressor, histories, other), ["another text"])

    def test_results_with_texts_of_ours_keep_what_they_point_at(self) -> None:
        text = "[tersed#123456789012: same output as in a call, 1 result ago]"
        worked_on = [Turn("", [Result("a", "bash", {}, text)])]
        self.assertFalse(Histories().reclaims("s", worked_on))
        self.assertTrue(Histories().reclaims("s", [Turn("", [Result("a", "bash", {}, REPORT)])]))


if __name__ == "__main__":
    unittest.main()
