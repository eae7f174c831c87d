#!/usr/bin/env bash
# Everything that must hold before a change goes in. Needs a Rust toolchain, Python 3, Node.js, Neovim and Emacs.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --check
cargo clippy --all-targets --locked -- -D warnings
cargo test --locked
bash tests/editors.sh
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked
