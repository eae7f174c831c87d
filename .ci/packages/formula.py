"""A Homebrew formula that takes the archives of a release, with their checksums."""

import archives
from common import Failure, sum_of


def build(product, programs, pages, out, work):
    usable = [program for program in programs if program.target.brew]
    if not usable:
        triples = ", ".join(program.target.triple for program in programs)
        raise Failure(f"formula: Homebrew takes programs for macOS and static ones for Linux, not {triples}")
    for program in usable:
        if not (out / archives.name(product, program.target)).is_file():
            list(archives.build(product, [program], pages, out, work))
    path = out / "tersed.rb"
    path.write_text(text(product, usable, out), "utf-8")
    yield path


def text(product, programs, out):
    lines = [
        "class Tersed < Formula",
        f'  desc "{product.description}"',
        f'  homepage "{product.repository}"',
        f'  version "{product.version}"',
        f"  license any_of: [{', '.join(repr_ruby(part) for part in product.license.split(' OR '))}]",
    ]
    for system in ("on_macos", "on_linux"):
        blocks = []
        for program in programs:
            if program.target.brew[0] != system:
                continue
            archive = archives.name(product, program.target)
            blocks += [
                f"    {program.target.brew[1]} do",
                f'      url "{product.repository}/releases/download/v{product.version}/{archive}"',
                f'      sha256 "{sum_of(out / archive)}"',
                "    end",
            ]
        if blocks:
            lines += ["", f"  {system} do", *blocks, "  end"]
    lines += [
        "",
        "  def install",
        '    bin.install "tersed"',
        '    man1.install Dir["man/*.1"]',
        '    bash_completion.install "completions/tersed.bash" => "tersed"',
        '    zsh_completion.install "completions/_tersed"',
        '    fish_completion.install "completions/tersed.fish"',
        "  end",
        "",
        "  test do",
        '    assert_equal "tersed #{version}", shell_output("#{bin}/tersed --version").strip',
        '    assert_equal "hello\\n", pipe_output("#{bin}/tersed compress", "hello\\n", 0)',
        "  end",
        "end",
        "",
    ]
    return "\n".join(lines)


def repr_ruby(word):
    return f'"{word}"'
