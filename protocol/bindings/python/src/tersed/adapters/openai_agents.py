"""OpenAI Agents SDK: a `call_model_input_filter` of `RunConfig`.

The filter sees the input of each model call, and compresses the results in it; the run's own items
keep the originals. A result that was sent to the model keeps the same bytes in later calls.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from agents.run_config import CallModelData, ModelInputData

from ..aio import AsyncCompressor

SessionOf = Callable[[CallModelData[Any]], "str | None"]


class TersedInputFilter:
    """Compresses tool results in the input; without a working server it is unchanged.

    One session is one conversation: use one filter for each, or give `session_of`, which returns the
    session of a run, for example from its context. Results that are no longer needed are removed
    from the input, unless `reclaim` is false; set it to false if the provider keeps the history.

    ```python
    RunConfig(call_model_input_filter=TersedInputFilter())
    ```
    """

    def __init__(
        self,
        compressor: AsyncCompressor | None = None,
        *,
        session_of: SessionOf | None = None,
        reclaim: bool = True,
    ) -> None:
        self.compressor = compressor if compressor is not None else AsyncCompressor()
        self._session_of = session_of
        self._reclaim = reclaim
        self._session = self.compressor.session_id or f"agents-{uuid.uuid4()}"

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Returns the input with compressed results."""
        given = data.model_data
        session = self._session_of(data) if self._session_of else None
        body: dict[str, Any] = {"input": list(given.input)}
        outcome = await self.compressor.compress_messages(
            body,
            format="openai-responses",
            session_id=session or self._session,
            reclaim=self._reclaim,
        )
        if outcome.failure is not None:
            return given
        return ModelInputData(input=outcome.content["input"], instructions=given.instructions)
