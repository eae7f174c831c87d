"""What the tests of the adapters share."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import COMMAND, FAULTS, GENEROUS, REPORT, TERSED, patience  # noqa: E402

from tersed import Client, Compressor, Failure  # noqa: E402

__all__ = ["BROKEN", "COMMAND", "REPORT", "broken", "is_small", "working"]

BROKEN = ("missing", "crashes in a request", "garbage at once", "hangs in a request")


def working(**settings: object) -> Compressor:
    """A compressor over the real server."""
    return Compressor(Client(TERSED), deadline=GENEROUS, **settings)  # type: ignore[arg-type]


def broken(name: str, told: list[Failure]) -> Compressor:
    """A compressor whose server misbehaves."""
    command, reasons = FAULTS[name]
    return Compressor(Client(command), deadline=patience(reasons), on_failure=told.append)


def is_small(text: str) -> bool:
    """Whether a text is the report, made smaller, with its failure."""
    return len(text) < len(REPORT) / 2 and "cases::the_last ... FAILED" in text
