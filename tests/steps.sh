#!/usr/bin/env bash
# Counts the instructions that texts of triggers cost. Needs valgrind. The crate is optimized, as `tests/optimized.env` says,
# since valgrind is slow.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
    echo "steps.sh: valgrind is missing" >&2
    exit 1
fi
set -a
. tests/optimized.env
set +a
cargo test --features otel --locked --test linear -- --ignored --exact --nocapture steps::steps_of_hostile_texts_are_linear
