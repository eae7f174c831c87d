#!/usr/bin/env python3
"""Builds the packages of tersed from existing programs.

    python3 .ci/packages/build.py npm                              the program that `cargo build --profile dist` made
    python3 .ci/packages/build.py npm --program FILE               another one for this machine
    python3 .ci/packages/build.py all --program TARGET=FILE ...    programs for several targets

Kinds: archive, npm, wheel, deb, formula, all; and wasm, which packs the module of `editors/wasm` and needs no program. They go to the folder that --out names, target/packages without it. The
same programs give the same bytes. It reads the name, the version, the words and the repository from Cargo.toml alone, and
asks no network. A program that is for another machine than its target says is refused, as is one of another version.

--fast compresses little, for tests. Needs Python 3.11; npm for `npm`, dpkg-deb for `deb`.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import archives
import deb
import formula
import npm
import wheel
from common import ROOT, TARGETS, Compression, Failure, Product, Program, write_sums

KINDS = {
    "archive": archives.build,
    "npm": npm.build,
    "wheel": wheel.build,
    "deb": deb.build,
    "formula": formula.build,
}


def main():
    asked = arguments()
    if asked.fast:
        Compression.level = 1
    product = Product.read()
    needs_program = asked.kinds != ["wasm"]
    programs = [program(given) for given in asked.program] or ([own_program()] if needs_program else [])
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind in asked.kinds if kind != "all"]
    if "all" in asked.kinds:
        kinds = [*KINDS, *(kind for kind in kinds if kind not in KINDS)]
    with tempfile.TemporaryDirectory() as work:
        pages = Pages(product, programs, Path(work))
        for kind in kinds:
            builds = npm.build_wasm if kind == "wasm" else KINDS[kind]
            for file in builds(product, programs, pages, out, Path(work)):
                print(file)
    write_sums(out)


def arguments():
    about = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(
        description=about[0], epilog="\n\n".join(about[1:]), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="+", choices=[*KINDS, "all", "wasm"], metavar="KIND")
    parser.add_argument("--program", action="append", default=[], metavar="[TARGET=]FILE")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "packages", metavar="FOLDER")
    return parser.parse_args()


def program(given):
    target, is_named, file = given.partition("=")
    if not is_named:
        return Program(host_target(), Path(given)).checked()
    if target not in TARGETS:
        raise Failure(f"--program {given}: no target is called {target!r}; there are {', '.join(TARGETS)}")
    return Program(TARGETS[target], Path(file)).checked()


def own_program():
    """The program for this machine, as cargo leaves it."""
    target = host_target()
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    file = folder / "dist" / target.file
    if not file.is_file():
        raise Failure(f"there is no {file}; make it with: cargo build --profile dist --locked")
    return Program(target, file).checked()


def host_target():
    system, machine = platform.system().lower(), platform.machine().lower()
    for target in TARGETS.values():
        if target.is_of(system, machine) and target.is_built_by_default:
            return target
    raise Failure(f"no package is known for {system} on {machine}")


@dataclass
class Pages:
    """Manual pages and completions. Any program that runs on this machine prints them, for all targets."""

    product: Product
    programs: list
    work: Path

    def folder(self):
        folder = self.work / "pages"
        if folder.exists():
            return folder
        (folder / "man").mkdir(parents=True)
        (folder / "completions").mkdir()
        own = self._runnable()
        run(own, "man", "--dir", str(folder / "man"))
        for shell, file in [("bash", "tersed.bash"), ("zsh", "_tersed"), ("fish", "tersed.fish")]:
            (folder / "completions" / file).write_bytes(run(own, "completions", shell))
        return folder

    def _runnable(self):
        system, machine = platform.system().lower(), platform.machine().lower()
        for program in self.programs:
            if not program.target.is_of(system, machine):
                continue
            said = run(program.file.resolve(), "--version").decode().strip()
            if said != f"tersed {self.product.version}":
                raise Failure(f"{program.file} says {said!r}, and Cargo.toml says {self.product.version}")
            return program.file.resolve()
        raise Failure("none of the programs runs on this machine: give one of it too, which prints the manual pages")


def run(program, *words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    try:
        main()
    except (Failure, subprocess.CalledProcessError, tomllib.TOMLDecodeError, OSError) as error:
        sys.exit(f"build.py: {error}")
