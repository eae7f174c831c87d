"""Wheels that carry the program as a script, so that `pip`, `pipx run tersed` and `uvx tersed` have it on the path.

They hold no module: the package that Python imports as `tersed` is the client, `tersed-client`.
"""

import base64
import hashlib

from archives import zipped
from common import ROOT


def build(product, programs, _pages, out, _work):
    for program in programs:
        path = out / f"{product.name}-{product.version}-py3-none-{program.target.wheel}.whl"
        path.write_bytes(zipped(files(product, program)))
        yield path


def files(product, program):
    stem = f"{product.name}-{product.version}"
    about = f"{stem}.dist-info"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in program.target.wheel.split("."))
    content = [
        (f"{stem}.data/scripts/{program.target.file}", program.bytes(), 0o755),
        (f"{about}/METADATA", metadata(product).encode(), 0o644),
        (f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tersed\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{about}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
    ]
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data, _ in content]
    record = "\n".join([*rows, f"{about}/RECORD,,", ""])
    return [*content, (f"{about}/RECORD", record.encode(), 0o644)]


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def metadata(product):
    head = [
        "Metadata-Version: 2.4",
        f"Name: {product.name}",
        f"Version: {product.version}",
        f"Summary: {product.description}",
        f"Author: {', '.join(product.authors)}",
        f"License-Expression: {product.license}",
        "License-File: LICENSE",
        f"Keywords: {','.join(product.keywords)}",
        f"Project-URL: Source, {product.repository}",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text("utf-8")
