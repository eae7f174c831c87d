#!/usr/bin/env bash
# Packs the extension for VS Code into the folder that is named, target/packages without one.
set -euo pipefail
cd "$(dirname "$0")/../.."
out="${1:-target/packages}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
out="$(realpath "$out")"
cp editors/vscode/{README.md,extension.js,icon.png,package.json} LICENSE "$work"
version="$(node -p 'require(process.argv[1]).version' "$work/package.json")"
cd "$work"
npx --yes @vscode/vsce@4.1.0 package --no-dependencies --allow-missing-repository --out "$out/tersed-$version.vsix"
