"""How the server is found, started, and started again."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import BinaryNotFound
from .protocol import Options


@dataclass(frozen=True)
class Backoff:
    """Seconds between a failure and the next start.

    A server that ended after it had been ready is started again at once; each further failure
    doubles the delay. A server that ran for `stable` seconds resets the count.
    """

    initial: float = 0.2
    factor: float = 2.0
    maximum: float = 30.0
    stable: float = 30.0

    def delay(self, failures: int) -> float:
        """Seconds to wait after `failures` failures in a row; 0 after the first."""
        if failures < 2:
            return 0.0
        return float(min(self.maximum, self.initial * self.factor ** min(failures - 2, 64)))


@dataclass(frozen=True)
class Launch:
    """How to run the server.

    `command` is a path or name, or the words of a whole command; without it, `find_binary`
    searches for it. `arguments` follow it. `options` becomes
    `initializationOptions.tersed`. `stderr` is passed to `subprocess.Popen`.
    """

    command: str | os.PathLike[str] | Sequence[str] | None = None
    arguments: Sequence[str] = ()
    env: Mapping[str, str] | None = None
    cwd: str | os.PathLike[str] | None = None
    stderr: Any = None
    options: Options = field(default_factory=Options)
    start_timeout: float = 10.0
    backoff: Backoff = Backoff()
    on_notification: Callable[[str, Any], None] | None = None

    def argv(self) -> list[str]:
        """The whole command line.

        Raises `BinaryNotFound`, which names the places that were searched.
        """
        if self.command is None or isinstance(self.command, (str, os.PathLike)):
            return [find_binary(self.command, self.env), *self.arguments]
        if not self.command:
            raise BinaryNotFound("the command is empty; it needs at least a program")
        first, *rest = self.command
        return [find_binary(first, self.env), *rest, *self.arguments]


def find_binary(
    given: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None
) -> str:
    """The path of the `tersed` to run.

    The given one, else that of `TERSED_BIN`, else that of the package `tersed` if it is installed
    for this Python, else `tersed` from `PATH`.
    """
    env = os.environ if env is None else env
    for source, name in (("the argument", given), ("TERSED_BIN", env.get("TERSED_BIN"))):
        if name:
            found = shutil.which(os.fspath(name), path=env.get("PATH"))
            if found is None:
                raise BinaryNotFound(f"{source} names {os.fspath(name)!r}, which is no program")
            return found
    found = _of_package() or shutil.which("tersed", path=env.get("PATH"))
    if found is None:
        raise BinaryNotFound(
            "no package tersed for this Python and no tersed on PATH; give its path or set TERSED_BIN"
        )
    return found


def _of_package() -> str | None:
    """The program of the wheel `tersed`, even if its folder of scripts is not on `PATH`."""
    try:
        package = metadata.distribution("tersed")
    except metadata.PackageNotFoundError:
        return None
    for file in package.files or ():
        if file.name in ("tersed", "tersed.exe"):
            path = str(package.locate_file(file))
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return os.path.abspath(path)
    return None
