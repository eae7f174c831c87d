"""mini-swe-agent: an environment around another one.

The inner environment runs the commands; what they wrote becomes smaller before the agent renders it.
The end of a task is recognized by the inner environment, on the original.
"""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from ..compressor import Compressor
from ._shape import shape_of


class TersedEnvironment:
    """Compresses `output` in `execute`; without a working server it stays as it is.

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
        """Runs the command; gives its result with a smaller `output`."""
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
        if name == "environment":  # while it is not set yet, as in a copy
            raise AttributeError(name)
        return getattr(self.environment, name)
