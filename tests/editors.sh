#!/usr/bin/env bash
# The plugins for editors and agent hosts against target/debug/tersed, or the program that TERSED_BIN names.
# Needs Node.js, Neovim and Emacs; `editors.sh javascript`, `neovim` or `emacs` runs a part of it.
set -euo pipefail
cd "$(dirname "$0")/.."
export TERSED_BIN="${TERSED_BIN:-$PWD/target/debug/tersed}"
[ -x "$TERSED_BIN" ] || cargo build --locked
# Unlike interactive Emacs, Emacs in batch mode does not ignore this signal: a program that ended would end Emacs.
trap '' PIPE

javascript() {
    node editors/build.mjs --check
    node --test editors/test/*.test.mjs
}

neovim() {
    nvim --headless --clean -c 'luafile editors/neovim/test/run.lua'
}

emacs() {
    command emacs -Q --batch -L editors/emacs -l editors/emacs/test/tersed-test.el -f ert-run-tests-batch-and-exit
}

[ $# -gt 0 ] || set -- javascript neovim emacs
for part in "$@"; do
    "$part"
done
