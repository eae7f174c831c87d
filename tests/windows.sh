#!/usr/bin/env bash
# Builds the program for Windows and uses it under wine. It is not part of tests/all.sh: the build takes minutes.
# Needs Rust's target x86_64-pc-windows-gnu, and from Debian gcc-mingw-w64-x86-64-win32 and wine64 with wine. TERSED_EXE may name an
# existing program. On Windows there is no resident process yet, and `run` does not hold output back to compress it.
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-pc-windows-gnu
if [ -z "${TERSED_EXE:-}" ]; then
    cargo build --locked --bin tersed --target "$target"
    TERSED_EXE="${CARGO_TARGET_DIR:-target}/$target/debug/tersed.exe"
fi
work="$(mktemp -d)"
export WINEPREFIX="$work/wine" WINEDEBUG=-all
trap 'wineserver -k 2>"$work/ended" || true; rm -rf "$work"' EXIT
cp "$TERSED_EXE" "$work/tersed.exe"
unset TERSED_EXE

fail() {
    printf 'windows.sh: %s\n' "$*" >&2
    exit 1
}

# Every Windows since 10 has this library, and wine only since version 9.
cat >"$work/random.c" <<'C'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, (ULONG)length); }
C
x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" "$work/random.c" -ladvapi32

tersed() { timeout 120 wine "$work/tersed.exe" "$@" | tr -d '\r'; }

marker='60 lines 2-61, passing_tests'
report="running 60 tests
$(seq -f 'test number_%02g ... ok' 60)

test result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"

# Wine sets up a home at its first start, and says so.
wine cmd /c exit >"$work/said" 2>&1 || true

seen="$(tersed compress --command 'cargo test' <<<"$report")"
[[ "$seen" == *"$marker"* ]] || fail "compress: $seen"

status=0
seen="$(timeout 120 wine "$work/tersed.exe" run -- cmd /c 'echo a line&& exit 7')" || status=$?
[ "$status" = 7 ] || fail "run: exit status $status of a command that ended with 7"
[[ "$seen" == *'a line'* ]] || fail "run: $seen"

# A server answers, and ends when it is told to.
requests="$(REPORT="$report" python3 -c '
import json, os
result = {"toolCallId": "call_1", "tool": "bash", "arguments": {"command": "cargo test"}, "content": os.environ["REPORT"]}
calls = [("initialize", {}), ("toolResult/compress", {"sessionId": "s", "result": result}), ("shutdown", None)]
for number, (method, params) in enumerate(calls):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}))
print(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
')"
seen="$(tersed serve --framing lines <<<"$requests")"
[[ "$seen" == *"$marker"* ]] || fail "serve: $seen"

# Without a resident process each event is worked on by itself.
event="$(REPORT="$report" python3 -c '
import json, os
print(json.dumps({"session_id": "s", "cwd": "C:\\", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "call_1",
    "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": os.environ["REPORT"], "stderr": "", "interrupted": False}}))
')"
seen="$(tersed hook claude-code <<<"$event")"
[[ "$seen" == *"$marker"* ]] || fail "hook: $seen"
echo "windows.sh: compress, run, serve and hook work under $(wine --version)"
