#!/usr/bin/env python3
"""Module docs: with a def inside

def not_one():
"""
from __future__ import annotations

import os
from typing import (
    Any,
    Iterable,
)

LIMIT = 10
NAMES: dict[str, int] = {
    "a": 1,
    "b": 2,
}
PATTERN = r'''
def nor_this(self):
'''

try:
    import json
except ImportError:
    json = None


def cached(maxsize=128, *, typed: bool = False):
    """
    Decorates.
    """
    def outer(fn):
        def inner(*args):
            return fn(*args)
        return inner
    return outer


# A comment about the class.
@dataclass(
    frozen=True,
)
class Thing(Base, metaclass=Meta):
    '''A thing: with colons.'''

    kind = "thing"
    size: int = 0

    def __init__(
        self,
        name: str = "a:b",  # not: the end
        options: dict[str, Any] = {"x": [1, 2]},
    ) -> None:
        self.name = name
        text = f"{name!r:>{10}}"

    @property
    def title(self) -> str: return self.name

    @staticmethod
    async def load(path): # comment
        # not a docstring
        async with open(path) as f:
            return await f.read()

    class Meta:
        ordering = ["name"]


def broken(a, b:
    return a

def after(): pass

if os.name == "nt":
    def only_there():
        return 1

if __name__ == "__main__":
    main()

def carried():
    warn("a string \
          that goes on", stacklevel=2)

def after_carried():
    pass
