"""Finds the texts of a tool's result, and replaces them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STREAMS = ("stdout", "stderr", "output")
EXIT_CODES = ("exit_code", "returncode", "exitCode", "returnCode")


@dataclass(frozen=True)
class Shape:
    """Texts to compress, and a function that puts the compressed ones into the result."""

    content: str | list[Any]
    rebuild: Callable[[Any], Any]
    exit_code: int | None = None


def shape_of(value: Any) -> Shape | None:
    """The texts of a value, or `None` if it has none.

    They are a string, the strings and text parts of a list, or the output of a command (`stdout`,
    `stderr`, `output` of a `dict`). Everything else in the value is kept unchanged.
    """
    if isinstance(value, str):
        return Shape(value, lambda content: content)
    keys: list[Any]
    if isinstance(value, list):
        keys = [n for n, part in enumerate(value) if _text(part) is not None]
        texts = [_text(value[n]) or "" for n in keys]
    elif isinstance(value, dict):
        keys = [name for name in STREAMS if isinstance(value.get(name), str)]
        texts = [value[name] for name in keys]
    else:
        return None
    if not keys:
        return None

    def rebuild(content: Any) -> Any:
        copy = value.copy()
        new = [content] if isinstance(content, str) else [part["text"] for part in content]
        for key, text in zip(keys, new):
            old = value[key]
            copy[key] = {**old, "text": text} if isinstance(old, dict) else text
        return copy

    if len(texts) == 1:
        return Shape(texts[0], rebuild, _exit_code(value))
    return Shape([{"type": "text", "text": text} for text in texts], rebuild, _exit_code(value))


def _text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _exit_code(value: Any) -> int | None:
    if isinstance(value, dict):
        for name in EXIT_CODES:
            code = value.get(name)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    return None
