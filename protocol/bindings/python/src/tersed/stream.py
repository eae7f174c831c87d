"""Streams for the output of running commands, blocking and for asyncio. They fail open."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ._outcome import Failure, OnFailure, Outcome, failed
from .client import AsyncClient, Client
from .errors import TersedError
from .protocol import PolicyPatch, StreamName, StreamOpenParams, ToolResult


class _Pieces:
    """The text so far, which is returned if the server fails in the middle."""

    def __init__(
        self, call: ToolResult, session_id: str | None, policy: PolicyPatch | None
    ) -> None:
        self._call = call
        self._session_id = session_id
        self._policy = policy
        self._is_over = False
        self._pieces: list[tuple[str, str]] = []
        self._id: str | None = None
        self._failure: Failure | None = None

    def original(self) -> str | list[dict[str, str]]:
        """The whole text so far: a string, or one part for each name."""
        names = [name for name in ("none", "stdout", "stderr") if any(n == name for n, _ in self._pieces)]
        texts = ["".join(text for n, text in self._pieces if n == name) for name in names]
        if names in ([], ["none"]):
            return "".join(texts)
        return [{"type": "text", "text": text} for text in texts]

    def _open_params(self) -> dict[str, Any]:
        call = {name: value for name, value in self._call.items() if name != "content"}
        params: StreamOpenParams = {"result": call}
        if self._session_id:
            params["sessionId"] = self._session_id
        if self._policy is not None:
            params["policy"] = self._policy
        return dict(params)

    def _append_params(self, text: str, stream: StreamName) -> dict[str, Any]:
        named = {} if stream == "none" else {"stream": stream}
        return {"streamId": self._id, "text": text, **named}

    def _close_params(self, exit_code: int | None, is_error: bool | None) -> dict[str, Any]:
        params = {"streamId": self._id, "exitCode": exit_code, "isError": is_error}
        return {name: value for name, value in params.items() if value is not None}

    def _outcome(self, answer: Any) -> Outcome[Any]:
        content = answer["content"]
        if not isinstance(content, (str, list)):
            raise TersedError(f"the server answered with {type(content).__name__}")
        return Outcome(content, answer.get("evidence"), answer.get("artifact"))


class Stream(_Pieces):
    """A stream of a `Compressor`: `append` what the command writes, then `close` or `discard`."""

    def __init__(
        self,
        client: Client,
        call: ToolResult,
        session_id: str | None,
        policy: PolicyPatch | None,
        deadline: float,
        on_failure: OnFailure | None,
    ) -> None:
        super().__init__(call, session_id, policy)
        self._client = client
        self._deadline = deadline
        self._on_failure = on_failure

    def append(self, text: str, stream: StreamName = "none") -> None:
        """Adds a piece of the output, which may end anywhere."""
        self._pieces.append((stream, text))
        if self._failure is None:
            try:
                if self._id is None:
                    self._id = self._request("toolResult/open", self._open_params())["streamId"]
                self._request("toolResult/append", self._append_params(text, stream))
            except Exception as error:
                self._failure = failed(error, "toolResult/append", self._on_failure)

    def peek(self) -> Outcome[Any]:
        """The result as if the command ended now."""
        if self._failure is None and self._id is not None:
            try:
                return self._outcome(self._request("toolResult/peek", {"streamId": self._id}))
            except Exception as error:
                self._failure = failed(error, "toolResult/peek", self._on_failure)
        return Outcome(self.original(), failure=self._failure)

    def close(self, exit_code: int | None = None, is_error: bool | None = None) -> Outcome[Any]:
        """Ends the stream; returns the compressed result, or the whole original."""
        self._is_over = True
        if self._failure is None and self._id is not None:
            try:
                params = self._close_params(exit_code, is_error)
                return self._outcome(self._request("toolResult/close", params))
            except Exception as error:
                self._failure = failed(error, "toolResult/close", self._on_failure)
        return Outcome(self.original(), failure=self._failure)

    def discard(self) -> None:
        """Ends the stream without a result."""
        self._is_over = True
        if self._failure is None and self._id is not None:
            try:
                self._request("toolResult/discard", {"streamId": self._id})
            except Exception as error:
                failed(error, "toolResult/discard", self._on_failure)

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_over:
            self.discard()

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        return self._client.request(method, params, timeout=self._deadline)


class AsyncStream(_Pieces):
    """A stream of an `AsyncCompressor`."""

    def __init__(
        self,
        client: AsyncClient,
        call: ToolResult,
        session_id: str | None,
        policy: PolicyPatch | None,
        deadline: float,
        on_failure: OnFailure | None,
    ) -> None:
        super().__init__(call, session_id, policy)
        self._client = client
        self._deadline = deadline
        self._on_failure = on_failure

    async def append(self, text: str, stream: StreamName = "none") -> None:
        """Adds a piece of the output, which may end anywhere."""
        self._pieces.append((stream, text))
        if self._failure is None:
            try:
                if self._id is None:
                    opened = await self._request("toolResult/open", self._open_params())
                    self._id = opened["streamId"]
                await self._request("toolResult/append", self._append_params(text, stream))
            except Exception as error:
                self._failure = failed(error, "toolResult/append", self._on_failure)

    async def peek(self) -> Outcome[Any]:
        """The result as if the command ended now."""
        if self._failure is None and self._id is not None:
            try:
                return self._outcome(await self._request("toolResult/peek", {"streamId": self._id}))
            except Exception as error:
                self._failure = failed(error, "toolResult/peek", self._on_failure)
        return Outcome(self.original(), failure=self._failure)

    async def close(self, exit_code: int | None = None, is_error: bool | None = None) -> Outcome[Any]:
        """Ends the stream; returns the compressed result, or the whole original."""
        self._is_over = True
        if self._failure is None and self._id is not None:
            try:
                params = self._close_params(exit_code, is_error)
                return self._outcome(await self._request("toolResult/close", params))
            except Exception as error:
                self._failure = failed(error, "toolResult/close", self._on_failure)
        return Outcome(self.original(), failure=self._failure)

    async def discard(self) -> None:
        """Ends the stream without a result."""
        self._is_over = True
        if self._failure is None and self._id is not None:
            try:
                await self._request("toolResult/discard", {"streamId": self._id})
            except Exception as error:
                failed(error, "toolResult/discard", self._on_failure)

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_over:
            await self.discard()

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        return await self._client.request(method, params, timeout=self._deadline)
