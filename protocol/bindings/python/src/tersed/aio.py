"""`AsyncCompressor`: compression that never fails its caller, for asyncio."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from ._outcome import (
    DEFAULT_DEADLINE,
    Body,
    Content,
    MessagesOutcome,
    OnFailure,
    Outcome,
    batch,
    batch_params,
    compress_params,
    compressed,
    content_of,
    failed,
    messages,
    messages_params,
    numbered,
    page,
    read_params,
    reclaim_params,
    search_params,
    tool_result,
    totals,
)
from .client import AsyncClient
from .protocol import (
    BatchItem,
    CommandWords,
    ContextItem,
    ForkParams,
    Format,
    Listed,
    ListParams,
    ModelAnswer,
    PolicyPatch,
    ReclaimTerms,
    Stats,
)
from .stream import AsyncStream


class AsyncCompressor:
    """Like `Compressor`, for asyncio: fails open, and calls `on_failure` with the reason.

    A task that is cancelled cancels its request; this is not a failure.
    """

    def __init__(
        self,
        client: AsyncClient | None = None,
        *,
        session_id: str | None = None,
        policy: PolicyPatch | None = None,
        deadline: float = DEFAULT_DEADLINE,
        on_failure: OnFailure | None = None,
    ) -> None:
        self.client = client if client is not None else AsyncClient()
        if not hasattr(self.client, "be_lenient"):
            kind = type(client).__name__
            raise TypeError(f"expected a `AsyncClient` as `client`, not `{kind}`; `AsyncClient(command)` names the program")
        self.client.be_lenient()
        self.session_id = session_id
        self.policy = policy
        self.deadline = deadline
        self.on_failure = on_failure

    async def compress(
        self,
        content: Content,
        *,
        tool: str | None = None,
        arguments: Any = None,
        command: CommandWords | None = None,
        tool_call_id: str | None = None,
        exit_code: int | None = None,
        is_error: bool | None = None,
        session_id: str | None = None,
        query: str | None = None,
        full_output: bool = False,
    ) -> Outcome[Content]:
        """Compresses one result: a text, or a list of parts.

        `arguments` are those of the tool call; a command in them is recognized. Give
        `tool_call_id` and a session, so that the same call gets the same bytes again.
        """
        method = "toolResult/compress"
        try:
            result = tool_result(
                content, tool, arguments, command, tool_call_id, exit_code, is_error
            )
            session = session_id or self.session_id
            params = compress_params(result, session, self.policy, query, full_output)
            answer = await self.client.tool_result_compress(params, timeout=self.deadline)
            return compressed(answer, content)
        except Exception as error:
            return Outcome(content, failure=failed(error, method, self.on_failure))

    async def compress_batch(
        self, results: Sequence[BatchItem], *, session_id: str | None = None
    ) -> builtins.list[Outcome[Any]]:
        """Compresses the results of one turn, in order.

        Each is a `ToolResult`, or an object with a `ToolResult` as `result` and with `fullOutput`.
        """
        method = "toolResult/compressBatch"
        try:
            params = batch_params(results, session_id or self.session_id, self.policy)
            answers = await self.client.tool_result_compress_batch(params, timeout=self.deadline)
            return batch(answers, results)
        except Exception as error:
            failure = failed(error, method, self.on_failure)
            return [Outcome(content_of(given), failure=failure) for given in results]

    async def compress_messages(
        self,
        body: Body,
        *,
        format: Format | None = None,
        session_id: str | None = None,
        reclaim: bool = False,
    ) -> MessagesOutcome[Body]:
        """Compresses the tool results in a request body for a model's provider.

        With `reclaim`, and in a session, earlier results that are no longer needed are removed
        from the conversation when that pays.
        """
        method = "messages/compress"
        try:
            session = session_id or self.session_id
            params = messages_params(body, format, session, self.policy, reclaim)
            answer = await self.client.messages_compress(params, timeout=self.deadline)
            return messages(answer, body)
        except Exception as error:
            return MessagesOutcome(body, failure=failed(error, method, self.on_failure))

    def stream(
        self,
        *,
        tool: str | None = None,
        arguments: Any = None,
        command: CommandWords | None = None,
        tool_call_id: str | None = None,
        session_id: str | None = None,
    ) -> AsyncStream:
        """Opens a stream for a command that is still running.

        It uses the policy and, unless you name another, the session of this compressor. With `async with`,
        a block that ends without `close` discards it.
        """
        call = tool_result("", tool, arguments, command, tool_call_id, None, None)
        session = session_id or self.session_id
        return AsyncStream(self.client, call, session, self.policy, self.deadline, self.on_failure)

    async def read(
        self,
        id: str,
        *,
        lines: Sequence[tuple[int, int]] = (),
        session_id: str | None = None,
    ) -> str | None:
        """The original that a marker's handle names, or lines of it; `None` if it cannot be read.

        All pages are read; bytes that are not UTF-8 become U+FFFD. Suitable for a tool that the
        model may call.
        """
        session = session_id or self.session_id
        whole, cursor = b"", None
        try:
            while True:
                params = read_params(id, lines, session, cursor)
                answer = await self.client.artifact_read(params, timeout=self.deadline)
                whole += page(answer)
                cursor = answer.get("nextCursor")
                if not cursor:
                    return whole.decode("utf-8", "replace")
        except Exception as error:
            failed(error, "artifact/read", self.on_failure)
            return None

    async def search(
        self,
        id: str,
        pattern: str,
        *,
        fixed: bool = False,
        context: int = 0,
        session_id: str | None = None,
    ) -> builtins.list[tuple[int, str]] | None:
        """Lines of an original that match, with their numbers and lines around them.

        `pattern` is a regular expression, or a plain text if `fixed`. Returns at most 50 matches;
        `None` if the original cannot be searched.
        """
        try:
            params = search_params(id, pattern, fixed, context, session_id or self.session_id)
            return numbered(await self.client.artifact_search(params, timeout=self.deadline))
        except Exception as error:
            failed(error, "artifact/search", self.on_failure)
            return None

    async def list(self, *, session_id: str | None = None) -> Sequence[Listed] | None:
        """The originals that can be read back, newest first; `None` if that is unknown."""
        found: builtins.list[Listed] = []
        cursor: str | None = None
        try:
            while True:
                params: ListParams = {"sessionId": session_id or self.session_id, "cursor": cursor}
                answer = await self.client.artifact_list(params, timeout=self.deadline)
                found += answer["artifacts"]
                cursor = answer.get("nextCursor")
                if not cursor:
                    return found
        except Exception as error:
            failed(error, "artifact/list", self.on_failure)
            return None

    async def stats(self, *, session_id: str | None = None) -> Stats | None:
        """Totals of the session: what was saved, by tool and reducer; `None` if there are none."""
        session = session_id or self.session_id
        if session is None:
            return None
        try:
            return totals(
                await self.client.session_stats({"sessionId": session}, timeout=self.deadline)
            )
        except Exception as error:
            failed(error, "session/stats", self.on_failure)
            return None

    async def close_session(self, *, session_id: str | None = None) -> None:
        """Ends the conversation: its memory and its originals are dropped. The server keeps running."""
        session = session_id or self.session_id
        if session is None:
            return
        try:
            await self.client.session_close({"sessionId": session}, timeout=self.deadline)
        except Exception as error:
            failed(error, "session/close", self.on_failure)

    async def evicted(self, tool_call_ids: Sequence[str], *, session_id: str | None = None) -> None:
        """Reports that results left the model's context, so that nothing refers to them any more."""
        session = session_id or self.session_id
        if session is None:
            return
        try:
            await self.client.session_evicted(
                {"sessionId": session, "toolCallIds": [*tool_call_ids]}
            )
        except Exception as error:
            failed(error, "session/evicted", self.on_failure)

    async def compacted(
        self, visible: Sequence[str] = (), *, session_id: str | None = None
    ) -> None:
        """Reports that the conversation was summarized, shortened, cleared or resumed.

        Only the results of the calls in `visible` are still in the model's context.
        """
        session = session_id or self.session_id
        if session is None:
            return
        try:
            await self.client.session_compacted({"sessionId": session, "visible": [*visible]})
        except Exception as error:
            failed(error, "session/compacted", self.on_failure)

    async def fork(
        self,
        new_session_id: str,
        *,
        visible: Sequence[str] | None = None,
        session_id: str | None = None,
    ) -> bool:
        """Starts a session with all results that are visible in this one, for a forked conversation.

        With `visible` the new context shows only the results of these calls. False if the new
        session could not be started or already existed: then the two do not share references.
        """
        session = session_id or self.session_id
        if session is None:
            return False
        params: ForkParams = {"sessionId": session, "newSessionId": new_session_id}
        if visible is not None:
            params["visible"] = [*visible]
        try:
            forked = await self.client.session_fork(params, timeout=self.deadline)
            return forked["created"]
        except Exception as error:
            failed(error, "session/fork", self.on_failure)
            return False

    async def reclaim(
        self,
        answers: Sequence[ModelAnswer] | None = None,
        *,
        context: Sequence[ContextItem] | None = None,
        terms: ReclaimTerms | None = None,
        session_id: str | None = None,
    ) -> dict[str, str]:
        """The stand-ins for results that are no longer needed, by call.

        `answers` are the model's answers since the last time. Call this before every request to
        the model, for the first time before the first result. The stand-ins are remembered as
        shown: use all of them. Empty if nothing pays, and after a failure.
        """
        session = session_id or self.session_id
        if session is None:
            return {}
        try:
            params = reclaim_params(session, answers, context, terms, self.policy)
            offer = await self.client.session_reclaim(params, timeout=self.deadline)
            batch = offer.get("batch")
            if batch is None:
                return {}
            await self.client.session_reclaimed(
                {"sessionId": session, "batch": batch}, timeout=self.deadline
            )
            return {one["toolCallId"]: one["content"] for one in offer["replacements"]}
        except Exception as error:
            failed(error, "session/reclaim", self.on_failure)
            return {}

    async def close(self) -> None:
        """Ends the server. Later calls return the original."""
        await self.client.close()

    async def __aenter__(self) -> AsyncCompressor:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
