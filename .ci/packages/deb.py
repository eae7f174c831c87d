"""Debian packages, with manual pages and completions in the folders of Debian."""

import os
import subprocess

from common import MOMENT_SECONDS, ROOT, Compression, gzipped, put


def build(product, programs, pages, out, work):
    for program in programs:
        if not program.target.deb:
            continue
        folder = work / "deb" / program.target.triple
        lay_out(product, program, pages, folder)
        path = out / f"{product.name}_{product.version}-1_{program.target.deb}.deb"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(MOMENT_SECONDS)}
        how = ["-Zxz"] if Compression.level > 1 else ["-Zgzip", "-z1"]
        command = ["dpkg-deb", "--build", "--root-owner-group", *how, str(folder), str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        yield path


def lay_out(product, program, pages, folder):
    put(folder / "usr/bin/tersed", program.bytes(), executable=True)
    made = pages.folder()
    for page in sorted((made / "man").iterdir()):
        put(folder / f"usr/share/man/man1/{page.name}.gz", gzipped(page.read_bytes()))
    for file, place in [
        ("tersed.bash", "usr/share/bash-completion/completions/tersed"),
        ("_tersed", "usr/share/zsh/vendor-completions/_tersed"),
        ("tersed.fish", "usr/share/fish/vendor_completions.d/tersed.fish"),
    ]:
        put(folder / place, (made / "completions" / file).read_bytes())
    documents = folder / "usr/share/doc/tersed"
    put(documents / "changelog.gz", gzipped((ROOT / "CHANGELOG.md").read_bytes()))
    put(documents / "copyright", rights(product))
    kibibytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024 + 1
    put(folder / "DEBIAN/control", control(product, program.target, kibibytes))
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def rights(product):
    terms = (ROOT / "LICENSE").read_text("utf-8")
    license = "".join(f" {line}\n" if line.strip() else " .\n" for line in terms.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Source: {product.repository}\n\n"
        f"Files: *\nCopyright: {', '.join(product.authors)}\n"
        f"License: {product.license.replace(' OR ', ' or ')}\n{license}"
    )


def control(product, target, kibibytes):
    # A static program has no dependencies.
    needs = "Depends: libc6\n" if target.triple.endswith("-gnu") else ""
    return (
        f"Package: {product.name}\n"
        f"Version: {product.version}-1\n"
        f"Architecture: {target.deb}\n"
        f"Maintainer: {product.authors[0]}\n"
        f"Installed-Size: {kibibytes}\n"
        f"{needs}"
        "Section: utils\n"
        "Priority: optional\n"
        f"Homepage: {product.repository}\n"
        f"Description: {product.description}\n"
        " An agent host gives it the results of tools, and gets texts that cost fewer\n"
        " tokens, with evidence of every change. The originals can be read back.\n"
    )
