"""What a confined program sees of this machine (the interpreter, its libraries, five variables),
the command line that leads into each isolation, and the order that is read there.
"""

import glob
import json
import os
import secrets
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from assay.sandbox.confined import new_root, processes
from assay.sandbox.confined.begin import LENGTH
from assay.sandbox.shapes import Isolation, Program

WORK = "/sandbox"
STARTER = Path(__file__).parent / "confined"
# Beyond what people, packages and systemd give numbers to.
_SPARE_USERS = range(41_000, 60_000)


class View(NamedTuple):
    """`shown`: real place and place inside, read-only. `links`: name inside and where it leads."""

    shown: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]


def base_python() -> str:
    """The interpreter behind the virtual environment: the standard library and nothing else."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def environment(work: str) -> dict[str, str]:
    places = {"PATH": "/usr/bin:/bin", "HOME": work, "TMPDIR": work}
    # Python's own threads take 64 MB of address space each where malloc may have as many arenas.
    return {**places, "LANG": "C.UTF-8", "TZ": "UTC", "MALLOC_ARENA_MAX": "2"}


def view() -> View:
    """What the interpreter needs to run, at the places where it looks for it."""
    wanted = [
        *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nix/store"),
        base_python(),
        os.path.join(sys.base_prefix, "lib"),
        sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}),
        sysconfig.get_path("platstdlib", vars={"platbase": sys.base_exec_prefix}),
        *glob.glob("/usr/local/lib/libpython*"),
    ]
    # A prefix may lead through links, and libraries may be looked for along either way.
    wanted += [os.path.realpath(path) for path in wanted]
    links, shown = {"/tmp": WORK, "/dev/shm": WORK}, set()
    for path in wanted:
        if os.path.islink(path) and path.count("/") == 1:
            links[path] = os.readlink(path)
        elif os.path.exists(path):
            shown.add(path)
    # /usr/lib shows all that is in it; so short ones first, and none within another.
    outermost: list[str] = []
    for path in sorted(shown, key=len):
        if not any(path == each or path.startswith(each + "/") for each in outermost):
            outermost.append(path)
    etc = [(str(file), f"/etc/{file.name}") for file in sorted((STARTER / "etc").iterdir())]
    return View(
        shown=(*((os.path.realpath(path), path) for path in outermost), *etc),
        # An interpreter may lie in /tmp, which is then no link.
        links=tuple(
            (name, target)
            for name, target in links.items()
            if not any(path.startswith(name + "/") for path in outermost)
        ),
    )


def user_to_become() -> int | None:
    """Nobody's number, where we are root: a limit of processes does not bind root."""
    if os.geteuid() != 0:
        return None
    for _ in range(100):
        number = secrets.choice(_SPARE_USERS)
        if _is_free(number):
            return number
    return new_root.NOBODY


def _is_free(number: int) -> bool:
    """A container may have fewer users than the machine around it."""
    import pwd  # Windows has none, and must be able to import this module

    with suppress(FileNotFoundError), open("/proc/self/uid_map", encoding="ascii") as file:
        mapped = [[int(word) for word in line.split()] for line in file]
        if not any(first <= number < first + count for first, _, count in mapped):
            return False
    with suppress(KeyError):
        return not pwd.getpwuid(number)
    return processes.threads_of_user(number) == 0


def processes_besides(*, alone: bool) -> int:
    """How many of this user's threads count against a limit of processes. In a user namespace the
    kernel counts afresh since 5.14.
    """
    user = os.geteuid()
    if user == 0:
        return 0
    release = os.uname().release.split("-")[0].split(".")
    if alone and tuple(int(part) for part in release[:2] if part.isdigit()) >= (5, 14):
        return 0
    return processes.threads_of_user(user)


# Far more than any answer needs; each costs the kernel about a kilobyte that no limit counts.
ENTRIES = 10_000
_START = "import sys; sys.path.append({folder!r}); from confined.begin import main; main()"
_STARTER_INSIDE = "/starter"
MB = 1 << 20


def write_command(
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
        if name not in parents:  # a package may be installed below /tmp
            words += ["--symlink", target, name]
    words += ["--proc", "/proc"]
    words += ["--perms", "0700" if user is None else "0777"]
    words += ["--size", str(program.limits.folder_mb * MB), "--tmpfs", WORK]
    return [*words, "--remount-ro", "/", "--chdir", WORK]


def write_order(
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
    # Root's own may lie in root's home, where another user cannot look.
    others = ("/usr/local/bin/python3", "/usr/bin/python3") if unprivileged else ()
    return (base_python(), *(os.path.realpath(path) for path in others if os.path.exists(path)))
