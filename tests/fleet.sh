#!/usr/bin/env bash
# The job of examples/fleet on Ray Data with two workers on this machine, against the figures of one `tersed audit`.
# Needs target/debug/tersed, or the program that TERSED_BIN names, python3 with venv, and PyPI for Ray, which is large: it is not
# part of tests/all.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
export TERSED_BIN="${TERSED_BIN:-${CARGO_TARGET_DIR:-$PWD/target}/debug/tersed}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 RAY_DEDUP_LOGS=0 RAY_USAGE_STATS_ENABLED=0
python="${FLEET_PYTHON:-}"
if [ -z "$python" ]; then
    python3 -m venv "$work/venv"
    python="$work/venv/bin/python"
    "$python" -m pip install --quiet 'ray[data]==2.60.0'
fi

day=1
for format in claude-code codex pi swe-agent; do
    folder="$work/histories/team=$([ $((day % 2)) = 0 ] && echo web || echo core)/day=2026-11-0$day"
    mkdir -p "$folder"
    cp tests/fixtures/audit/$format/*.* "$folder"
    day=$((day + 1))
done
mkdir -p "$work/histories/team=web/day=2026-11-09"
echo "no history" >"$work/histories/team=web/day=2026-11-09/notes.txt"

"$python" examples/fleet/audit_job.py "$work/histories" "$work/table" --workers 2 >"$work/sums" 2>"$work/log" || {
    tail -40 "$work/log" >&2
    exit 1
}
"$TERSED_BIN" audit "$work/histories" --format json >"$work/one.json"
"$python" - "$work" <<'PYTHON'
import json, sys
import pyarrow.dataset

work = sys.argv[1]
lines = [json.loads(line) for line in open(f"{work}/sums") if line.startswith("{")]
total, groups = lines[-1]["total"], lines[:-1]
one = json.load(open(f"{work}/one.json"))
for name, figure in total.items():
    assert figure == one["total"][name], (name, figure, one["total"][name])
assert total["tokensBefore"] > 3000 and total["tokensAfter"] < total["tokensBefore"], total
for tool in one["tools"]:
    of = [group for group in groups if group["tool"] == tool["name"]]
    assert of and all(sum(group[name] for group in of) == tool[name] for name in total), tool
assert {group["team"] for group in groups} == {"core", "web"} and len({group["day"] for group in groups}) == 4
table = pyarrow.dataset.dataset(f"{work}/table").to_table()
assert table.num_rows == one["total"]["results"], table.num_rows
print(f"fleet.sh: {table.num_rows} results of {one['sessionCount']} sessions by two workers: the figures of one machine")
PYTHON
