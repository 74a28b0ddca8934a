"""Real attack programs in every isolation: what they can use up, and what they leave behind."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.sandbox.conftest import opened_or_skipped, place_for_everybody, run

FORK_BOMB = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""

COUNT_FORKS = """
import os, sys, time
children = 0
try:
    while children < 200:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        children += 1
except OSError as error:
    print(children, error.errno)
"""


def test_a_fork_bomb_ends_at_its_limit_and_none_of_it_is_left(sandbox, token):
    ran = run(sandbox, FORK_BOMB, token, wall_s=1, cpu_s=5, processes=16)
    assert ran.ended in ("time", "cpu")
    assert token.processes() == []


def test_the_limit_of_processes_binds(sandbox, token):
    """As root it would not, if the program were root as well."""
    ran = run(sandbox, COUNT_FORKS, token, processes=8)
    children, error = map(int, ran.stdout.split())
    assert error == 11  # EAGAIN
    # The weak form of an ordinary user counts what else that user runs, which may end meanwhile.
    alone = sandbox.isolation != "weak" or os.geteuid() == 0
    assert 1 <= children <= (10 if alone else 199)
    assert ran.ended == "exited"
    assert token.processes() == []


FILL_THE_DISK = """
import errno, time
written = 0
try:
    for number in range(16):
        with open(f"{number}.bin", "wb", buffering=0) as file:
            for _ in range(3):
                written += file.write(bytes(1 << 20))
        print(written, flush=True)
    time.sleep(60)
except OSError as error:
    print(written, errno.errorcode[error.errno], flush=True)
"""


def test_a_disk_filler_gets_no_more_than_its_folder_may_hold(sandbox):
    ran = run(sandbox, FILL_THE_DISK, folder_mb=8, file_mb=4)
    last = ran.stdout.decode().split("\n")[-2].split()
    if sandbox.isolation == "weak":
        # Watched, not kept by the kernel: ended a moment later.
        assert ran.ended == "output"
    else:
        assert int(last[0]) <= 8 << 20
        assert last[1] == "ENOSPC"


def test_a_file_cannot_grow_beyond_its_limit(sandbox):
    text = "with open('big', 'wb', buffering=0) as f:\n while True: f.write(bytes(1 << 19))"
    ran = run(sandbox, text, file_mb=1)
    assert b"File too large" in ran.stderr
    assert ran.exit_code == 1


def test_files_without_number_are_refused_too(strong):
    """Each empty file costs the kernel memory that no limit on sizes counts."""
    text = """
import os
for number in range(1_000_000):
    os.mkdir(str(number))
"""
    ran = run(strong, text)
    assert ran.ended == "output" or b"No space left" in ran.stderr


def test_a_memory_bomb_is_refused_memory(sandbox):
    text = "all = []\nwhile True: all.append(bytearray(1 << 20))"
    ran = run(sandbox, text, memory_mb=100)
    assert ran.ended == "memory"


@pytest.mark.parametrize(
    "held",
    # The second is counted as shared with others, and is not.
    ['b"x" * (40 << 20)', "mmap.mmap(-1, 40 << 20); held[:] = bytes(40 << 20)"],
)
def test_a_memory_bomb_in_many_processes_is_ended(sandbox, token, held):
    text = f"""
import mmap, os, time
for _ in range(8):
    if os.fork() == 0:
        held = {held}
        time.sleep(60)
time.sleep(60)
"""
    ran = run(sandbox, text, token, memory_mb=120)
    assert ran.ended == "memory"
    assert token.processes() == []


FILL_SOCKETS = """
import socket, time
server = socket.create_server(("127.0.0.1", 0))
held = []
for _ in range(40):
    held += [socket.create_connection(server.getsockname()), server.accept()[0]]
    for one in held[-2:]:
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(1 << 16))
        except BlockingIOError:
            pass
time.sleep(60)
"""


def test_memory_in_the_queues_of_sockets_counts_too(strong):
    """It belongs to no process, and each socket may hold megabytes."""
    assert run(strong, FILL_SOCKETS, memory_mb=60).ended == "memory"


def test_a_socket_gets_no_longer_queue_than_usual(sandbox):
    text = """
import socket
one, _ = socket.socketpair()
before = [one.getsockopt(socket.SOL_SOCKET, kind) for kind in (7, 8)]
for kind in (7, 8):
    one.setsockopt(socket.SOL_SOCKET, kind, 100)
one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
assert [one.getsockopt(socket.SOL_SOCKET, kind) for kind in (7, 8)] == before
"""
    if os.uname().machine not in ("x86_64", "aarch64"):
        pytest.skip("no filter of system calls for this architecture")
    ran = run(sandbox, text)
    assert (ran.ended, ran.exit_code) == ("exited", 0), ran.stderr


GO_ROUND = """
import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "memfd": lambda: libc.memfd_create(b"x", 0),
    "shared memory": lambda: libc.shmget(0, 4096, 0o1600),
    "semaphores": lambda: libc.semget(0, 100, 0o1600),
    "asynchronous input": lambda: libc.syscall(NR_IO_SETUP, 1, ctypes.byref(ctypes.c_ulong(0))),
    "the kernel's log": lambda: libc.klogctl(10, None, 0),
    "user namespace": lambda: libc.unshare(0x10000000),
    "user namespace by clone": lambda: libc.syscall(NR_CLONE, 0x10000000 | 17, 0, 0, 0, 0),
    "ptrace": lambda: libc.ptrace(16, 1, 0, 0),
}
print(json.dumps({name: [call(), ctypes.get_errno()] for name, call in calls.items()}))
"""


def test_calls_that_go_round_the_limits_are_refused(sandbox):
    clone, io_setup = {"x86_64": (56, 206), "aarch64": (220, 0)}.get(os.uname().machine, (0, 0))
    if not clone:
        pytest.skip("no filter of system calls for this architecture")
    text = GO_ROUND.replace("NR_CLONE", str(clone)).replace("NR_IO_SETUP", str(io_setup))
    ran = run(sandbox, text)
    answers = json.loads(ran.stdout)
    assert len(answers) == 8
    assert answers == {name: [-1, 1] for name in answers}  # EPERM


def test_a_loop_without_end_is_ended_by_its_cpu_time(sandbox):
    ran = run(sandbox, "while True: pass", cpu_s=1)
    assert ran.ended == "cpu"
    assert ran.exit_code is None


@pytest.mark.parametrize("isolation", ["namespaces", "weak"])
def test_cpu_time_is_counted_over_all_processes(isolation, token):
    """Two that each stay below the limit are together beyond it."""
    sandbox = opened_or_skipped(isolation)
    text = """
import os, time
def burn():
    began = time.process_time()
    while time.process_time() - began < 0.7:
        pass
while True:
    if os.fork() == 0:
        burn()
        os._exit(0)
    os.wait()
"""
    ran = run(sandbox, text, token, cpu_s=1)
    assert ran.ended == "cpu"
    assert token.processes() == []


def test_cpu_time_of_children_that_nobody_waits_for_counts_too(token):
    """Of a child whose parent ignores its end, the kernel keeps no time."""
    text = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    child = os.fork()
    while child == 0 and time.process_time() < 0.4:
        pass
    if child == 0:
        os._exit(0)
    while os.path.exists(f"/proc/{child}"):
        time.sleep(0.01)
"""
    ran = run(opened_or_skipped("namespaces"), text, token, cpu_s=1)
    assert ran.ended == "cpu"


def test_a_program_that_sleeps_for_ever_and_ignores_every_signal_is_ended(sandbox, token):
    text = """
import signal, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True: time.sleep(3600)
"""
    ran = run(sandbox, text, token, wall_s=2)
    assert (ran.ended, ran.exit_code) == ("time", None)
    assert token.processes() == []


def test_output_without_end_is_cut_and_said_to_be(sandbox):
    ran = run(sandbox, "import sys\nwhile True: sys.stdout.write('x' * 4096)", output_bytes=50_000)
    assert ran.ended == "output"
    assert ran.cut
    assert ran.stdout == b"x" * 50_000


def test_both_streams_count_as_output(sandbox):
    text = "import sys\nwhile True: sys.stdout.write('o' * 999); sys.stderr.write('e' * 999)"
    ran = run(sandbox, text, output_bytes=20_000)
    assert ran.cut
    assert len(ran.stdout) + len(ran.stderr) == 20_000


OUTLIVE = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
print("gone", flush=True)
"""


def test_a_child_that_would_outlive_its_parent_does_not(sandbox, token):
    ran = run(sandbox, OUTLIVE, token)
    assert (ran.ended, ran.exit_code, ran.stdout) == ("exited", 0, b"gone\n")
    assert token.processes() == []


RUN_IT = """
import sys
from assay.sandbox import Program, Sandbox
isolation, python, bwrap, token = sys.argv[1:]
attack = '''{text}'''
Sandbox(isolation, python=python, bwrap=bwrap).run(
    Program(files={{"attack.py": attack}}, arguments=("attack.py", token))
)
"""


@pytest.fixture
def world_readable():
    """Where another user can get to, which is not so in the folders that pytest makes."""
    with tempfile.TemporaryDirectory(dir=place_for_everybody()) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def world_writable(world_readable, monkeypatch):
    """Where another user can move what is in it, as in /tmp; programs are run there."""
    world_readable.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(world_readable))
    return world_readable


def test_nothing_goes_on_when_assay_itself_is_killed(sandbox, token, world_readable):
    text = OUTLIVE + "time.sleep(60)"
    started = subprocess.Popen(
        [
            *(sys.executable, "-c", RUN_IT.format(text=text)),
            *(sandbox.isolation, sandbox._python, sandbox._bwrap, f"{token}"),
        ],
        env={**os.environ, "TMPDIR": str(world_readable)},
    )
    try:
        # The word is on the command line of the one we started, too.
        token.wait_until(lambda found: len(found) >= 3)
    finally:
        started.kill()
        started.wait()
    token.wait_until(lambda found: not found)
    token.wait_until(lambda _: not [*world_readable.iterdir()])


def test_links_out_of_the_folder_are_removed_and_not_followed(weak, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("kept")
    text = f"""
import os
os.symlink({str(victim)!r}, "link")
os.symlink({str(victim / "file")!r}, "file")
os.makedirs("deep/er")
os.symlink({str(victim)!r}, "deep/er/link")
os.chmod("deep", 0)
print(os.getcwd())
"""
    ran = run(weak, text)
    assert ran.ended == "exited", ran.stderr
    assert not os.path.lexists(ran.stdout.decode().strip())
    assert (victim / "file").read_text() == "kept"


def test_a_folder_that_was_moved_is_still_watched(weak, world_writable):
    text = "import os\nhere = os.getcwd()\nos.rename(here, here + '-moved')\n" + FILL_THE_DISK
    assert run(weak, text, folder_mb=8, file_mb=4).ended == "output"


@pytest.mark.parametrize(
    "instead", ["open(here, 'w')", "os.makedirs(here + '/full')", "os.symlink('/', here)", "None"]
)
def test_a_folder_that_was_moved_away_is_found_and_what_is_in_its_place_does_no_harm(
    weak, instead, world_writable
):
    text = f"""
import os
open("file", "w")
here = os.getcwd()
os.rename(here, here + "-moved")
{instead}
"""
    ran = run(weak, text)
    assert (ran.ended, ran.exit_code) == ("exited", 0), ran.stderr
    assert not [one.name for one in world_writable.iterdir() if one.name.endswith("-moved")]


def test_the_starter_cannot_be_disturbed(strong):
    """It is number 1 of the namespace: from inside, no signal reaches it."""
    text = """
import json, os, signal
said = []
for number in sorted(set(signal.Signals) - {signal.SIGCHLD}):
    try:
        os.kill(1, number)
        said.append("sent")
    except PermissionError:
        said.append("refused")
try:
    open("/proc/1/mem", "rb")
    said.append("read")
except OSError:
    said.append("closed")
print(json.dumps(said))
"""
    ran = run(strong, text)
    assert (ran.ended, ran.exit_code) == ("exited", 0), ran.stderr
    assert json.loads(ran.stdout)[-1] == "closed"
