"""A program's life in the sandbox, without malice."""

import os
import tempfile
from pathlib import Path

import pytest

from assay.sandbox import Limits, Program, Sandbox
from assay.sandbox.confined import processes
from assay.sandbox.confined.leftovers import empty, own_folder
from assay.sandbox.running import _ran_out_of_memory
from assay.sandbox.surroundings import base_python
from tests.sandbox.conftest import run


def test_files_arguments_and_input_reach_the_program_and_its_output_comes_back(sandbox):
    worker = """
import sys
sys.path.insert(0, ".")
import package.answer
print(package.answer.VALUE, sys.argv[1:], open("raw", "rb").read())
print(sys.stdin.buffer.read(), file=sys.stderr)
sys.exit(3)
"""
    program = Program(
        files={"worker.py": worker, "package/answer.py": "VALUE = 'é'", "raw": b"\xff\x00"},
        arguments=("worker.py", "one", "ö"),
        stdin=b"in\x00put",
    )
    ran = sandbox.run(program)
    assert ran.stdout.decode() == "é ['one', 'ö'] b'\\xff\\x00'\n"
    assert ran.stderr == b"b'in\\x00put'\n"
    assert (ran.ended, ran.exit_code, ran.cut) == ("exited", 3, False)
    assert ran.seconds > 0


def test_input_that_nobody_reads_is_no_matter(sandbox):
    ran = run(sandbox, "print('done')", stdin=bytes(4 << 20))
    assert (ran.ended, ran.stdout) == ("exited", b"done\n")


def test_input_larger_than_a_pipe_arrives_whole(sandbox):
    ran = run(sandbox, "import sys; print(len(sys.stdin.buffer.read()))", stdin=bytes(3 << 20))
    assert ran.stdout == b"3145728\n"


def test_a_program_that_a_signal_ends_says_so(sandbox):
    ran = run(sandbox, "import os; os.kill(os.getpid(), 11)")
    assert (ran.ended, ran.exit_code) == ("signalled", None)


def test_output_of_exactly_the_limit_is_whole(sandbox):
    ran = run(sandbox, "print('x' * 999)", output_bytes=1000)
    assert (ran.ended, ran.cut, len(ran.stdout)) == ("exited", False, 1000)


def test_nothing_of_one_program_is_there_for_the_next(sandbox):
    run(sandbox, "open('left', 'w').close()")
    assert run(sandbox, "import os; print(os.listdir())").stdout == b"['attack.py']\n"


def test_threads_and_processes_work_inside(sandbox):
    text = """
import subprocess, sys, threading
said = []
def ask():
    said.append(subprocess.run([sys.executable, "-I", "-S", "-c", "print(1)"],
                               capture_output=True, check=True).stdout)
threads = [threading.Thread(target=ask) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(said))
"""
    ran = run(sandbox, text)
    assert ran.stdout == b"8\n", ran.stderr.decode()


def test_halves_of_surrogate_pairs_in_an_answer_are_no_reason_to_fail(sandbox):
    ran = run(sandbox, "print(len('\ud800'))")
    assert (ran.ended, ran.exit_code) == ("exited", 0)


def test_a_file_larger_than_allowed_is_refused_before_anything_runs(sandbox):
    program = Program(
        files={"a.py": "print('ran')", "big": bytes(2 << 20)},
        arguments=("a.py",),
        limits=Limits(file_mb=1),
    )
    ran = sandbox.run(program)
    assert (ran.ended, ran.stdout) == ("not_started", b"")
    assert b"File too large" in ran.stderr


@pytest.mark.parametrize(
    "program",
    [
        Program(files={}, arguments=("a\0b",)),
        Program(files={}, arguments=("\ud800",)),
        Program(files={}, arguments=("x" * (1 << 20),)),
        Program(files={"x" * 300: ""}, arguments=("-V",)),
        Program(files={"a": "", "a/b": ""}, arguments=("-V",)),
    ],
    ids=["nul", "surrogate", "long", "long name", "file as folder"],
)
def test_what_no_system_can_start_is_not_started(weak, program):
    ran = weak.run(program)
    assert ran.ended == "not_started", ran
    assert ran.stderr


@pytest.mark.parametrize("name", ["/etc/passwd", "../up", "a/../../up", "", "nul\0"])
def test_a_file_outside_of_the_folder_is_refused(name):
    with pytest.raises(ValueError, match="own folder"):
        Program(files={name: ""}, arguments=())


def test_an_interpreter_that_is_not_there_does_not_start():
    ran = Sandbox("bubblewrap", python=base_python(), bwrap="/nowhere/bwrap").run(
        Program(files={}, arguments=("-V",))
    )
    assert ran.ended == "not_started"
    assert b"/nowhere/bwrap" in ran.stderr


@pytest.mark.parametrize(
    ("stderr", "meant"),
    [
        (b"Traceback\n  x\nMemoryError\n", True),
        (b"MemoryError: no room", True),
        (b"NotAMemoryError\n", False),
        (b"MemoryError\nValueError: other", False),
        (b"", False),
    ],
)
def test_running_out_of_memory_is_known_by_the_last_line(stderr, meant):
    assert _ran_out_of_memory(stderr) is meant


def test_a_folder_is_over_by_size_and_by_number(tmp_path):
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "file").write_bytes(bytes(8192))
    for entries, size, over in ((100, 1 << 20, False), (9, 1 << 20, True), (100, 20_000, True)):
        order = {"work": str(tmp_path), "entries": entries, "folder_bytes": size}
        assert processes.folder_is_over(order) is over


def test_a_folder_whose_name_was_given_to_something_else_is_removed_all_the_same(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("kept")
    with own_folder(None) as path:
        moved = tmp_path / "moved"
        os.rename(path, moved)
        (moved / "rubbish").write_text("x")
        os.symlink(tmp_path / "kept", path)
    assert not moved.exists()
    assert (tmp_path / "kept" / "file").read_text() == "kept"
    assert not os.path.lexists(path)


def test_folders_in_folders_without_end_are_removed(tmp_path):
    """Deeper than Python calls functions, and than a path may be long. Disks are slow at it."""
    memory = Path("/dev/shm")
    top = Path(tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else tmp_path))
    here = os.open(top, os.O_RDONLY)
    held = os.dup(here)
    for _ in range(2500):
        os.mkdir("d", dir_fd=here)
        os.symlink(tmp_path, "link", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.fchmod(here, 0)
        os.close(here)
        here = inner
    os.close(here)
    empty(held)
    os.close(held)
    top.rmdir()
    assert tmp_path.is_dir()
