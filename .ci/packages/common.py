"""Shared by all packages: the product by Cargo.toml, the targets, and the programs for them."""

import gzip
import hashlib
import shutil
import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The time of every file in a package, so that a package depends only on its content: the earliest time that zip supports.
MOMENT = (1980, 1, 1, 0, 0, 0)
MOMENT_SECONDS = 315532800


class Compression:
    """The compression level of gzip and zip, from 1 to 9."""

    level = 9


class Failure(Exception):
    """An error message for the user, in one line."""


@dataclass(frozen=True)
class Product:
    """The product as Cargo.toml describes it."""

    name: str
    version: str
    description: str
    license: str
    repository: str
    authors: list
    keywords: list

    @staticmethod
    def read():
        package = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["package"]
        names = ("name", "version", "description", "license", "repository", "authors", "keywords")
        return Product(**{name: package[name] for name in names})


@dataclass(frozen=True)
class Target:
    """A kind of machine, and its name in each kind of package."""

    triple: str
    system: str  # as Python says it, in lower case
    machines: tuple  # likewise
    header: bytes  # of a program for it, with the machine's number
    npm: tuple  # os, cpu
    wheel: str
    deb: str = ""
    brew: tuple = ()  # on_macos or on_linux, on_arm or on_intel
    file: str = "tersed"
    is_built_by_default: bool = False  # by `cargo build` on such a machine

    @property
    def is_published(self):
        """Whether a release includes it."""
        return not self.triple.endswith("-gnu")

    def is_of(self, system, machine):
        return self.system == system and machine in self.machines


X86_64, ARM64 = ("x86_64", "amd64"), ("arm64", "aarch64")
# Programs for Linux that are published are static, so one runs on every distribution. One that cargo linked against the
# C library of this machine makes packages for this machine only.
_TARGETS = [
    Target(
        "x86_64-unknown-linux-musl", "linux", X86_64, b"elf:62", ("linux", "x64"),
        "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "amd64", ("on_linux", "on_intel"),
    ),
    Target(
        "aarch64-unknown-linux-musl", "linux", ARM64, b"elf:183", ("linux", "arm64"),
        "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "arm64", ("on_linux", "on_arm"),
    ),
    Target("x86_64-apple-darwin", "darwin", X86_64, b"macho:16777223", ("darwin", "x64"), "macosx_10_12_x86_64",
           brew=("on_macos", "on_intel"), is_built_by_default=True),
    Target("aarch64-apple-darwin", "darwin", ARM64, b"macho:16777228", ("darwin", "arm64"), "macosx_11_0_arm64",
           brew=("on_macos", "on_arm"), is_built_by_default=True),
    Target("x86_64-pc-windows-msvc", "windows", X86_64, b"pe:34404", ("win32", "x64"), "win_amd64",
           file="tersed.exe", is_built_by_default=True),
    Target("x86_64-pc-windows-gnu", "windows", X86_64, b"pe:34404", ("win32", "x64"), "win_amd64", file="tersed.exe"),
    Target("x86_64-unknown-linux-gnu", "linux", X86_64, b"elf:62", ("linux", "x64"), "linux_x86_64", "amd64",
           is_built_by_default=True),
    Target("aarch64-unknown-linux-gnu", "linux", ARM64, b"elf:183", ("linux", "arm64"), "linux_aarch64", "arm64",
           is_built_by_default=True),
]
TARGETS = {target.triple: target for target in _TARGETS}


@dataclass(frozen=True)
class Program:
    """A program for a target."""

    target: Target
    file: Path

    def checked(self):
        """This program, if its header is that of its target."""
        if not self.file.is_file():
            raise Failure(f"{self.file} is no file")
        with self.file.open("rb") as opened:
            found = header(opened.read(4096))
        if found != self.target.header:
            raise Failure(f"{self.file} is no program for {self.target.triple}")
        return self

    def bytes(self):
        return self.file.read_bytes()


def header(start):
    """The format of a program and the number of its machine."""
    if start[:6] == b"\x7fELF\x02\x01":
        return b"elf:%d" % struct.unpack_from("<H", start, 18)
    if start[:4] == b"\xcf\xfa\xed\xfe":
        return b"macho:%d" % struct.unpack_from("<I", start, 4)
    if start[:2] == b"MZ" and len(start) > 64:
        at = struct.unpack_from("<I", start, 60)[0]
        if start[at : at + 4] == b"PE\0\0" and len(start) >= at + 6:
            return b"pe:%d" % struct.unpack_from("<H", start, at + 4)
    return b""


def put(path, content, executable=False):
    """Writes a file of a package, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o755 if executable else 0o644)


def put_tree(source, target):
    shutil.copytree(source, target, dirs_exist_ok=True)


def gzipped(content):
    return gzip.compress(content, Compression.level, mtime=0)


def sum_of(path):
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_sums(out):
    """SHA256SUMS of everything in the folder, as `sha256sum --check` reads it."""
    files = sorted(path for path in out.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    (out / "SHA256SUMS").write_text("".join(f"{sum_of(path)}  {path.name}\n" for path in files), "utf-8")
