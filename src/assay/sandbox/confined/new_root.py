"""Namespaces of our own, and a root folder in which only the interpreter is to be seen.

This process becomes number 1 of a new process namespace, with no network but loopback.
Root makes the namespaces as root, and the program is another user. Anybody else makes a user
namespace first, in which they are nobody and may do the same.
"""

import os
import signal
from typing import Any

from . import system_calls as kernel

NOBODY = 65534
DEVICES = ("null", "zero", "full", "random", "urandom")
_OLD = "/before"


def enter(order: dict[str, Any], handed_on: tuple[int, ...]) -> None:
    """Returns in the new process only. The old one closes what it handed on, and waits for it."""
    _unshare()
    child = os.fork()
    if child:
        for number in (0, 1, 2, *handed_on):
            os.close(number)
        os.waitpid(child, 0)
        os._exit(0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.bring_up_loopback()
    kernel.set_host_name("sandbox")
    _build(order)


def _unshare() -> None:
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        kernel.unshare(kernel.NAMESPACES)
        return
    kernel.unshare(kernel.NAMESPACES | kernel.CLONE_NEWUSER)
    # The kernel lets nobody map a group who could still give up others by setgroups.
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{NOBODY} {user} 1")
    _write("/proc/self/gid_map", f"{NOBODY} {group} 1")


def _build(order: dict[str, Any]) -> None:
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    base = next(folder for folder in ("/tmp", "/mnt", "/run") if os.path.isdir(folder))
    quiet = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", base, "tmpfs", quiet, "mode=0755,size=1m,nr_inodes=2k")
    os.chdir(base)
    os.mkdir(_OLD.strip("/"))
    kernel.pivot_root(".", _OLD.strip("/"))
    os.chdir("/")
    for source, target in order["shown"]:
        _bind(_OLD + source, target)
        kernel.make_read_only(target, recursive=True)
    for device in DEVICES:
        _bind(f"{_OLD}/dev/{device}", f"/dev/{device}")
    for link, target in order["links"]:
        os.symlink(target, link)
    # Before the old root goes: the kernel gives a new /proc only to those who see a whole one.
    os.mkdir("/proc")
    kernel.mount("proc", "/proc", "proc", quiet | kernel.MS_NOEXEC)
    work, user = order["work"], order["user"]
    os.mkdir(work)
    options = f"mode=0700,size={order['folder_bytes']},nr_inodes={order['entries']}"
    kernel.mount("tmpfs", work, "tmpfs", quiet, options)
    if user is not None:
        os.chown(work, user, user)
    kernel.unmount(_OLD)
    os.rmdir(_OLD)
    kernel.make_read_only("/", recursive=False)


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        _write(target, "")
    kernel.mount(source, target, flags=kernel.MS_BIND | kernel.MS_REC)


def _write(path: str, text: str) -> None:
    # In bytes: Python would look for the module of an encoding, which cannot be seen just now.
    with open(path, "wb") as file:
        file.write(text.encode())
