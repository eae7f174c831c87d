"""mini-swe-agent: an environment around another one.

The inner environment runs the commands; their output is compressed before the agent renders it.
The inner environment recognizes the end of a task, in the original output.
"""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from ..compressor import Compressor
from ._history import Histories, Result, Turn, body_of
from ._shape import shape_of


class TersedEnvironment:
    """Compresses `output` in `execute`; without a working server it is unchanged.

    One environment is one conversation: wrap a new one for each run, and for each agent.

    Everything else is that of the wrapped environment.

    ```python
    agent = DefaultAgent(model, TersedEnvironment(LocalEnvironment()), **settings)
    ```
    """

    def __init__(self, environment: Any, compressor: Compressor | None = None) -> None:
        self.environment = environment
        self.compressor = compressor if compressor is not None else Compressor()
        self._session = self.compressor.session_id or f"mini-swe-agent-{uuid.uuid4()}"
        self._numbers = itertools.count(1)

    def execute(self, action: dict[str, Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Runs the command; returns its result with a compressed `output`."""
        result: dict[str, Any] = self.environment.execute(action, *args, **kwargs)
        shape = shape_of(result)
        if shape is None:
            return result
        outcome = self.compressor.compress(
            shape.content,
            tool="bash",
            command=action.get("command"),
            tool_call_id=action.get("tool_call_id") or f"command_{next(self._numbers)}",
            exit_code=shape.exit_code,
            session_id=self._session,
        )
        if outcome.failure is not None:
            return result
        kept: dict[str, Any] = shape.rebuild(outcome.content)
        return kept

    def __getattr__(self, name: str) -> Any:
        if name == "environment":  # it is not set yet while a copy is made
            raise AttributeError(name)
        return getattr(self.environment, name)


class TersedModel:
    """Compresses the observations in all messages before the wrapped model gets them.

    The trajectory keeps the original outputs. Observations that are no longer needed are removed from
    the request. Use this or `TersedEnvironment`, not both. One model is one conversation: wrap a new one for
    each run, and for each agent. Observations without a tool call are unchanged.

    ```python
    agent = DefaultAgent(TersedModel(model), LocalEnvironment(), **settings)
    ```
    """

    def __init__(self, model: Any, compressor: Compressor | None = None) -> None:
        self.model = model
        self.compressor = compressor if compressor is not None else Compressor()
        self._session = self.compressor.session_id or f"mini-swe-agent-{uuid.uuid4()}"
        self._histories = Histories()

    def query(self, messages: list[dict[str, Any]], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Calls the model with compressed observations."""
        turns = _turns(messages)
        if any(turn.results for turn in turns):
            reclaim = self._histories.reclaims(self._session, turns)
            outcome = self.compressor.compress_messages(
                body_of(turns), format="anthropic", session_id=self._session, reclaim=reclaim
            )
            contents = self._histories.contents(self._session, turns, outcome)
            calls = [result.call for turn in turns for result in turn.results]
            new = dict(zip(calls, contents))
            messages = [_with_output(m, new.get(m.get("tool_call_id") or "")) for m in messages]
        answer: dict[str, Any] = self.model.query(messages, *args, **kwargs)
        return answer

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # it is not set yet while a copy is made
            raise AttributeError(name)
        return getattr(self.model, name)


def _turns(messages: list[dict[str, Any]]) -> list[Turn]:
    turns = [Turn()]
    commands: dict[str, Any] = {}
    for message in messages:
        extra = message.get("extra") or {}
        if message.get("role") == "assistant":
            said = message.get("content")
            turns.append(Turn(said if isinstance(said, str) else ""))
            for action in extra.get("actions") or ():
                commands[action.get("tool_call_id") or ""] = action.get("command")
        elif message.get("role") == "tool" and message.get("tool_call_id"):
            output = _output(message)
            if output:
                call = message["tool_call_id"]
                code = extra.get("returncode")
                code = code if isinstance(code, int) and not isinstance(code, bool) else None
                arguments = {"command": commands.get(call)}
                result = Result(call, "bash", arguments, output, exit_code=code)
                turns[-1].results.append(result)
    return turns


def _output(message: dict[str, Any]) -> str | None:
    """The output of the command, if the observation contains it exactly once and unchanged."""
    output = (message.get("extra") or {}).get("raw_output")
    content = message.get("content")
    if isinstance(output, str) and isinstance(content, str) and content.count(output) == 1:
        return output
    return None


def _with_output(message: dict[str, Any], new: str | None) -> dict[str, Any]:
    output = _output(message)
    if new is None or not output:
        return message
    return {**message, "content": message["content"].replace(output, new)}
