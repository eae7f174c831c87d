"""One child process, from its start to its end.

Two threads serve it, so that a child that does not read or does not write cannot delay a caller, with
or without an event loop: requests are queued for the writer, and answers resolve
futures of `concurrent.futures`, which block or are awaited.
"""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any

from . import _framing
from .errors import ProtocolViolation, RequestTimeout, ServerExited, TersedError, from_response
from .options import Launch

log = logging.getLogger("tersed")

HANG_GRACE = 1.0
"""Seconds within which a server must answer a request that timed out and was cancelled."""

METHOD_NOT_FOUND = -32601


class Call:
    """A request that was sent: `future` resolves to its answer; `cancel` cancels it."""

    def __init__(self, connection: Connection, id_: int) -> None:
        self.id = id_
        self.future: Future[Any] = Future()
        self._connection = connection
        self.future.add_done_callback(self._done)

    def _done(self, future: Future[Any]) -> None:
        if future.cancelled():
            self._connection.cancel(self.id)

    def cancel(self) -> None:
        """Tells the server that the answer is no longer needed."""
        self.future.cancel()

    def give_up(self) -> None:
        """As `cancel`, for a request that took too long."""
        self._connection.timed_out(self.id)
        self.future.cancel()


class Connection:
    """A running server. Starting it may raise `BinaryNotFound` or `OSError`.

    The owner sets `ready` once the server is initialized.
    """

    def __init__(self, launch: Launch, on_end: Callable[[Connection], None]) -> None:
        flags = int(getattr(subprocess, "CREATE_NO_WINDOW", 0))
        self.started = time.monotonic()
        self.ended = False
        self.hung = False
        self.ready = False
        self._lock = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._late: dict[int, float] = {}
        self._last_id = 0
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._launch = launch
        self._on_end = on_end
        self._fault: TersedError | None = None
        self._process = subprocess.Popen(
            launch.argv(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if launch.stderr is None else launch.stderr,
            env=None if launch.env is None else dict(launch.env),
            cwd=launch.cwd,
            creationflags=flags,
            # The host handles a Ctrl-C in its terminal; the server ends with the host.
            start_new_session=os.name == "posix",
        )
        for target in (self._write, self._read):
            threading.Thread(target=target, name="tersed", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    def request(self, method: str, params: object) -> Call:
        """Sends a request. Raises `TypeError` or `ValueError` for parameters that are not JSON."""
        with self._lock:
            self._last_id += 1
            id_ = self._last_id
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        frame = _framing.encode({k: v for k, v in message.items() if v is not None})
        call = Call(self, id_)
        with self._lock:
            if not self.ended:
                self._calls[id_] = call
                self._outbox.put(frame)
                return call
        call.future.set_exception(self._fault or ServerExited(self._process.poll()))
        return call

    def notify(self, method: str, params: object = None) -> None:
        """Sends a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self._outbox.put(_framing.encode({k: v for k, v in message.items() if v is not None}))

    def cancel(self, id_: int) -> None:
        """Sends `$/cancelRequest` if the request is still unanswered."""
        with self._lock:
            open_ = self._calls.pop(id_, None) is not None
        if open_:
            self.notify("$/cancelRequest", {"id": id_})

    def timed_out(self, id_: int) -> None:
        """Kills a server that answers neither requests nor cancels."""
        now = time.monotonic()
        with self._lock:
            if id_ not in self._calls:
                return
            hangs = any(now - since >= HANG_GRACE for since in self._late.values())
            self._late[id_] = now
        if hangs:
            self.hung = True
            self.kill(RequestTimeout("the server hangs and was killed"))

    def kill(self, fault: TersedError | None = None) -> None:
        """Ends the process at once; unanswered requests fail with `fault`."""
        self._end(fault)
        try:
            self._process.kill()
        except OSError:
            log.debug("the server was gone already")

    def close(self, timeout: float) -> None:
        """Ends the server with `shutdown` and `exit`, and kills it after `timeout` seconds.

        One that is late with an answer, or not yet ready, is killed at once.
        """
        if self.ready and not self._late:
            call = self.request("shutdown", None)
            try:
                call.future.result(timeout)
                self.notify("exit")
                self._outbox.put(None)
                self._process.wait(timeout)
            except Exception as error:  # after any error the process must end
                log.debug("the server did not end in order: %s", error)
        self.kill()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            log.debug("the server could not be killed in time")

    def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while (frame := self._outbox.get()) is not None:
                stdin.write(frame)
                stdin.flush()
        except (OSError, ValueError):
            log.debug("the server does not read any more")
        try:
            stdin.close()
        except OSError:
            log.debug("the server closed its input")

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        fault: TersedError | None = None
        try:
            while (message := _framing.read(stdout)) is not None:
                self._receive(message)
        except ProtocolViolation as error:
            fault = error
        except (OSError, ValueError) as error:
            log.debug("the server cannot be read any more: %s", error)
        if fault is not None:
            self._process.kill()
        try:
            code: int | None = self._process.wait(2)
        except subprocess.TimeoutExpired:
            # It closed its output but still runs: it can answer nothing.
            code = None
            self._process.kill()
        self._end(fault or ServerExited(code))
        stdout.close()
        self._process.wait()

    def _receive(self, message: Any) -> None:
        if not isinstance(message, dict):
            raise ProtocolViolation("a message that is no object")
        id_, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if "id" in message:
                error = {"code": METHOD_NOT_FOUND, "message": "the client answers no requests"}
                self._outbox.put(_framing.encode({"jsonrpc": "2.0", "id": id_, "error": error}))
            elif self._launch.on_notification is not None:
                try:
                    self._launch.on_notification(method, message.get("params"))
                except Exception:
                    log.exception("on_notification failed")
            return
        with self._lock:
            call = self._calls.pop(id_, None) if isinstance(id_, int) else None
            self._late.pop(id_, None) if isinstance(id_, int) else None
        if call is None:
            return
        try:
            if "error" in message:
                call.future.set_exception(from_response(message["error"]))
            else:
                call.future.set_result(message.get("result"))
        except InvalidStateError:
            log.debug("an answer came after the request was given up")

    def _end(self, fault: TersedError | None) -> None:
        with self._lock:
            if self.ended:
                return
            self.ended = True
            self._fault = fault
            calls, self._calls = list(self._calls.values()), {}
        self._outbox.put(None)
        for call in calls:
            try:
                call.future.set_exception(fault or ServerExited(self._process.poll()))
            except InvalidStateError:
                log.debug("a request was given up")
        self._on_end(self)
