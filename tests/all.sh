#!/usr/bin/env bash
# All checks that must pass before a change is merged. A Rust toolchain is enough. Other programs are Python 3 with venv,
# Node.js, npm, dpkg-deb, Neovim, Emacs, valgrind and the target wasm32-unknown-unknown. Missing ones are listed at the end,
# with the parts that were skipped. `--install` installs them first (Debian and similar systems, with rustup). The clients
# need the registries of Python and Node.js.
set -euo pipefail
cd "$(dirname "$0")/.."
wasm=wasm32-unknown-unknown

# Whether something is installed; `venv`, `tomllib` (Python 3.11) and `wasm` are not programs.
has() {
    case "$1" in
    venv) python3 -c 'import venv, ensurepip' 2>/dev/null ;;
    tomllib) python3 -c 'import tomllib' 2>/dev/null ;;
    wasm) [ -d "$(rustc --print sysroot)/lib/rustlib/$wasm" ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

install() {
    local row packages=()
    for row in 'git git' 'cc gcc libc6-dev' 'python3 python3' 'venv python3-venv' 'node nodejs' 'npm npm' 'nvim neovim' \
        'emacs emacs-nox' 'valgrind valgrind'; do
        read -ra row <<<"$row"
        has "${row[0]}" || packages+=("${row[@]:1}")
    done
    if [ "${#packages[@]}" -gt 0 ]; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${packages[@]}"
    fi
    # Without it that part is listed as skipped.
    has wasm || rustup target add "$wasm" || true
}

# part WHAT THING... -- COMMAND...: runs a command, or notes that it was skipped because a thing is missing.
not_run=()
part() {
    local what="$1" missing=()
    shift
    while [ "$1" != -- ]; do
        has "$1" || missing+=("$1")
        shift
    done
    shift
    if [ "${#missing[@]}" = 0 ]; then
        "$@"
    else
        not_run+=("$what: ${missing[*]} missing")
    fi
}

case "$*" in
'') ;;
--install) install ;;
*)
    echo "usage: bash tests/all.sh [--install]" >&2
    exit 2
    ;;
esac

# Tests that need a program call `has` of `tests/common`.
TESTS_WITHOUT=
for program in python3 node nvim emacs; do
    if ! has "$program"; then
        TESTS_WITHOUT+=" $program"
        files="$(grep -rl "has(\"$program\")" tests/integration | tr '\n' ' ')"
        not_run+=("tests in ${files% } that need it: $program missing")
    fi
done
export TESTS_WITHOUT

cargo fmt --check

# These checks process one crate at a time and use one core, so they run in parallel with the builds, in their own folder.
checks() {
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/checks"
    # Clippy runs with the default features; `server` includes `office` and `recovery`, `cli` includes `schema`.
    for features in server hosts cli gateway audit; do
        cargo check --quiet --no-default-features --features "$features" --locked
    done
    if has wasm; then
        cargo clippy --no-default-features --lib -p tersed -p tersed-wasm --target "$wasm" --locked -- -D warnings
    fi
}
said="$(mktemp)"
trap 'kill "${checks:-}" 2>"$said" || true; rm -f "$said"' EXIT
checks >"$said" 2>&1 &
checks=$!
# With the only feature that is not a default, so that everything is built and tested once.
cargo clippy --all-targets --features otel --locked -- -D warnings
# In the same folder, which has the dependencies of tests already.
cargo clippy --no-default-features --lib --example host --test library --locked -- -D warnings
cargo test --features otel --locked --lib --no-run
# Tests that drive the program or compress much: optimized, they and their build take half as long together.
optimized() {
    (
        set -a
        . tests/optimized.env
        "$@"
    )
}
optimized cargo test --features otel --locked --test '*' --no-run
checked=0
wait "$checks" || checked=$?
cat "$said" >&2
[ "$checked" = 0 ]

# It was checked above, if it could be.
part "the engine for WebAssembly" wasm -- true
part "the module for WebAssembly" wasm -- \
    cargo build --quiet --profile wasm -p tersed-wasm --target "$wasm" --locked
part "the module for WebAssembly against the fixtures" wasm node -- \
    node tests/wasm.mjs "${CARGO_TARGET_DIR:-target}/$wasm/wasm/tersed_wasm.wasm"
cargo test --features otel --locked --lib
optimized cargo test --features otel --locked --test '*'
optimized cargo test --features otel --locked --doc
part "plugins in JavaScript" node -- bash tests/editors.sh javascript
part "the plugin for Neovim" nvim -- bash tests/editors.sh neovim
part "the plugin for Emacs" emacs -- bash tests/editors.sh emacs
clients=()
client() { clients+=("$1"); }
part "the Python client" python3 -- client python_client
part "the Python adapters and examples" python3 venv -- client python_adapters
part "the TypeScript client" node npm -- client typescript_client
if [ "${#clients[@]}" -gt 0 ]; then
    bash tests/clients.sh "${clients[@]}"
fi
part "packages" python3 venv tomllib node npm dpkg-deb strip -- bash tests/packages.sh
part "the extension for VS Code, packed" node npm python3 strip -- bash tests/packages.sh vsix
part "the package for WebAssembly" wasm python3 tomllib node npm strip -- bash tests/packages.sh wasm
part "instructions that hostile texts cost" valgrind -- bash tests/steps.sh
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --features otel --locked

for part in "${not_run[@]}"; do
    echo "not run: $part" >&2
done
