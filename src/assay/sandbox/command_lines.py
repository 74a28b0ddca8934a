"""The command line that leads into each isolation, and the order that is read there."""

from __future__ import annotations

import json
import os
from pathlib import PurePosixPath

from assay.sandbox.confined import new_root
from assay.sandbox.confined.begin import LENGTH
from assay.sandbox.shapes import Isolation, Program
from assay.sandbox.surroundings import (
    STARTER,
    WORK,
    View,
    base_python,
    environment,
    processes_besides,
)

# Far more than any answer needs; each costs the kernel about a kilobyte that no limit counts.
ENTRIES = 10_000
_START = "import sys; sys.path.append({folder!r}); from confined.begin import main; main()"
_STARTER_INSIDE = "/starter"
MB = 1 << 20


def command(
    isolation: Isolation, program: Program, seen: View, *, user: int | None, bwrap: str
) -> list[str]:
    """Up to the numbers of the two pipes, which follow as the last words."""
    folder = _STARTER_INSIDE if isolation == "bubblewrap" else str(STARTER.parent)
    start = [base_python(), "-I", "-S", "-c", _START.format(folder=folder)]
    if isolation != "bubblewrap":
        return start
    return [bwrap, *_bubblewrap(program, seen, user), "--", *start]


def _bubblewrap(program: Program, seen: View, user: int | None) -> list[str]:
    words = ["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "sandbox"]
    words += [f"--unshare-{space}" for space in ("pid", "net", "ipc", "uts", "cgroup-try")]
    if user is None:
        nobody = str(new_root.NOBODY)
        words += ["--unshare-user", "--uid", nobody, "--gid", nobody]
    else:
        # Root needs no user namespace, in which the program would be root to the kernel and no
        # limit of processes would bind it. The starter keeps what it needs to become the user.
        words += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    # Left to itself it makes folders that only their owner can enter.
    parents = {str(each) for _, path in seen.shown for each in PurePosixPath(path).parents}
    for folder in sorted(parents - {"/"} | {"/dev"}):
        words += ["--perms", "0755", "--dir", folder]
    for source, target in seen.shown:
        words += ["--ro-bind", source, target]
    words += ["--ro-bind", str(STARTER), f"{_STARTER_INSIDE}/confined"]
    # Not --dev: that is a second file system in memory, with no limit.
    for device in new_root.DEVICES:
        words += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for name, target in seen.links:
        words += ["--symlink", target, name]
    words += ["--proc", "/proc"]
    words += ["--perms", "0700" if user is None else "0777"]
    words += ["--size", str(program.limits.folder_mb * MB), "--tmpfs", WORK]
    return [*words, "--remount-ro", "/", "--chdir", WORK]


def order(
    isolation: Isolation,
    program: Program,
    seen: View,
    *,
    user: int | None,
    work: str,
    python: str,
    mark: str,
) -> bytes:
    """Length, order and files, as `confined.begin` reads them."""
    limits = program.limits
    files = {name: _bytes(content) for name, content in program.files.items()}
    # The starter itself counts where it is the same user; and one more where it is bubblewrap's.
    others = 2 + processes_besides(alone=isolation != "weak") if user is None else 0
    said = {
        "isolation": isolation,
        "user": user,
        "python": python,
        "arguments": program.arguments,
        "environment": {**environment(work), **({"ASSAY_SANDBOX": mark} if mark else {})},
        "work": work,
        "files": [[name, len(content)] for name, content in files.items()],
        "shown": seen.shown,
        "links": seen.links,
        "cpu_s": limits.cpu_s,
        "memory_bytes": limits.memory_mb * MB,
        "file_bytes": limits.file_mb * MB,
        "folder_bytes": limits.folder_mb * MB,
        "entries": ENTRIES,
        "processes": limits.processes + others,
    }
    text = json.dumps(said).encode("utf-8")
    return b"".join([LENGTH.pack(len(text)), text, *files.values()])


def _bytes(content: str | bytes) -> bytes:
    """An answer may hold halves of surrogate pairs, which no encoding has."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def nearest_python(*, unprivileged: bool) -> tuple[str, ...]:
    """Interpreters to try without a file system of our own, the best first."""
    if not unprivileged:
        return (base_python(),)
    # Root's own may lie in root's home, where another user cannot look.
    places = ("/usr/local/bin", "/usr/bin")
    others = (os.path.join(place, "python3") for place in places)
    return (base_python(), *(os.path.realpath(path) for path in others if os.path.exists(path)))
