"""An audit of histories on many machines, as a job on Ray Data.

    python audit_job.py HISTORIES OUTPUT [--workers N] [--by format tool team day]

HISTORIES is a folder or a bucket (s3://…, gs://…) with a folder for each part of a fleet, named KEY=VALUE as tables are:
team=web/day=2026-11-01/session.jsonl. Each worker has a `tersed` of its own, on its path or as TERSED_BIN names it, and plays one
folder of histories at a time. OUTPUT gets a Parquet table with a row for each result; what is printed are its sums, which are those
that `tersed audit` prints of the same histories on one machine.

Needs `ray[data]`. Ray is told only the names of the files: their texts stay on the workers.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

import pyarrow.fs
import ray

SUMS = ["results", "tokensBefore", "tokensAfter", "sentBefore", "sentAfter", "references", "referencesVisible",
        "failureLines", "failureLinesVisible"]


def folders(histories: str) -> list[str]:
    """The folders below `histories` that have files; each is a task."""
    system, root = pyarrow.fs.FileSystem.from_uri(_uri(histories))
    found = system.get_file_info(pyarrow.fs.FileSelector(root, recursive=True))
    return sorted({posixpath.dirname(info.path) for info in found if info.is_file})


def _uri(path: str) -> str:
    return path if "://" in path else "file://" + os.path.abspath(path)


def parts(folder: str) -> dict[str, str]:
    """The values in the names of a folder: {"team": "web", "day": "2026-11-01"}."""
    pairs = (name.split("=", 1) for name in folder.split("/") if "=" in name)
    return {key: value for key, value in pairs}


class Audit:
    """A worker: replays the histories of a folder against its own `tersed`."""

    def __init__(self, histories: str, by: list[str]) -> None:
        self.system, _ = pyarrow.fs.FileSystem.from_uri(_uri(histories))
        self.by = by

    def __call__(self, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        folder = row["folder"]
        named = parts(folder)
        with tempfile.TemporaryDirectory() as work:
            files = self.system.get_file_info(pyarrow.fs.FileSelector(folder))
            for info in (info for info in files if info.is_file):
                with self.system.open_input_stream(info.path) as source:
                    with open(os.path.join(work, info.base_name), "wb") as target:
                        target.write(source.read())
            program = os.environ.get("TERSED_BIN", "tersed")
            done = subprocess.run([program, "audit", work, "--format", "jsonl"], capture_output=True, text=True, check=False)
            # A folder without histories is not an error of the job.
            if done.returncode != 0 and "none of the files was understood" not in done.stderr:
                raise RuntimeError(f"{folder}: {done.stderr.strip()}")
            for line in done.stdout.splitlines():
                yield flat(json.loads(line), folder, named, self.by)


def flat(found: dict[str, Any], folder: str, named: dict[str, str], by: list[str]) -> dict[str, Any]:
    """A row of the table."""
    keys = {key: named.get(key, "") for key in by if key not in found}
    arrives = {f"{way}TokensSaved": sums["tokens"] for way, sums in found.pop("arrives").items()}
    return {**found, **keys, **arrives, "file": posixpath.join(folder, posixpath.basename(found["file"]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories")
    parser.add_argument("output")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--by", nargs="*", default=["format", "tool", "team", "day"])
    options = parser.parse_args()

    found = folders(options.histories)
    rows = ray.data.from_items([{"folder": folder} for folder in found], override_num_blocks=max(len(found), 1)).flat_map(
        Audit, fn_constructor_args=(options.histories, options.by), concurrency=options.workers
    )
    table = rows.materialize()
    table.write_parquet(options.output)
    total = {name: 0 for name in SUMS}
    groups: dict[tuple[str, ...], dict[str, int]] = {}
    for row in table.iter_rows():
        group = groups.setdefault(tuple(str(row[key]) for key in options.by), {name: 0 for name in SUMS})
        for name in SUMS:
            total[name] += row[name]
            group[name] += row[name]
    for names, sums in sorted(groups.items()):
        print(json.dumps({**dict(zip(options.by, names)), **sums}))
    print(json.dumps({"total": total}))


if __name__ == "__main__":
    main()
