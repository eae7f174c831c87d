"""The clients against the real server."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import sys
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from support import COMMAND, GENEROUS, PASSED, REPORT, TERSED, fake

from tersed import AsyncClient, AsyncCompressor, Backoff, Client, Compressor, find_binary
from tersed.errors import (
    BinaryNotFound,
    ClientClosed,
    RequestCancelled,
    RequestTimeout,
    RpcError,
)
from tersed.protocol import BatchItem, ReclaimTerms, ToolResult


class RealServer(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(TERSED)
        self.addCleanup(self.client.close)

    def test_start_gives_what_the_server_offers(self) -> None:
        offer = self.client.start()
        self.assertEqual(offer["protocolVersion"], 1)
        self.assertIn("toolResult/compress", offer["methods"])
        self.assertEqual(self.client.starts, 1)

    def test_a_result_becomes_smaller_and_can_be_read_back(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS, policy={"expandTool": True})
        outcome = compressor.compress(
            REPORT, tool="bash", arguments={"command": COMMAND}, tool_call_id="c1", exit_code=101
        )
        self.assertLess(len(outcome.content), len(REPORT) // 2)
        self.assertIn("cases::the_last ... FAILED", outcome.content)
        assert outcome.artifact is not None and outcome.evidence is not None
        self.assertEqual(outcome.evidence["status"], "compressed")
        id_ = outcome.artifact["id"]
        self.assertEqual(compressor.read(id_), REPORT)
        self.assertEqual(compressor.read(id_, lines=[(2, 81)]), PASSED)
        found = compressor.search(id_, "number_40 ", context=1)
        self.assertEqual(found, [(n + 2, f"test cases::number_{n} ... ok") for n in (39, 40, 41)])
        again = compressor.compress(
            REPORT, tool="bash", arguments={"command": COMMAND}, tool_call_id="c1", exit_code=101
        )
        self.assertEqual(again.content, outcome.content)

    def test_batches_and_bodies(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS)
        call = {"command": COMMAND}
        one, two = compressor.compress_batch(
            [
                {"tool": "bash", "arguments": call, "toolCallId": "1", "content": REPORT},
                {"tool": "bash", "arguments": {"command": "true"}, "content": "fine\n"},
            ]
        )
        self.assertLess(len(one.content), len(REPORT))
        self.assertEqual(two.content, "fine\n")
        function = {"name": "bash", "arguments": '{"command":"cargo test"}'}
        body: dict[str, Any] = {
            "model": "any",
            "messages": [
                {"role": "user", "content": "test it"},
                {"role": "assistant", "tool_calls": [{"id": "9", "function": function}]},
                {"role": "tool", "tool_call_id": "9", "content": REPORT},
            ],
        }
        outcome = compressor.compress_messages(body, session_id="other")
        self.assertEqual(outcome.content["messages"][:2], body["messages"][:2])
        self.assertLess(len(outcome.content["messages"][2]["content"]), len(REPORT))
        assert outcome.tokens is not None
        self.assertLess(outcome.tokens["after"], outcome.tokens["before"])
        self.assertEqual([one.get("toolCallId") for one in outcome.results], ["9"])

    def test_a_batch_takes_the_typed_objects(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS)
        result: ToolResult = {"tool": "bash", "command": COMMAND, "content": REPORT}
        exact: BatchItem = {"result": result, "fullOutput": True}
        items: list[BatchItem] = [result, exact]
        small, whole = compressor.compress_batch(items)
        self.assertLess(len(small.content), len(REPORT))
        self.assertEqual(whole.content, REPORT)

    def test_a_session_tells_what_it_has(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS, policy={"expandTool": True})
        outcome = compressor.compress(REPORT, tool="bash", command=COMMAND, tool_call_id="c1")
        assert outcome.artifact is not None
        found = compressor.list()
        assert found is not None
        self.assertEqual([one["id"] for one in found], [outcome.artifact["id"]])
        totals = compressor.stats()
        assert totals is not None
        self.assertEqual(totals["total"]["results"], 1)
        compressor.close_session()
        self.assertEqual(compressor.list(), [])
        self.assertIsNone(Compressor(self.client).stats())

    def test_a_stream_has_the_policy_and_ends_with_its_block(self) -> None:
        compressor = Compressor(
            self.client, session_id="s", deadline=GENEROUS, policy={"mode": "disabled"}
        )
        with compressor.stream(tool="bash", command=COMMAND) as stream:
            stream.append(REPORT)
            self.assertEqual(stream.peek().content, REPORT)
            self.assertEqual(stream.close(101).content, REPORT)
        with compressor.stream(tool="bash", command=COMMAND) as left:
            left.append(REPORT)
        self.assertIsNotNone(left.close().failure, "the block has discarded it")

    def test_streams(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS)
        whole = compressor.compress(REPORT, tool="bash", command=COMMAND, exit_code=101)
        stream = compressor.stream(tool="bash", command=COMMAND)
        for start in range(0, len(REPORT), 100):
            stream.append(REPORT[start : start + 100])
        self.assertIsNone(stream.peek().failure)
        closed = stream.close(101)
        self.assertIsNone(closed.failure)
        self.assertEqual(closed.content, whole.content)

    def test_any_text_survives(self) -> None:
        compressor = Compressor(self.client, session_id="s", deadline=GENEROUS)
        for text in ("", "é€𝄞\n", "\x00\x7f\r\n", '"\\'):
            self.assertIsNone(compressor.compress(text).failure, repr(text))
        half = compressor.compress("half \udc80 pair")
        self.assertIsNone(half.failure)
        self.assertEqual(half.content, "half \ufffd pair")

    def test_errors_are_those_of_the_server(self) -> None:
        with self.assertRaises(RpcError) as caught:
            self.client.request("no/such")
        self.assertEqual(caught.exception.code, -32601)
        with self.assertRaises(RpcError) as caught:
            self.client.artifact_read({"id": "0000000000000000"})
        self.assertEqual(caught.exception.kind, "artifact_not_found")

    def test_threads_share_a_client(self) -> None:
        compressor = Compressor(self.client, deadline=GENEROUS)
        answers: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()

        def work(n: int) -> None:
            text = REPORT.replace("boom", f"boom {n}")
            answers.put((f"boom {n}\n", compressor.compress(text, command=COMMAND).content))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in threads:
            wanted, content = answers.get()
            self.assertIn(wanted, content)
        self.assertEqual(self.client.starts, 1)

    def test_a_killed_server_is_started_again(self) -> None:
        ended: list[str] = []
        compressor = Compressor(
            self.client, session_id="s", deadline=GENEROUS, on_failure=lambda f: ended.append(f.reason)
        )
        self.client.session_open({"sessionId": "s", "policy": {"mode": "disabled"}})
        for _ in range(2):
            outcome = compressor.compress(REPORT, command=COMMAND)
            self.assertEqual(outcome.content, REPORT)
            assert outcome.evidence is not None
            # The policy of the session was given to the server that came after.
            self.assertEqual(outcome.evidence["mode"], "disabled")
            pid = self.client.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
            while self.client.pid == pid:
                compressor.compress(REPORT)
        self.assertLessEqual(set(ended), {"exited", "unavailable"})
        self.assertGreaterEqual(self.client.starts, 2)

    def test_close_ends_the_server(self) -> None:
        self.client.start()
        self.client.close()
        self.assertIsNone(self.client.pid)
        self.assertRaises(ClientClosed, self.client.start)


def _patient(session: str | None = None) -> AsyncCompressor:
    """A compressor over the real server that waits as long as it takes."""
    return AsyncCompressor(AsyncClient(TERSED), session_id=session, deadline=GENEROUS)


class AsyncRealServer(unittest.IsolatedAsyncioTestCase):
    async def test_everything(self) -> None:
        async with _patient("s") as compressor:
            outcome = await compressor.compress(
                REPORT, tool="bash", command=COMMAND, tool_call_id="c1", exit_code=101
            )
            self.assertIn("cases::the_last ... FAILED", outcome.content)
            assert outcome.artifact is not None
            id_ = outcome.artifact["id"]
            self.assertEqual(await compressor.read(id_), REPORT)
            self.assertEqual(
                await compressor.search(id_, "number_7 "), [(9, "test cases::number_7 ... ok")]
            )
            outcomes = await compressor.compress_batch([{"content": "x"}, {"content": "y"}])
            self.assertEqual([o.content for o in outcomes], ["x", "y"])
            stream = compressor.stream(tool="bash", command=COMMAND)
            await stream.append(REPORT)
            self.assertIsNone((await stream.peek()).failure)
            self.assertEqual((await stream.close(101)).failure, None)
            async with compressor.stream(tool="bash", command=COMMAND) as left:
                await left.append(REPORT)
            self.assertIsNotNone((await left.close()).failure)
            self.assertIsNotNone(await compressor.list())
            self.assertIsNotNone(await compressor.stats())
            other = compressor.stream(tool="bash")
            await other.append("x")
            await other.discard()
            await compressor.evicted(["c1"])
            stats = await compressor.client.session_stats({"sessionId": "s"})
            self.assertEqual(stats["total"]["results"], 4)

    async def test_contexts(self) -> None:
        async with _patient("s") as compressor:

            async def seen(n: int, session: str | None = None) -> str:
                outcome = await compressor.compress(
                    REPORT, session_id=session, command=f"{COMMAND} {n}", tool_call_id=f"c{n}"
                )
                return outcome.content

            def refers(text: str, call: str) -> bool:
                return f"Duplicate of {call} " in text or f"as in {call} " in text

            first = await seen(1)
            self.assertNotIn("c1", await seen(2, "agent"))
            self.assertTrue(await compressor.fork("f"))
            self.assertFalse(await compressor.fork("f"))
            self.assertTrue(refers(await seen(3, "f"), "c1"))
            await compressor.compacted()
            self.assertEqual(await seen(1), first)
            self.assertFalse(refers(await seen(4), "c1"))
            await compressor.compacted(["c4"])
            self.assertTrue(refers(await seen(5), "c4"))
            self.assertTrue(refers(await seen(6, "f"), "c1"))
            self.assertTrue(await compressor.fork("g", visible=["c9"]))
            self.assertFalse(refers(await seen(7, "g"), "c4"))
            same = Compressor.from_async(compressor)
            self.assertTrue(same.fork("h"))
            same.compacted(session_id="h")
            self.assertFalse(refers(await seen(8, "h"), "c4"))

    async def test_reclaim(self) -> None:
        async with _patient("s") as compressor:
            self.assertEqual(await compressor.reclaim([]), {})
            first = "".join(f"unit_{n}.c takes {100 + n * 7919 % 899} bytes\n" for n in range(60))
            for call, text in [("c1", first), ("c2", first.replace("bytes", "octets"))]:
                outcome = await compressor.compress(text, command="make all", tool_call_id=call)
                self.assertEqual(await compressor.reclaim([{"text": "", "toolCallIds": [call]}]), {})
                self.assertIn("unit_7.c", outcome.content)
            terms: ReclaimTerms = {"cache": "cold", "minGain": 0}
            gone = await compressor.reclaim([{"text": "Both are done."}], terms=terms)
            self.assertEqual(list(gone), ["c1"])
            again = await compressor.compress(first, command="make all", tool_call_id="c1")
            self.assertEqual(again.content, gone["c1"])
            self.assertEqual(Compressor.from_async(compressor).reclaim([], terms=terms), {})

    async def test_many_at_once(self) -> None:
        async with _patient() as compressor:
            texts = [REPORT.replace("boom", f"boom {n}") for n in range(16)]
            calls = [compressor.compress(text, command=COMMAND) for text in texts]
            for n, outcome in enumerate(await asyncio.gather(*calls)):
                self.assertIn(f"boom {n}\n", outcome.content)
            self.assertEqual(compressor.client.starts, 1)

    async def test_both_faces_share_a_server(self) -> None:
        compressor = Compressor(Client(TERSED), session_id="s", deadline=GENEROUS)
        other = compressor.as_async()
        self.assertIsNone((await other.compress("x")).failure)
        self.assertIsNone(Compressor.from_async(other).compress("x").failure)
        self.assertEqual(compressor.client.starts, 1)
        compressor.close()


class Wire(unittest.IsolatedAsyncioTestCase):
    """What goes over the wire, seen by a server that tells."""

    def test_cancelling(self) -> None:
        told: queue.Queue[Any] = queue.Queue()
        with Client(fake("waits"), on_notification=lambda m, p: told.put((m, p))) as client:
            pending = client.send("toolResult/compress", {})
            self.assertFalse(pending.done())
            pending.cancel()
            self.assertRaises(RequestCancelled, pending.result)
            self.assertEqual(told.get(timeout=60), ("test/cancelled", {"id": 2}))

    def test_a_timeout_cancels(self) -> None:
        told: queue.Queue[Any] = queue.Queue()
        with Client(fake("waits"), on_notification=lambda m, p: told.put((m, p))) as client:
            client.start()
            with self.assertRaises(RequestTimeout):
                client.request("toolResult/compress", {}, timeout=0.01)
            self.assertEqual(told.get(timeout=60), ("test/cancelled", {"id": 2}))

    async def test_a_cancelled_task_cancels(self) -> None:
        told: queue.Queue[Any] = queue.Queue()
        client = AsyncClient(fake("waits"), on_notification=lambda m, p: told.put((m, p)))
        async with client:
            await client.start()
            task = asyncio.create_task(client.request("toolResult/compress", {}))
            await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            got = await asyncio.to_thread(told.get, timeout=60)
            self.assertEqual(got, ("test/cancelled", {"id": 2}))

    def test_params_arrive_as_they_are(self) -> None:
        params = {"text": "é€𝄞\u2028", "number": 12345678901234567890, "none": None}
        with Client(fake("echoes")) as client:
            answer = client.request("any/thing", params)
        self.assertEqual(answer, {"method": "any/thing", "params": params})


class Lookup(unittest.TestCase):
    def test_the_argument_goes_before_the_environment_before_the_path(self) -> None:
        folder, name = os.path.split(os.path.abspath(TERSED))
        path = {"PATH": folder}
        self.assertEqual(os.path.abspath(find_binary(TERSED, {"TERSED_BIN": "/x"})), os.path.abspath(TERSED))
        self.assertEqual(find_binary(None, {"TERSED_BIN": name, **path}), os.path.join(folder, name))
        self.assertEqual(find_binary(None, path), os.path.join(folder, name))

    def test_the_program_of_the_package_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            about = Path(folder, "site", "tersed-0.1.0.dist-info")
            about.mkdir(parents=True)
            (about / "METADATA").write_text("Metadata-Version: 2.4\nName: tersed\nVersion: 0.1.0\n")
            (about / "RECORD").write_text("../bin/tersed,,\ntersed-0.1.0.dist-info/RECORD,,\n")
            program = Path(folder, "bin", "tersed")
            program.parent.mkdir()
            program.write_text("#!/bin/sh\n")
            with unittest.mock.patch.object(sys, "path", [os.fspath(about.parent), *sys.path]):
                # Not before it can be run.
                with self.assertRaises(BinaryNotFound):
                    find_binary(None, {"PATH": ""})
                program.chmod(0o755)
                self.assertEqual(find_binary(None, {"PATH": ""}), os.fspath(program))
                other = os.path.abspath(TERSED)
                self.assertEqual(find_binary(None, {"TERSED_BIN": other, "PATH": ""}), other)

    def test_what_is_missing_is_named(self) -> None:
        for given, env, words in (
            ("/no/tersed", {}, "the argument names '/no/tersed'"),
            (None, {"TERSED_BIN": "/no/tersed"}, "TERSED_BIN names '/no/tersed'"),
            (None, {"PATH": ""}, "no package tersed for this Python and no tersed on PATH"),
        ):
            with self.assertRaises(BinaryNotFound) as caught:
                find_binary(given, env)
            self.assertIn(words, str(caught.exception))


class Delays(unittest.TestCase):
    def test_they_double_up_to_a_bound(self) -> None:
        backoff = Backoff(initial=0.5, factor=2, maximum=3)
        self.assertEqual([backoff.delay(n) for n in range(1, 7)], [0, 0.5, 1, 2, 3, 3])
        self.assertEqual(Backoff().delay(100_000), 30)


if __name__ == "__main__":
    unittest.main()
