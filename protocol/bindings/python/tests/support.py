"""What the tests share: the real server, the misbehaving one, and a long result."""

from __future__ import annotations

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[4]
TERSED = os.environ.get("TERSED_BIN") or str(REPOSITORY / "target" / "debug" / "tersed")
FAKE = str(Path(__file__).with_name("fake_server.py"))

COMMAND = "cargo test"
PASSED = "".join(f"test cases::number_{n} ... ok\n" for n in range(80))
REPORT = (
    "running 81 tests\n"
    + PASSED
    + "test cases::the_last ... FAILED\n\nfailures:\n\n---- cases::the_last stdout ----\n"
    "thread 'cases::the_last' (7) panicked at src/lib.rs:9:5:\nboom\n\n\nfailures:\n    cases::the_last\n\n"
    "test result: FAILED. 80 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
)
"""A report of which all but the failure is dispensable."""


def fake(mode: str) -> list[str]:
    """A command of a server that misbehaves."""
    return [sys.executable, FAKE, mode]


FAULTS: dict[str, tuple[list[str], set[str]]] = {
    "missing": (["no-such-program-as-this"], {"missing"}),
    "no program": ([FAKE + "/nothing"], {"missing"}),
    "exits at once": (fake("exits"), {"exited"}),
    "garbage at once": (fake("garbage"), {"garbage"}),
    "a flood of garbage": (fake("flood"), {"garbage"}),
    "never ready": (fake("silent"), {"timeout"}),
    "crashes in a request": (fake("crashes"), {"exited"}),
    "hangs in a request": (fake("hangs"), {"timeout"}),
    "garbage in a request": (fake("late-garbage"), {"garbage"}),
    "half an answer": (fake("half"), {"exited"}),
    "an answer of another shape": (fake("wrong-shape"), {"error"}),
    "a command that is no server": ([sys.executable, "-c", "pass"], {"exited"}),
}
"""Commands that are no working server, and the reasons with which they fail open."""

DEADLINE = 2.0
"""Seconds for what never comes: every one of them is waited."""

GENEROUS = 300.0
"""Seconds for what comes: longer than anything here takes, also on a busy machine."""


def patience(reasons: set[str]) -> float:
    """Seconds to wait for a failure of one of these reasons."""
    return DEADLINE if "timeout" in reasons else GENEROUS
