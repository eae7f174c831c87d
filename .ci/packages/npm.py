"""npm packages: one with a small starter, and one with the program for each kind of machine, of which npm installs the one
that fits. No script runs at installation, and only packages are fetched."""

import json
import os
import subprocess
from pathlib import Path

from common import ROOT, TARGETS, Failure, put


BUILDS_WASM = "cargo build --profile wasm -p tersed-wasm --target wasm32-unknown-unknown --locked"


def package_of(target):
    return f"tersed-{target.npm[0]}-{target.npm[1]}"


def build(product, programs, _pages, out, work):
    names = [package_of(program.target) for program in programs]
    if len(set(names)) < len(names):
        raise Failure(f"two programs make the same npm package: {', '.join(sorted(names))}")
    for program in programs:
        folder = work / "npm" / package_of(program.target)
        put(folder / program.target.file, program.bytes(), executable=True)
        put(folder / "LICENSE", (ROOT / "LICENSE").read_bytes())
        put(folder / "README.md", f"The program `tersed` for one kind of machine. Install the package `{product.name}`.\n")
        put(folder / "package.json", text(of_machine(product, program.target)))
        yield pack(folder, out)
    folder = work / "npm" / product.name
    put(folder / "bin" / "tersed.js", (Path(__file__).parent / "tersed.js").read_bytes(), executable=True)
    for page in ("README.md", "LICENSE"):
        put(folder / page, (ROOT / page).read_bytes())
    put(folder / "package.json", text(of_product(product)))
    yield pack(folder, out)


def shared(product):
    return {
        "version": product.version,
        "license": product.license,
        "repository": {"type": "git", "url": f"git+{product.repository}.git"},
        "homepage": product.repository,
    }


def of_product(product):
    """It names every machine that releases are made for, even if a program for it is missing now."""
    machines = sorted({package_of(target) for target in TARGETS.values()})
    return {
        "name": product.name,
        "description": product.description,
        "keywords": product.keywords,
        **shared(product),
        "bin": {"tersed": "bin/tersed.js"},
        "files": ["bin"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {machine: product.version for machine in machines},
    }


def of_machine(product, target):
    return {
        "name": package_of(target),
        "description": f"The program tersed for {target.npm[0]} on {target.npm[1]}",
        **shared(product),
        "os": [target.npm[0]],
        "cpu": [target.npm[1]],
        "files": [target.file],
        "preferUnplugged": True,
    }


def build_wasm(product, _programs, _pages, out, work):
    """The engine without a program, for hosts that cannot start one."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    module = target / "wasm32-unknown-unknown" / "wasm" / "tersed_wasm.wasm"
    if not module.is_file():
        raise Failure(f"there is no {module}; make it with: {BUILDS_WASM}")
    folder, source = work / "npm" / "tersed-wasm", ROOT / "editors" / "wasm"
    put(folder / "tersed.wasm", module.read_bytes())
    for page in ("index.mjs", "index.d.ts", "README.md"):
        put(folder / page, (source / page).read_bytes())
    put(folder / "LICENSE", (ROOT / "LICENSE").read_bytes())
    manifest = {
        "name": "tersed-wasm",
        "description": "The engine of tersed as a WebAssembly module, for hosts that cannot start a process",
        "keywords": product.keywords,
        **shared(product),
        "type": "module",
        "exports": {".": {"types": "./index.d.ts", "default": "./index.mjs"}, "./tersed.wasm": "./tersed.wasm"},
        "files": ["index.mjs", "index.d.ts", "tersed.wasm"],
        "engines": {"node": ">=20"},
    }
    put(folder / "package.json", text(manifest))
    yield pack(folder, out)


def text(value):
    return json.dumps(value, indent=2) + "\n"


def pack(folder, out):
    command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(out), str(folder)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return out / said.split()[-1]
