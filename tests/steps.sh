#!/usr/bin/env bash
# Counts the instructions that texts of triggers cost. Needs valgrind. The crate is optimized for it, since valgrind is
# slow; its dependencies are used as `tests/all.sh` built them. At level 1 it would share generic functions with
# dependencies that are not optimized, and take more than three times as long.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
    echo "steps.sh: valgrind is missing" >&2
    exit 1
fi
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=2
cargo test --features otel --locked --test linear -- --ignored --exact --nocapture steps::steps_of_hostile_texts_are_linear
