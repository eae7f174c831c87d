"""With no working server the original comes back, in time and with a reason."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import unittest
from typing import Any

from support import DEADLINE, FAULTS, GENEROUS, REPORT, TERSED, fake, patience

from tersed import AsyncClient, AsyncCompressor, Backoff, Client, Compressor, Failure
from tersed.errors import RedactionFailed, RpcError

PATIENCE = 900.0
"""Seconds that no call may take whatever happens: a helper that waits for ever never returns."""


class FailOpen(unittest.TestCase):
    def test_every_fault_gives_the_original(self) -> None:
        for name, (command, reasons) in FAULTS.items():
            with self.subTest(name):
                told: list[Failure] = []
                limit = patience(reasons)
                client = Client(command, start_timeout=limit)
                with Compressor(
                    client, session_id="s", deadline=limit, on_failure=told.append
                ) as compressor:
                    started = time.monotonic()
                    outcome = compressor.compress(REPORT, tool="bash", tool_call_id="1")
                    self.assertLess(time.monotonic() - started, PATIENCE)
                    self.assertIs(outcome.content, REPORT)
                    self.assertIsNone(outcome.evidence)
                    assert outcome.failure is not None
                    self.assertIn(outcome.failure.reason, reasons, outcome.failure)
                    self.assertEqual(told, [outcome.failure])

    def test_every_helper_gives_the_original(self) -> None:
        parts = [{"type": "text", "text": REPORT}]
        body = {"messages": [{"role": "tool", "tool_call_id": "1", "content": REPORT}]}
        for name in ("missing", "crashes in a request", "an answer of another shape"):
            with self.subTest(name):
                command, _ = FAULTS[name]
                with Compressor(Client(command), session_id="s", deadline=GENEROUS) as compressor:
                    self.assertIs(compressor.compress(parts).content, parts)
                    results = [{"content": REPORT}, {"content": parts}]
                    outcomes = compressor.compress_batch(results)  # type: ignore[arg-type]
                    self.assertEqual([o.content for o in outcomes], [REPORT, parts])
                    self.assertIs(compressor.compress_messages(body).content, body)
                    self.assertIsNone(compressor.read("2f9a3daa"))
                    self.assertIsNone(compressor.search("2f9a3daa", "x"))
                    self.assertIsNone(compressor.list())
                    self.assertIsNone(compressor.stats())
                    compressor.close_session()
                    compressor.evicted(["1"])
                    stream = compressor.stream(tool="bash")
                    stream.append("one\n")
                    stream.append("two\n")
                    self.assertEqual(stream.peek().content, "one\ntwo\n")
                    outcome = stream.close(1)
                    self.assertEqual(outcome.content, "one\ntwo\n")
                    self.assertIsNotNone(outcome.failure)
                    named = compressor.stream(tool="bash")
                    named.append("out\n", "stdout")
                    named.append("err\n", "stderr")
                    expected = [{"type": "text", "text": t} for t in ("out\n", "err\n")]
                    self.assertEqual(named.close().content, expected)

    def test_a_failure_is_not_tried_again_at_once(self) -> None:
        client = Client(fake("exits"), backoff=Backoff(initial=3600.0, maximum=3600.0))
        with Compressor(client, deadline=GENEROUS) as compressor:
            reasons = [compressor.compress(REPORT).failure for _ in range(5)]
            self.assertEqual([f.reason for f in reasons if f][:2], ["exited", "unavailable"])
            self.assertEqual(client.starts, 1)

    def test_a_server_that_hangs_is_killed(self) -> None:
        client = Client(fake("hangs"), start_timeout=GENEROUS)
        with Compressor(client, deadline=DEADLINE) as compressor:
            # What is waited for below is the hanging alone.
            client.start(timeout=GENEROUS)
            compressor.compress(REPORT)
            first = client.pid
            self.assertIsNotNone(first)
            compressor.compress(REPORT)
            self.assertNotEqual(client.pid, first)
            third = compressor.compress(REPORT).failure
            assert third is not None
            self.assertEqual(third.reason, "unavailable")

    def test_after_two_waits_in_a_row_nobody_waits(self) -> None:
        # A server that never greets, and one that hangs later.
        for fault in ("silent", "hangs"):
            with self.subTest(fault):
                client = Client(fake(fault), start_timeout=3600)
                with Compressor(client, deadline=DEADLINE) as compressor:
                    reasons = []
                    for _ in range(5):
                        failure = compressor.compress(REPORT).failure
                        assert failure is not None
                        reasons.append(failure.reason)
                    self.assertEqual(reasons, ["timeout"] * 2 + ["unavailable"] * 3)
                    self.assertEqual(client.starts, 1, "nobody else is started to be waited for")

    def test_what_is_no_json_fails_open(self) -> None:
        with Compressor(Client(fake("echoes")), deadline=GENEROUS) as compressor:
            outcome = compressor.compress(REPORT, arguments={"x": object()})
            assert outcome.failure is not None
            self.assertEqual(outcome.failure.reason, "unserializable")

    def test_a_callback_that_raises_changes_nothing(self) -> None:
        def raises(_: Failure) -> None:
            raise KeyError("callback")

        command, _ = FAULTS["missing"]
        with self.assertLogs("tersed", "ERROR"):
            outcome = Compressor(Client(command), on_failure=raises).compress(REPORT)
        self.assertIs(outcome.content, REPORT)

    def test_a_name_of_a_program_is_no_client(self) -> None:
        for kind, name in ((Compressor, "Client"), (AsyncCompressor, "AsyncClient")):
            with self.assertRaisesRegex(TypeError, f"expected a `{name}` as `client`, not `str`"):
                kind("/nope")  # type: ignore[arg-type]

    def test_a_missing_program_warns_once(self) -> None:
        script = (
            "from tersed import Client, Compressor\n"
            "for _ in range(3): Compressor(Client('no-such-program-as-this')).compress('text')\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        self.assertEqual(ran.stderr.count("nothing is compressed"), 1, ran.stderr)

    def test_a_setting_that_is_refused_does_not_count(self) -> None:
        secret = "token ghp_" + "aB3dE5gH7jK9mN1pQ4rS6tU8vW2xY0zC5fL7\n"
        misspelt: list[dict[str, Any]] = [{"mode": "agressive"}, {"maxoutputbytes": 100}]
        for policy in misspelt:
            told: list[Failure] = []
            given = [
                (Client(TERSED), policy),
                (Client(TERSED, options={"policy": policy}), None),  # type: ignore[arg-type]
            ]
            for client, of_compressor in given:
                with (
                    self.subTest(policy=policy, of_compressor=of_compressor),
                    self.assertLogs("tersed", "WARNING") as warnings,
                    Compressor(
                        client,
                        session_id="s",
                        policy=of_compressor,  # type: ignore[arg-type]
                        on_failure=told.append,
                    ) as compressor,
                ):
                    for _ in range(3):
                        self.assertNotIn("ghp_", compressor.compress(secret, tool="bash").content)
                    stream = compressor.stream(tool="bash")
                    stream.append(secret)
                    self.assertNotIn("ghp_", stream.close().content)
                    self.assertEqual((told, len(warnings.output)), ([], 1), warnings.output)
        # A client that raises says so.
        with Client(TERSED, options={"policy": misspelt[0]}) as client:  # type: ignore[arg-type]
            self.assertRaises(RpcError, client.start)

    def test_a_setting_that_is_refused_does_not_count_for_asyncio(self) -> None:
        async def ask() -> None:
            policy: Any = {"mode": "agressive"}
            async with AsyncCompressor(AsyncClient(TERSED), policy=policy) as compressor:
                outcome = await compressor.compress(REPORT, tool="bash", command="cargo test")
                self.assertIsNone(outcome.failure)
                self.assertLess(len(outcome.content), len(REPORT))

        with self.assertLogs("tersed", "WARNING"):
            asyncio.run(ask())

    def test_redaction_fails_closed(self) -> None:
        with Compressor(Client(fake("redaction")), deadline=GENEROUS) as compressor:
            self.assertRaises(RedactionFailed, compressor.compress, REPORT)

    def test_a_closed_compressor_gives_the_original(self) -> None:
        compressor = Compressor(Client(fake("echoes")))
        compressor.close()
        self.assertIs(compressor.compress(REPORT).content, REPORT)


class AsyncFailOpen(unittest.IsolatedAsyncioTestCase):
    async def test_every_fault_gives_the_original(self) -> None:
        async def one(name: str, command: list[str], reasons: set[str]) -> None:
            told: list[Failure] = []
            limit = patience(reasons)
            client = AsyncClient(command, start_timeout=limit)
            async with AsyncCompressor(
                client, session_id="s", deadline=limit, on_failure=told.append
            ) as compressor:
                call = compressor.compress(REPORT, tool="bash", tool_call_id="1")
                outcome = await asyncio.wait_for(call, PATIENCE)
                self.assertIs(outcome.content, REPORT)
                assert outcome.failure is not None
                self.assertIn(outcome.failure.reason, reasons, name)
                self.assertEqual(told, [outcome.failure])

        for name, (command, reasons) in FAULTS.items():
            with self.subTest(name):
                await one(name, command, reasons)

    async def test_every_helper_gives_the_original(self) -> None:
        body = {"messages": [{"role": "tool", "tool_call_id": "1", "content": REPORT}]}
        for name in ("missing", "crashes in a request", "an answer of another shape"):
            with self.subTest(name):
                client = AsyncClient(FAULTS[name][0])
                async with AsyncCompressor(
                    client, session_id="s", deadline=GENEROUS
                ) as compressor:
                    outcomes = await compressor.compress_batch([{"content": REPORT}])
                    self.assertIs(outcomes[0].content, REPORT)
                    self.assertIs((await compressor.compress_messages(body)).content, body)
                    self.assertIsNone(await compressor.read("2f9a3daa"))
                    self.assertIsNone(await compressor.search("2f9a3daa", "x"))
                    await compressor.evicted(["1"])
                    stream = compressor.stream(tool="bash")
                    await stream.append("one\n")
                    await stream.append("two\n")
                    self.assertEqual((await stream.peek()).content, "one\ntwo\n")
                    self.assertEqual((await stream.close(1)).content, "one\ntwo\n")

    async def test_a_cancelled_task_is_no_failure(self) -> None:
        told: list[Failure] = []
        client = AsyncClient(fake("hangs"), start_timeout=GENEROUS)
        async with AsyncCompressor(
            client, deadline=GENEROUS, on_failure=told.append
        ) as compressor:
            await client.start(timeout=GENEROUS)
            task = asyncio.create_task(compressor.compress(REPORT))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(told, [])
            await client.close(timeout=0.1)

    async def test_redaction_fails_closed(self) -> None:
        client = AsyncClient(fake("redaction"))
        async with AsyncCompressor(client, deadline=GENEROUS) as compressor:
            with self.assertRaises(RedactionFailed):
                await compressor.compress(REPORT)


if __name__ == "__main__":
    unittest.main()
