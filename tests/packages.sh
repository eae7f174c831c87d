#!/usr/bin/env bash
# Builds the packages around target/debug/tersed, or the program that TERSED_BIN names, installs each from its file and uses it.
# Needs Python 3.11 with venv, node, npm and dpkg-deb, and uses no network. Arguments name parts: npm, wheel, deb, archive, refusals; and
# wasm, which needs the module of editors/wasm, and vsix, which downloads the program that packs extensions from npm.
set -euo pipefail
cd "$(dirname "$0")/.."
program="${TERSED_BIN:-${CARGO_TARGET_DIR:-$PWD/target}/debug/tersed}"
if [ ! -x "$program" ]; then
    echo "packages.sh: $program is no program; cargo build makes target/debug/tersed" >&2
    exit 1
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
version="$("$program" --version)"
# Without debug information it is a third as large.
strip -o "$work/tersed" "$program"

step() { printf '== %s\n' "$*" >&2; }

fail() {
    printf 'packages.sh: %s\n' "$*" >&2
    exit 1
}

build() { # kind
    python3 .ci/packages/build.py "$1" --fast --program "$work/tersed" --out "$work/out" >"$work/built"
    (cd "$work/out" && sha256sum --check --quiet SHA256SUMS)
}

# Tests an installed program: it prints its version, compresses a report, and ends with a command's exit status.
used() { # command...
    local report seen status=0
    [ "$("$@" --version)" = "$version" ] || fail "$*: another version"
    report="running 60 tests
$(seq -f 'test number_%02g ... ok' 60)

test result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
    seen="$("$@" compress --command 'cargo test' <<<"$report")"
    [[ "$seen" == *'60 lines 2-61, passing_tests'* ]] || fail "$*: $seen"
    "$@" run -- sh -c 'exit 7' || status=$?
    [ "$status" = 7 ] || fail "$*: exit status $status of a command that ended with 7"
}

npm_packages() {
    step "npm: installed from the files, started by npx"
    build npm
    mkdir -p "$work/project"
    # Packages for other machines are in no registry yet; with --offline no registry is asked.
    (cd "$work/project" && npm install --offline --no-audit --no-fund --silent "$work"/out/*.tgz) || fail "npm install"
    used "$work/project/node_modules/.bin/tersed"
    (cd "$work/project" && [ "$(npx --offline --no-install tersed --version)" = "$version" ]) || fail "npx"
    step "npm: signals, and a missing program"
    stopped_by_a_signal "$work/project/node_modules/.bin/tersed"
    rm -r "$work"/project/node_modules/tersed-*-*
    "$work/project/node_modules/.bin/tersed" --version 2>"$work/said" && fail "it ran without its program"
    grep -q "is not installed" "$work/said" || fail "$(cat "$work/said")"
}

wasm_package() {
    step "npm: the module for WebAssembly, installed from its file"
    build wasm
    mkdir -p "$work/wasm"
    (cd "$work/wasm" && npm install --offline --no-audit --no-fund --silent "$work"/out/tersed-wasm-*.tgz) || fail "npm install"
    cat >"$work/wasm/host.mjs" <<'HOST'
import { readFile } from "node:fs/promises";
import { Tersed } from "tersed-wasm";
const tersed = await Tersed.start(await readFile(new URL(import.meta.resolve("tersed-wasm/tersed.wasm"))));
const { content } = tersed.compress({ tool: "bash", content: "the same line\n".repeat(900) });
console.log(content);
HOST
    (cd "$work/wasm" && node host.mjs) | grep -q "last line repeats 899 times more" || fail "tersed-wasm"
}

vsix_package() {
    step "VS Code: the extension, packed"
    local has
    bash .ci/packages/vsix.sh "$work/out" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
    has="$(python3 -m zipfile --list "$work"/out/tersed-*.vsix)"
    for file in extension.js icon.png package.json readme.md LICENSE.txt; do
        [[ "$has" == *"extension/$file "* ]] || fail "the extension lacks $file: $has"
    done
}

# If the starter gets a signal, the server ends, and the starter ends with the same signal or status.
stopped_by_a_signal() {
    mkfifo "$work/input"
    "$1" serve <"$work/input" >"$work/output" 2>&1 &
    local starter=$! child='' status=0
    exec 9>"$work/input"
    for _ in $(seq 200); do
        child="$(ps -o pid= --ppid "$starter" | tr -d ' ' || true)"
        [ -n "$child" ] && break
        sleep 0.05
    done
    [ -n "$child" ] || fail "no program below the starter"
    # It may not handle signals yet; then the signal ends it, which is fine, too.
    kill -TERM "$starter"
    wait "$starter" || status=$?
    exec 9>&-
    # On a busy machine it may end a moment later.
    for _ in $(seq 100); do
        kill -0 "$child" 2>/dev/null || return 0
        sleep 0.05
    done
    fail "the program outlived its starter"
}

wheel_package() {
    step "Python: the wheel, installed from the file"
    build wheel
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --no-index "$work"/out/*.whl
    used "$work/venv/bin/tersed"
    "$work/venv/bin/python" -m pip check >"$work/said" || fail "$(cat "$work/said")"
    "$work/venv/bin/python" -m pip uninstall --quiet --yes tersed
    [ ! -e "$work/venv/bin/tersed" ] || fail "uninstalling leaves the program"
}

deb_package() {
    step "Debian: the package, unpacked"
    build deb
    dpkg-deb --extract "$work"/out/*.deb "$work/root"
    used "$work/root/usr/bin/tersed"
    zcat "$work/root/usr/share/man/man1/tersed-compress.1.gz" | grep -q '^\.TH tersed-compress 1' || fail "manual page"
    bash -c 'source "$1" && complete -p tersed' - "$work/root/usr/share/bash-completion/completions/tersed" >"$work/said" ||
        fail "completions"
    [ "tersed $(dpkg-deb --field "$work"/out/*.deb Version)" = "$version-1" ] || fail "its version"
}

archive_package() {
    step "Release: the archive"
    build archive
    tar -xzf "$work"/out/*.tar.gz -C "$work"
    used "$work"/tersed-*-*/tersed
}

refusals() {
    step "Programs that are not what they are said to be; the same bytes twice; every target"
    local given said stamp
    said="$(python3 .ci/packages/build.py wheel --program x86_64-pc-windows-gnu="$work/tersed" --out "$work/none" 2>&1)" &&
        fail "a program for Linux passed as one for Windows"
    [[ "$said" == *"is no program for x86_64-pc-windows-gnu"* ]] || fail "$said"
    said="$(python3 .ci/packages/build.py wheel --program elsewhere="$work/tersed" --out "$work/none" 2>&1)" &&
        fail "a target passed that there is not"
    [[ "$said" == *"no target is called 'elsewhere'"* ]] || fail "$said"
    python3 - <<'PYTHON'
import sys
sys.path.insert(0, ".ci/packages")
import re, struct, tarfile, tempfile, tomllib, zipfile
from pathlib import Path
import archives, formula, npm, wheel
from common import TARGETS, Product, Program, header, sum_of

starts = {
    b"elf": lambda machine: b"\x7fELF\x02\x01" + bytes(12) + struct.pack("<H", machine),
    b"macho": lambda machine: b"\xcf\xfa\xed\xfe" + struct.pack("<I", machine),
    b"pe": lambda machine: b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", machine),
}
product = Product.read()
with tempfile.TemporaryDirectory() as work:
    work = Path(work)
    (work / "pages").mkdir()
    class Pages:
        def folder(self): return work / "pages"
    programs = []
    for target in TARGETS.values():
        kind, machine = target.header.split(b":")
        file = work / target.triple
        file.write_bytes(starts[kind](int(machine)))
        programs.append(Program(target, file).checked())
    for other in (b"", b"MZ", b"#!/bin/sh\n", bytes(4096)):
        assert header(other) == b"", other
    once, again = work / "once", work / "again"
    for out in (once, again):
        out.mkdir()
        made = [*archives.build(product, programs, Pages(), out, work), *wheel.build(product, programs, Pages(), out, work)]
        made += formula.build(product, programs, Pages(), out, work)
    for path in once.iterdir():
        assert sum_of(path) == sum_of(again / path.name), path.name
    text = (once / "tersed.rb").read_text()
    for target in TARGETS.values():
        assert (f"-{target.triple}.tar.gz" in text) == bool(target.brew), target.triple
    # The files that `cargo binstall` downloads exist.
    fetched = tomllib.loads(Path("Cargo.toml").read_text())["package"]["metadata"]["binstall"]
    for asked in [target for target in TARGETS.values() if target.is_published or target.triple.endswith("-linux-gnu")]:
        how = {**fetched, **fetched["overrides"].get(asked.triple, {})}
        words = {"repo": product.repository, "name": product.name, "version": product.version, "target": asked.triple,
                 "archive-suffix": {"tgz": ".tar.gz", "zip": ".zip"}[how["pkg-fmt"]],
                 "bin": "tersed", "binary-ext": ".exe" if asked.system == "windows" else ""}
        expand = lambda form: re.sub(r"\{ ([a-z-]+) \}", lambda word: words[word[1]], form)
        address, _, archive = expand(how["pkg-url"]).rpartition("/")
        assert address == f"{product.repository}/releases/download/v{product.version}", address
        opened = zipfile.ZipFile(once / archive).namelist() if how["pkg-fmt"] == "zip" else tarfile.open(once / archive).getnames()
        assert expand(how["bin-dir"]) in opened, (asked.triple, opened)
    assert {name.split("-", 1)[1] for name in npm.of_product(product)["optionalDependencies"]} == {
        "linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"}
PYTHON
}

[ $# -gt 0 ] || set -- npm wheel deb archive refusals
for part in "$@"; do
    rm -rf "$work/out"
    case "$part" in
    npm) npm_packages ;;
    wheel) wheel_package ;;
    deb) deb_package ;;
    archive) archive_package ;;
    refusals) refusals ;;
    wasm) wasm_package ;;
    vsix) vsix_package ;;
    *) fail "no part is called $part" ;;
    esac
done
