"""Which system calls the confined program may not make: a seccomp filter.

It holds for this process and all that it starts. On an architecture whose numbers are not here,
nothing is laid on.

Forbidden is what an ordinary program never needs and what would go round a limit: namespaces of its
own (a file system in memory without our size), memory that belongs to no process (memfd, System V,
message queues), counts that all of the machine shares (asynchronous I/O), other processes' memory,
the kernel's log, and parts of the kernel that were often broken into.

Of sockets there are those that a network namespace holds: one to the host of a virtual machine
(AF_VSOCK), to name one that it does not, would lead out of it. Requests for longer queues are
heard and not granted: they are memory that belongs to no process.
"""

import errno
import os
import struct

from . import system_calls as kernel

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# name: (x86_64, aarch64), from the kernel's tables of system calls
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6; AF_NETLINK, by which names are looked up
_SETSOCKOPT = (54, 208)
_SOL_SOCKET = 1
_QUEUES = (7, 8)  # SO_SNDBUF, SO_RCVBUF
_FORBIDDEN = {
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "ptrace": (101, 117),
    "syslog": (103, 116), "io_setup": (206, 0), "mq_open": (240, 180), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "unshare": (272, 97),
    "perf_event_open": (298, 241), "fanotify_init": (300, 262), "setns": (308, 268),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "memfd_create": (319, 279),
    "bpf": (321, 280), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "pidfd_getfd": (438, 438), "memfd_secret": (447, 447),
}  # fmt: skip

_LOAD, _AND_JUMP_IF_EQUAL, _AND_JUMP_IF_NOT_BELOW, _AND_JUMP_IF_BITS, _RETURN = (
    0x20,  # BPF_LD | BPF_W | BPF_ABS
    0x15,  # BPF_JMP | BPF_JEQ | BPF_K
    0x35,  # BPF_JMP | BPF_JGE | BPF_K
    0x45,  # BPF_JMP | BPF_JSET | BPF_K
    0x06,  # BPF_RET | BPF_K
)
# Offsets in struct seccomp_data; of arguments the low half on little-endian machines.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 24, 32
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_DO_NOTHING = _ERROR  # number 0: the call says that all went well


def lay_on() -> None:
    """From here on; there is no way back."""
    machine = os.uname().machine
    if machine in _ARCHITECTURES:
        kernel.seccomp(_assembled(machine))


def _assembled(machine: str) -> bytes:
    column = list(_ARCHITECTURES).index(machine)
    refused = _ERROR | errno.EPERM
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_AND_JUMP_IF_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        *_answer_if(_AND_JUMP_IF_NOT_BELOW, _X32_BIT, refused),
        # The C library falls back to clone, whose flags can be looked at.
        *_answer_if(_AND_JUMP_IF_EQUAL, _CLONE3[column], _ERROR | errno.ENOSYS),
    ]
    for numbers in _FORBIDDEN.values():
        steps += _answer_if(_AND_JUMP_IF_EQUAL, numbers[column], refused)
    steps += _only_for(
        _SOCKET[column],
        _step(_LOAD, _FIRST_ARGUMENT),
        *(step for one in _FAMILIES for step in _answer_if(_AND_JUMP_IF_EQUAL, one, _ALLOW)),
        _step(_RETURN, _ERROR | errno.EAFNOSUPPORT),
    )
    steps += _only_for(
        _SETSOCKOPT[column],
        _step(_LOAD, _SECOND_ARGUMENT),
        _step(_AND_JUMP_IF_EQUAL, _SOL_SOCKET, 1, 0),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, _THIRD_ARGUMENT),
        *(step for one in _QUEUES for step in _answer_if(_AND_JUMP_IF_EQUAL, one, _DO_NOTHING)),
        _step(_RETURN, _ALLOW),
    )
    steps += [
        _step(_AND_JUMP_IF_EQUAL, _CLONE[column], 1, 0),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, _FIRST_ARGUMENT),
        *_answer_if(_AND_JUMP_IF_BITS, kernel.NAMESPACES | kernel.CLONE_NEWUSER, refused),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def _only_for(number: int, *steps: bytes) -> list[bytes]:
    """Steps for one call, which end with an answer; for others the number stays loaded."""
    return [_step(_AND_JUMP_IF_EQUAL, number, 0, len(steps)), *steps]


def _answer_if(test: int, value: int, answer: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, answer)]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
