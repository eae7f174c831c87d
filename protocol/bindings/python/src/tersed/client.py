"""The two clients: `Client` blocks, `AsyncClient` is for asyncio. Both raise errors.

For code that must continue after any error, see `Compressor` and `AsyncCompressor`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from types import TracebackType
from typing import Any

from ._connection import Call, Connection
from ._methods import AsyncMethods, Methods
from ._supervisor import Supervisor
from .errors import RequestCancelled, RequestTimeout, RpcError
from .options import Backoff, Launch
from .protocol import Capabilities, Options

DEFAULT_TIMEOUT = 30.0


class _Base:
    """Shared by both clients: one supervised server."""

    def __init__(
        self,
        command: str | os.PathLike[str] | Sequence[str] | None = None,
        *,
        arguments: Sequence[str] = (),
        options: Options | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        start_timeout: float = 10.0,
        backoff: Backoff | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stderr: Any = None,
        on_notification: Callable[[str, Any], None] | None = None,
        _supervisor: Supervisor | None = None,
    ) -> None:
        """Starts nothing yet: the server is started by the first request.

        `command` is the path of `tersed` or the words of a command; without it `TERSED_BIN` and
        `PATH` are searched. `options` are the server's settings (`policy` and others). `timeout` is
        in seconds, for each request including a start of the server. `stderr` is passed to
        `subprocess.Popen`; the default drops the log. `on_notification` is called with the
        method and parameters of each notification, on a thread of the client.
        """
        self.timeout = timeout
        self._supervisor = _supervisor or Supervisor(
            Launch(
                command=command,
                arguments=tuple(arguments),
                env=env,
                cwd=cwd,
                stderr=stderr,
                options=options if options is not None else {},
                start_timeout=start_timeout,
                backoff=backoff if backoff is not None else Backoff(),
                on_notification=on_notification,
            )
        )

    def be_lenient(self) -> None:
        """Leaves out settings that the server refuses, with a warning, instead of raising.

        A `Compressor` uses this, because secrets must be removed even with wrong settings.
        """
        self._supervisor.is_lenient = True

    @property
    def capabilities(self) -> Capabilities | None:
        """The server's answer to `initialize`, once it is started."""
        return self._supervisor.capabilities

    @property
    def pid(self) -> int | None:
        """The process id of the server, while it runs."""
        return self._supervisor.pid

    @property
    def starts(self) -> int:
        """How often a start of the server was tried."""
        return self._supervisor.starts

    def _succeeded(self, method: str, params: Any) -> None:
        if method == "session/open":
            self._supervisor.opened(params)
        elif method == "session/close":
            self._supervisor.forgotten(params)


class Client(_Base, Methods):
    """A blocking client. It may be used from several threads at once.

    ```python
    with Client() as client:
        answer = client.tool_result_compress({"result": {"tool": "bash", "content": text}})
    ```
    """

    def start(self, *, timeout: float | None = None) -> Capabilities:
        """Starts the server if it does not run, and returns its answer to `initialize`."""
        self._connect(time.monotonic() + (self.timeout if timeout is None else timeout))
        assert self._supervisor.capabilities is not None
        return self._supervisor.capabilities

    def send(self, method: str, params: object = None, *, timeout: float | None = None) -> Pending:
        """Sends a request without waiting for its answer; the request can be cancelled."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        call = self._connect(deadline).request(method, params)
        return Pending(call, method, deadline, self._supervisor)

    def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:
        """Calls any method; returns its result unchanged. Raises a `TersedError`."""
        params = self._supervisor.without_refused(params)
        try:
            result = self.send(method, params, timeout=timeout).result()
        except RpcError as error:
            params = self._supervisor.without_policy(error, params)
            result = self.send(method, params, timeout=timeout).result()
        self._succeeded(method, params)
        return result

    def notify(self, method: str, params: object = None) -> None:
        """Sends any notification."""
        self._connect(time.monotonic() + self.timeout).notify(method, params)

    def as_async(self) -> AsyncClient:
        """A client for asyncio over the same server. Closing either closes both."""
        return AsyncClient(timeout=self.timeout, _supervisor=self._supervisor)

    def close(self, *, timeout: float = 5.0) -> None:
        """Ends the server properly, and kills it after `timeout` seconds."""
        self._supervisor.close(timeout)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _connect(self, deadline: float) -> Connection:
        try:
            return self._supervisor.ready().result(max(0.0, deadline - time.monotonic()))
        except FutureTimeout:
            self._supervisor.waited()
            raise RequestTimeout("the server was not ready in time") from None


class Pending:
    """A request that was sent: wait for its `result`, or `cancel` it."""

    def __init__(self, call: Call, method: str, deadline: float, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._call = call
        self._method = method
        self._deadline = deadline

    def cancel(self) -> None:
        """Cancels the request here and in the server."""
        self._call.cancel()

    def done(self) -> bool:
        """Whether the request has ended, with an answer or without."""
        return self._call.future.done()

    def result(self) -> Any:
        """Waits for the answer until the request's deadline. Raises a `TersedError`."""
        try:
            result = self._call.future.result(max(0.0, self._deadline - time.monotonic()))
            self._supervisor.answered()
            return result
        except FutureTimeout:
            self._supervisor.waited()
            self._call.give_up()
            raise RequestTimeout(f"no answer to {self._method} in time") from None
        except CancelledError:
            raise RequestCancelled(-32800, f"{self._method} was cancelled") from None


class AsyncClient(_Base, AsyncMethods):
    """A client for asyncio. A task that is cancelled cancels its request in the server.

    ```python
    async with AsyncClient() as client:
        answer = await client.tool_result_compress({"result": {"tool": "bash", "content": text}})
    ```
    """

    async def start(self, *, timeout: float | None = None) -> Capabilities:
        """Starts the server if it does not run, and returns its answer to `initialize`."""
        await self._connect(time.monotonic() + (self.timeout if timeout is None else timeout))
        assert self._supervisor.capabilities is not None
        return self._supervisor.capabilities

    async def request(
        self, method: str, params: object = None, *, timeout: float | None = None
    ) -> Any:
        """Calls any method; returns its result unchanged. Raises a `TersedError`."""
        params = self._supervisor.without_refused(params)
        try:
            result = await self._ask(method, params, timeout)
        except RpcError as error:
            params = self._supervisor.without_policy(error, params)
            result = await self._ask(method, params, timeout)
        self._succeeded(method, params)
        return result

    async def _ask(self, method: str, params: object, timeout: float | None) -> Any:
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        connection = await self._connect(deadline)
        call = connection.request(method, params)
        answer = asyncio.wrap_future(call.future)
        answer.add_done_callback(_heard)
        try:
            done, _ = await asyncio.wait({answer}, timeout=max(0.0, deadline - time.monotonic()))
        except asyncio.CancelledError:
            call.cancel()
            raise
        if not done:
            self._supervisor.waited()
            call.give_up()
            raise RequestTimeout(f"no answer to {method} in time")
        result = answer.result()
        self._supervisor.answered()
        return result

    async def notify(self, method: str, params: object = None) -> None:
        """Sends any notification."""
        (await self._connect(time.monotonic() + self.timeout)).notify(method, params)

    def as_sync(self) -> Client:
        """A blocking client over the same server. Closing either closes both."""
        return Client(timeout=self.timeout, _supervisor=self._supervisor)

    async def close(self, *, timeout: float = 5.0) -> None:
        """Ends the server properly, and kills it after `timeout` seconds."""
        await asyncio.to_thread(self._supervisor.close, timeout)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _connect(self, deadline: float) -> Connection:
        ready = self._supervisor.ready()
        if ready.done():
            return ready.result()
        waiting = asyncio.wrap_future(ready)
        # Others wait for the same start. A caller that stopped waiting ignores its error.
        waiting.add_done_callback(_heard)
        try:
            return await asyncio.wait_for(asyncio.shield(waiting), max(0.0, deadline - time.monotonic()))
        except asyncio.TimeoutError:
            self._supervisor.waited()
            raise RequestTimeout("the server was not ready in time") from None


def _heard(future: asyncio.Future[Any]) -> None:
    """Keeps asyncio from warning about an error that nobody waits for any more."""
    if not future.cancelled():
        future.exception()
