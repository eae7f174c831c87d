#!/usr/bin/env bash
# The clients in protocol/bindings, with the real frameworks from their registries: types, tests, examples.
# Needs target/debug/tersed (cargo build), python3 with venv, node, npm, and PyPI and npm to install from.
# Everything is installed into a temporary folder. Arguments name parts of it: python_client, python_adapters, typescript_client.
set -euo pipefail
cd "$(dirname "$0")/.."
export TERSED_BIN="${TERSED_BIN:-$PWD/target/debug/tersed}"
if [ ! -x "$TERSED_BIN" ]; then
    echo "clients.sh: $TERSED_BIN is no program; cargo build makes target/debug/tersed" >&2
    exit 1
fi
bindings="$PWD/protocol/bindings"
work="$(mktemp -d)"
parts=()
trap '[ "${#parts[@]}" = 0 ] || kill "${parts[@]}" 2>"$work/ended"; rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
export MSWEA_GLOBAL_CONFIG_DIR="$work/mini-swe-agent" MSWEA_SILENT_STARTUP=1

step() { printf '== %s\n' "$*" >&2; }

# Prints the output of a command only if it fails.
quiet() {
    local log
    log="$(mktemp -p "$work")"
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}

# Runs an example; its model prints the report that it saw, which must be smaller.
example() {
    local seen
    seen="$("$@" 2>&1)" && grep -q "omitted 80 lines 2-81, passing_tests" <<<"$seen" || {
        printf '%s: %s\n' "$*" "$seen" >&2
        return 1
    }
}

# The code blocks of a page in a language, each as a file.
blocks() { # page, language, start of the files' names, ending
    mkdir -p "$(dirname "$3")"
    awk -v start="\`\`\`$2" -v file="$3" -v ending="$4" '
        $0 == start { n++; is_open = 1; next }
        /^```/ { is_open = 0 }
        is_open { print > (file n ending) }' "$1"
}

unittests() { # python, folder, path
    PYTHONPATH="${3:-}" quiet "$1" -W error::ResourceWarning -m unittest discover -s "$2"
}

python_client() {
    cd "$bindings/python"
    step "Python: the client, with nothing but Python"
    unittests python3 tests src:tests
}

python_adapters() {
    cd "$bindings/python"
    step "Python: the package and the frameworks"
    cp -r "$bindings/python" "$work/python"
    python3 -m venv "$work/venv"
    local python="$work/venv/bin/python"
    quiet "$python" -m pip install --no-compile -r tests/adapters/requirements.txt mypy==2.4.1 "$work/python"
    quiet "$python" -m pip install --no-compile --no-deps mini-swe-agent==2.4.6

    step "Python: types"
    blocks ../../../README.md python "$work/pages/root" .py
    blocks README.md python "$work/pages/client" .py
    {
        MYPYPATH=src:tests quiet "$python" -m mypy --cache-dir "$work/mypy" src/tersed tests/test_*.py
        # Each page has its own `request`, so each block is a program.
        local page
        for page in "$work"/pages/*.py; do
            MYPYPATH=src quiet "$python" -m mypy --strict --cache-dir "$work/mypy" "$page"
        done
    } &
    local types=$!

    step "Python: adapters"
    unittests "$python" tests/adapters

    step "Python: examples"
    local file
    for file in examples/[!_]*.py; do
        example "$python" "$file"
    done
    wait "$types"
}

typescript_client() {
    cp -r "$bindings/typescript" "$work/typescript"
    cd "$work/typescript"
    step "TypeScript: types"
    quiet npm install --no-audit --no-fund --no-package-lock
    quiet npx --no-install tsc
    blocks "$bindings/../../README.md" typescript pages/root .ts
    blocks README.md ts pages/client .ts
    quiet npx --no-install tsc --ignoreConfig --noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node pages/*.ts

    step "TypeScript: the client and its adapter"
    quiet node --test test/*.test.mjs

    step "TypeScript: the example and the package"
    example node examples/ai-sdk.mjs
    quiet npm pack --dry-run

    step "TypeScript: the folder itself, installed into a project"
    cp -r "$bindings/typescript" "$work/folder"
    rm -rf "$work/folder/dist" "$work/folder/node_modules"
    mkdir "$work/project"
    cd "$work/project"
    quiet npm install --no-audit --no-fund --prefer-offline "$work/folder"
    quiet node --input-type=module -e 'import { VERSION } from "tersed-client"; if (!VERSION) process.exit(1)'
}

# Most of the time is spent waiting for packages, and for servers that hang on purpose.
[ $# -gt 0 ] || set -- python_client typescript_client python_adapters
for part in "$@"; do
    ("$part") &
    parts+=("$!")
done
for part in "${parts[@]}"; do
    wait "$part"
done
parts=()
