"""What crosses the sandbox's border: a program, its limits, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

Isolation = Literal["bubblewrap", "namespaces", "weak"]
Ended = Literal["exited", "signalled", "time", "cpu", "memory", "output", "not_started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use. `memory_mb`, `cpu_s` and `folder_mb` hold for all its processes
    together, `output_bytes` for both streams together, `file_mb` for one file.
    """

    cpu_s: int = 10
    wall_s: float = 20
    memory_mb: int = 512
    file_mb: int = 16
    folder_mb: int = 64
    processes: int = 32
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Files in an otherwise empty folder, and what is after the interpreter: ("worker.py",).
    Python starts isolated (`-I -S`), in the folder, which is not on `sys.path`. `shown`: folders of
    this machine that it may read, at their own places.
    """

    files: Mapping[str, str | bytes]
    arguments: tuple[str, ...]
    stdin: bytes = b""
    limits: Limits = field(default_factory=Limits)
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.files:
            parts = PurePosixPath(name).parts
            if not parts or name.startswith("/") or ".." in parts or "\0" in name:
                raise ValueError(f"{name!r} does not name a file in the program's own folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of a program, all of it hostile input. `ended` names the limit that ended it:
    `time` is wall-clock time, `output` what it printed, or wrote where the kernel keeps no such
    limit. `not_started`: `stderr` says why. `cut`: the streams are not whole.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    ended: Ended
    seconds: float
    cut: bool
