"""Keeps a server running: starts it on first use, and again after it ended, not too often."""

from __future__ import annotations

import logging
import os
import threading
import time
from concurrent.futures import Future, InvalidStateError
from importlib import metadata
from typing import Any

from ._connection import Connection
from .errors import (
    BinaryNotFound,
    ClientClosed,
    ProtocolViolation,
    RequestTimeout,
    RpcError,
    ServerUnavailable,
    TersedError,
)
from .options import Launch
from .protocol import Capabilities

log = logging.getLogger("tersed")

PROTOCOL_VERSION = 1

INVALID_PARAMS = -32602
"""The code of JSON-RPC for parameters that are wrong."""


def version() -> str:
    """The version of this package."""
    try:
        return metadata.version("tersed-client")
    except metadata.PackageNotFoundError:
        return "0"


MOST_WAITS = 2
"""After this many waits in a row without an answer, the server is not asked for a while."""
REST = 60.0
"""Seconds for which it is not asked then."""


class _Start:
    """A server that was started, and a future that resolves when it is ready."""

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.ready: Future[Connection] = Future()

    def fail(self, error: Exception) -> None:
        try:
            self.ready.set_exception(error)
        except InvalidStateError:
            return


class Supervisor:
    """Provides the only connection. Safe to use from several threads."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.capabilities: Capabilities | None = None
        self.starts = 0
        self._lock = threading.RLock()
        self._current: _Start | None = None
        self._failures = 0
        self._retry_at = 0.0
        self._last_error = ""
        self._closed = False
        self._waits = 0
        self._rest_until = 0.0
        self._sessions: dict[str, Any] = {}
        self.is_lenient = False
        """Whether settings that the server refuses are left out. Otherwise the request fails."""
        self._options: dict[str, Any] = dict(launch.options)
        self._refused: list[Any] = []

    def ready(self) -> Future[Connection]:
        """The connection, as soon as the server is initialized. Never waits for the server.

        Raises `ServerUnavailable` during the delay after a failure.
        """
        with self._lock:
            if self._closed:
                raise ClientClosed("the client was closed")
            rest = self._rest_until - time.monotonic()
            if rest > 0:
                raise ServerUnavailable(f"no answer in time; next try in {rest:.1f} s", rest)
            if self._current is not None:
                self._check_start(self._current)
            if self._current is not None:
                return self._current.ready
            wait = self._retry_at - time.monotonic()
            if wait > 0:
                raise ServerUnavailable(f"{self._last_error}; next start in {wait:.1f} s", wait)
            return self._start().ready

    def waited(self) -> None:
        """A caller waited and got no answer. After two such waits in a row no caller has to wait for a minute."""
        with self._lock:
            self._waits += 1
            if self._waits >= MOST_WAITS:
                self._rest_until = time.monotonic() + REST

    def answered(self) -> None:
        """An answer arrived."""
        with self._lock:
            self._waits = 0

    def without_refused(self, params: Any) -> Any:
        """The parameters without a policy that was refused before."""
        if self._refused and isinstance(params, dict) and params.get("policy") in self._refused:
            return {name: value for name, value in params.items() if name != "policy"}
        return params

    def without_policy(self, error: RpcError, params: Any) -> Any:
        """The parameters without their policy, if that was refused: secrets must be removed even with wrong settings.

        Raises any other error.
        """
        is_of_policy = error.code == INVALID_PARAMS and error.message.startswith("policy")
        if not (self.is_lenient and is_of_policy and isinstance(params, dict) and "policy" in params):
            raise error
        with self._lock:
            self._refused.append(params["policy"])
        log.warning("the policy does not count, the default one does: %s", error.message)
        return self.without_refused(params)

    @property
    def pid(self) -> int | None:
        """The process id of the running server."""
        with self._lock:
            connection = self._current.connection if self._current else None
            return connection.pid if connection else None

    def opened(self, params: Any) -> None:
        """Remembers a session with its policy, in case the server is started again."""
        with self._lock:
            self._sessions[str(params["sessionId"])] = params

    def forgotten(self, params: Any) -> None:
        """The session was closed."""
        with self._lock:
            self._sessions.pop(str(params["sessionId"]), None)

    def close(self, timeout: float) -> None:
        """Ends the server; later requests fail."""
        with self._lock:
            self._closed = True
            current, self._current = self._current, None
        if current is not None:
            current.fail(ClientClosed("the client was closed"))
            if current.connection is not None:
                current.connection.close(timeout)

    def _check_start(self, start: _Start) -> None:
        connection = start.connection
        if connection is None or start.ready.done():
            return
        if time.monotonic() - connection.started >= self.launch.start_timeout:
            seconds = self.launch.start_timeout
            connection.kill(RequestTimeout(f"the server was not ready within {seconds:g} s"))

    def _start(self) -> _Start:
        start = self._current = _Start()
        self.starts += 1
        try:
            connection = Connection(self.launch, lambda _: self._ended(start))
        except TersedError as error:
            self._failed(start, error)
            raise
        except OSError as error:
            fault = BinaryNotFound(f"the server cannot be run: {error}")
            self._failed(start, fault)
            raise fault from error
        start.connection = connection
        call = connection.request("initialize", self._initialize_params())
        call.future.add_done_callback(lambda answer: self._initialized(start, connection, answer))
        return start

    def _initialize_params(self) -> dict[str, Any]:
        options = {"protocolVersions": [PROTOCOL_VERSION], **self._options}
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "tersed-client-python", "version": version()},
            "capabilities": {},
            "initializationOptions": {"tersed": options},
        }

    def _initialized(self, start: _Start, connection: Connection, answer: Future[Any]) -> None:
        error = None if answer.cancelled() else answer.exception()
        if error is None:
            try:
                self.capabilities = answer.result()["capabilities"]["experimental"]["tersed"]
            except (TypeError, KeyError):
                error = ProtocolViolation("the answer to initialize is not that of tersed")
        if isinstance(error, RpcError) and self._forgives(error):
            call = connection.request("initialize", self._initialize_params())
            call.future.add_done_callback(lambda again: self._initialized(start, connection, again))
            return
        if isinstance(error, Exception):
            self._failed(start, error)
            connection.kill()
            return
        connection.notify("initialized", {})
        with self._lock:
            connection.ready = True
            for params in self._sessions.values():
                connection.request("session/open", params)
        try:
            start.ready.set_result(connection)
        except InvalidStateError:
            connection.kill()

    def _forgives(self, error: RpcError) -> bool:
        """Whether the options were refused, so that the server is started without them."""
        is_of_options = error.code == INVALID_PARAMS and "initializationOptions" in error.message
        if not (self.is_lenient and self._options and is_of_options):
            return False
        self._options = {}
        log.warning("the options do not count, the default ones do: %s", error.message)
        return True

    def _failed(self, start: _Start, error: Exception) -> None:
        """A start that failed: the next one has to wait."""
        with self._lock:
            if self._current is start:
                self._current = None
                self._failures = max(2, self._failures + 1)
                self._retry_at = time.monotonic() + self.launch.backoff.delay(self._failures)
                self._last_error = str(error)
        start.fail(error)

    def _ended(self, start: _Start) -> None:
        """A server that was ready has ended."""
        with self._lock:
            connection = start.connection
            if self._current is not start or connection is None or not connection.ready:
                return
            self._current = None
            lived = time.monotonic() - connection.started
            before = 0 if lived >= self.launch.backoff.stable else self._failures
            # A server that hangs costs each caller a whole deadline, so the delay grows faster.
            self._failures = before + (4 if connection.hung else 1)
            self._retry_at = time.monotonic() + self.launch.backoff.delay(self._failures)
            self._last_error = "the server ended"
