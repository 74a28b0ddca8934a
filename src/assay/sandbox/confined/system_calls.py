"""The calls to the kernel that Python has no function for, by ctypes. Linux only.

On another system every call is an OSError that names the call.
"""

import ctypes
import errno
import os
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
NAMESPACES = (
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
)  # but for that of users

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

# Calls that came after 2019 have one number on all architectures; these two have no other wrapper.
_MOUNT_SETATTR = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_ATTR_RDONLY = 0x1
_ATTR_NOSUID = 0x2
_ATTR_NODEV = 0x4

_AF_INET, _SOCK_DGRAM = 2, 2
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1


def _call(name: str, *arguments: object) -> int:
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    result = int(function(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def unshare(flags: int) -> None:
    _call("unshare", ctypes.c_int(flags))


def prctl(option: int, value: int, third: object = 0) -> None:
    third, nothing = third or ctypes.c_ulong(0), ctypes.c_ulong(0)
    _call("prctl", ctypes.c_int(option), ctypes.c_ulong(value), third, nothing, nothing)


def seccomp(instructions: bytes) -> None:
    """Let the kernel ask this BPF program about every later call."""
    code = ctypes.create_string_buffer(instructions, len(instructions))
    program = struct.pack("HxxxxxxP", len(instructions) // 8, ctypes.addressof(code))
    prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(program, len(program)))


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    try:
        _call(
            "mount",
            os.fsencode(source),
            os.fsencode(target),
            os.fsencode(kind),
            ctypes.c_ulong(flags),
            os.fsencode(data) or None,
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"mount {target}") from error


def make_read_only(target: str, *, recursive: bool) -> None:
    """A mount, and those beneath it, cannot be written any more, nor give rights or devices."""
    attributes = struct.pack("QQQQ", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    _call(
        "syscall",
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE if recursive else 0),
        ctypes.create_string_buffer(attributes, len(attributes)),
        ctypes.c_size_t(len(attributes)),
    )


def unmount(target: str) -> None:
    """Take a mount away with all beneath it, though it may be in use."""
    _call("umount2", os.fsencode(target), ctypes.c_int(MNT_DETACH))


def pivot_root(new: str, old: str) -> None:
    """`new` becomes the root; the old one is then found at `old`."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "pivot_root")
    _call("syscall", ctypes.c_long(number), os.fsencode(new), os.fsencode(old))


def set_host_name(name: str) -> None:
    _call("sethostname", name.encode(), ctypes.c_size_t(len(name)))


def bring_up_loopback() -> None:
    """A new network has a loopback device that is down."""
    import fcntl  # Windows has none, and must be able to import this module

    # Not by the module socket, which takes 15 ms to load.
    asked = _call("socket", ctypes.c_int(_AF_INET), ctypes.c_int(_SOCK_DGRAM), ctypes.c_int(0))
    try:
        name = b"lo".ljust(16, b"\0")
        answer = fcntl.ioctl(asked, _SIOCGIFFLAGS, name + bytes(24))
        (flags,) = struct.unpack_from("H", answer, 16)
        fcntl.ioctl(asked, _SIOCSIFFLAGS, name + struct.pack("H", flags | _IFF_UP) + bytes(22))
    finally:
        os.close(asked)
