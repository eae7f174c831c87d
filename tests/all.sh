#!/usr/bin/env bash
# Everything that must hold before a change goes in. Needs a Rust toolchain, Python 3 with venv, Node.js, npm, Neovim,
# Emacs, valgrind, and the registries of the first three.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --check
cargo clippy --all-targets --locked -- -D warnings
cargo clippy --no-default-features --lib --example host --locked -- -D warnings
for features in server hosts cli; do
    cargo check --quiet --no-default-features --features "$features" --locked
done
cargo test --locked
bash tests/editors.sh
bash tests/clients.sh
bash tests/steps.sh
cargo clippy --lib --tests --features otel --locked -- -D warnings
cargo test --locked --features otel --test otel
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked
