#!/usr/bin/env bash
set -euo pipefail

. ./lib.sh
readonly LIMIT=10
NAME="${1:-}"

# Prints how to use it.
usage() {
  cat <<EOF
usage: {
}
fake() {
EOF
}

function build {
  local out=x
  if [ -n "$out" ]; then
    for f in a b; do
      echo "$f"
    done
  fi
}

one_line() { echo "}"; }

check()
{
  case "$1" in
    a) build ;;
  esac
}

build
check "$@"
