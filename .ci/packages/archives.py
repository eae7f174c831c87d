"""Archives of a release: the program with its manual pages and completions; `cargo binstall` and the formula fetch them."""

import io
import tarfile
import zipfile

from common import MOMENT, MOMENT_SECONDS, ROOT, Compression, gzipped


def stem(product, target):
    return f"{product.name}-{product.version}-{target.triple}"


def name(product, target):
    return stem(product, target) + (".zip" if target.system == "windows" else ".tar.gz")


def build(product, programs, pages, out, _work):
    for program in programs:
        content = files(product, program, pages)
        path = out / name(product, program.target)
        path.write_bytes(zipped(content) if path.suffix == ".zip" else tarred(content))
        yield path


def files(product, program, pages):
    """Names, contents and modes, in one folder."""
    top = stem(product, program.target)
    yield f"{top}/{program.target.file}", program.bytes(), 0o755
    for page in ("README.md", "CHANGELOG.md", "LICENSE"):
        yield f"{top}/{page}", (ROOT / page).read_bytes(), 0o644
    folder = pages.folder()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield f"{top}/{path.relative_to(folder).as_posix()}", path.read_bytes(), 0o644


def tarred(content):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, data, mode in content:
            about = tarfile.TarInfo(path)
            about.size, about.mode, about.mtime = len(data), mode, MOMENT_SECONDS
            archive.addfile(about, io.BytesIO(data))
    return gzipped(plain.getvalue())


def zipped(content):
    """A zip archive; wheels are zip archives, too."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=Compression.level) as archive:
        for path, data, mode in content:
            about = zipfile.ZipInfo(path, MOMENT)
            about.external_attr = (0o100000 | mode) << 16
            about.create_system = 3  # Unix: otherwise the mode is not read
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, data)
    return out.getvalue()
