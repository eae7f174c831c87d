#!/usr/bin/env bash
# Everything that must hold before a change goes in. Needs a Rust toolchain, Python 3 and Node.js.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --check
cargo clippy --all-targets --locked -- -D warnings
cargo test --locked
cargo clippy --lib --tests --features otel --locked -- -D warnings
cargo test --locked --features otel --test otel
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked
