"""Which isolation is taken, what is said where there is none, and how it is as another user."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.errors import ExitCode, SandboxUnavailable
from assay.sandbox import find_isolation, open_sandbox
from tests.sandbox.conftest import STRONG, place_for_everybody
from tests.waiting import PATIENCE_S


def test_the_best_that_works_is_taken():
    found = find_isolation()
    if found.isolation is None:
        pytest.skip("; ".join(found.problems))
    assert open_sandbox().isolation == found.isolation in STRONG


def test_bubblewrap_that_does_not_work_is_passed_over_and_named(monkeypatch, tmp_path):
    """Where user namespaces are forbidden it is installed and of no use."""
    tool = tmp_path / "bwrap"
    tool.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_isolation()
    assert found.isolation != "bubblewrap"
    assert "No permissions to create new namespace" in found.problems[0]
    assert str(tool) in found.problems[0]


def test_bubblewrap_that_is_missing_is_said_to_be(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_isolation()
    assert found.isolation in ("namespaces", None)
    assert found.problems[0] == "bubblewrap is not installed"


def test_the_weak_form_is_taken_only_when_asked_for(weak):
    assert weak.isolation == "weak"
    assert find_isolation().isolation != "weak"


NOTHING_WORKS = """
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.sandbox.confined import call_filter, system_calls
system_calls.prctl(system_calls.PR_SET_NO_NEW_PRIVS, 1)
call_filter.lay_on()
try:
    open_sandbox()
except SandboxUnavailable as error:
    print(int(error.exit_code), error.message, error.hint, sep="\\n")
"""


def test_without_any_isolation_running_code_is_refused_with_what_to_do(tmp_path):
    """As in a container, whose filter of system calls refuses namespaces."""
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_WORKS],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    code, message, hint = done.stdout.splitlines()
    assert int(code) == ExitCode.REFUSED
    assert "bubblewrap is not installed" in message
    assert "namespaces" in message
    assert "bubblewrap" in hint
    assert "--sandbox weak" in hint


def test_the_package_can_be_imported_where_nothing_can_be_confined():
    """On Windows there is no fcntl, resource or pwd, and no file descriptor has a folder in it."""
    text = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp"):
    sys.modules[name] = None
for name in ("sysconf", "O_DIRECTORY", "O_NOFOLLOW", "geteuid", "fork"):
    delattr(os, name)
sys.platform = "win32"
import assay.sandbox
print(assay.sandbox.find_isolation())
"""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60
    )
    assert "isolation=None" in done.stdout, done.stderr


def test_setting_up_packages_says_what_to_do_where_it_cannot_and_never_fails(root, tmp_path):
    for name, says in (("uname", "Linux"), ("id", "1000")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {says}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", root / "scripts" / "set_up_packages.sh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Install the packages bubblewrap chromium" in done.stdout


AS_ANOTHER_USER = """
import json, os, shutil, sys
sys.path.insert(0, sys.argv[1])
from assay.sandbox import Limits, Program, Sandbox
from assay.sandbox.running import problem_with
from assay.sandbox.surroundings import base_python
attack = '''
import errno, json, os, signal, socket, sys, time
def attempt(what):
    try:
        what()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
seen = {"user": os.getuid()}
seen["file"] = attempt(lambda: open(sys.argv[1]))
seen["root"] = attempt(lambda: open("/planted", "w"))
seen["out"] = attempt(lambda: socket.create_connection(("192.0.2.1", 80), timeout=3))
seen["kill"] = attempt(lambda: os.kill(int(sys.argv[2]), signal.SIGKILL))
seen["memory"] = attempt(lambda: open("/proc/1/mem"))
children = 0
try:
    while children < 100:
        if os.fork() == 0:
            time.sleep(60)
        children += 1
except OSError as error:
    seen["fork"] = errno.errorcode[error.errno]
seen["children"] = children
print(json.dumps(seen))
'''
kill_the_starter = '''
import os, signal, time
if os.fork() == 0:
    time.sleep(60)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(60)
'''
tool = shutil.which("bwrap") or ""
said = {}
for isolation in ("bubblewrap", "namespaces"):
    sandbox = Sandbox(isolation, python=base_python(), bwrap=tool)
    problem = problem_with(sandbox)
    said[isolation] = {"problem": problem}
    if not problem:
        ran = sandbox.run(Program(files={"a.py": attack}, limits=Limits(processes=8),
                                  arguments=("a.py", sys.argv[0], str(os.getpid()))))
        said[isolation] |= {"ended": ran.ended, "stderr": ran.stderr.decode(),
                            "seen": json.loads(ran.stdout or b"{}")}
weak = Sandbox("weak", python=base_python())
ran = weak.run(Program(files={"a.py": kill_the_starter}, arguments=("a.py", sys.argv[2]),
                       limits=Limits(wall_s=5)))
said["weak"] = {"ended": ran.ended}
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(root):
    """Everything as somebody who is not root, with an interpreter that everybody can start."""
    if os.geteuid() != 0:
        pytest.skip("all the other tests are run as an ordinary user already")
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if (
        python is None
        or b"new"
        not in subprocess.run(
            [python, "-c", "import sys; print('new' if sys.version_info >= (3, 11) else 'old')"],
            capture_output=True,
            check=True,
        ).stdout
    ):
        pytest.skip("no Python that an ordinary user can start")
    folder = Path(tempfile.mkdtemp(prefix="assay-test-", dir=place_for_everybody()))
    try:
        package = folder / "assay"
        package.mkdir()
        folder.chmod(0o755)
        for name in ("__init__.py", "errors.py", "messages.py", "version.py"):
            shutil.copy(root / "src" / "assay" / name, package / name)
        for name in ("types", "sandbox"):
            shutil.copytree(root / "src" / "assay" / name, package / name)
        (folder / "run.py").write_text(AS_ANOTHER_USER)
        done = subprocess.run(
            [python, "-I", "-S", folder / "run.py", folder, "marked-by-this-test"],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            user=45_678,
            group=45_678,
            extra_groups=[],
            cwd="/",
            env={"PATH": os.environ["PATH"]},
        )
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("isolation", STRONG)
def test_an_ordinary_user_gets_the_same_isolation(said, isolation):
    answer = said[isolation]
    if answer["problem"]:
        pytest.skip(f"{isolation} does not work for ordinary users here: {answer['problem']}")
    assert answer["ended"] == "exited", answer["stderr"]
    assert 1 <= answer["seen"].pop("children") <= 9
    assert answer["seen"] == {
        "user": 65534,
        "file": "ENOENT",
        "root": "EROFS",
        "out": "ENETUNREACH",
        "kill": "ESRCH",
        "memory": "EACCES",
        "fork": "EAGAIN",
    }


def test_a_program_that_kills_its_starter_in_the_weak_form_is_found_and_ended(said):
    assert said["weak"]["ended"] == "signalled"
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            assert b"marked-by-this-test" not in line


def test_a_sandbox_that_is_unavailable_is_a_refusal():
    assert SandboxUnavailable("x").exit_code == ExitCode.REFUSED
