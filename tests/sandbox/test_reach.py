"""What a program can see and reach from inside: one scout looks around, and each test asks it."""

import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from tests.sandbox.conftest import run

SCOUT = """
import errno, json, os, signal, socket, sys, threading
secret, port, victim = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
home, may_signal = sys.argv[4], sys.argv[5] == "yes"

def attempt(what):
    try:
        return ["done", what()]
    except OSError as error:
        return ["refused", errno.errorcode.get(error.errno, str(error))]

def read(path):
    with open(path, "rb") as file:
        return file.read(100).decode("latin-1")

def link_out():
    os.symlink(secret, "link")
    return read("link")

def connect(address, port):
    socket.create_connection((address, port), timeout=3).close()
    return "connected"

def talk_to_myself():
    server = socket.create_server(("localhost", 0))
    def answer():
        line, _ = server.accept()
        line.sendall(b"hello")
        line.close()
    threading.Thread(target=answer).start()
    with socket.create_connection(server.getsockname()) as line:
        return line.recv(5).decode()

def write(path):
    with open(path, "w") as file:
        file.write("x")
    return "written"

def opens(family):
    socket.socket(family).close()

def others():
    me = os.getpid()
    return [n for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, me)]

seen = {
    "users": [*os.getresuid(), *os.getresgid()],
    "become_root": attempt(lambda: os.setuid(0)),
    "environment": dict(os.environ),
    "folder": sorted(os.listdir(".")),
    "path": sys.path,
    "flags": [sys.flags.isolated, sys.flags.no_site],
    "secret": attempt(lambda: read(secret)),
    "link": attempt(link_out),
    "home": attempt(lambda: [n for n in os.listdir(home)]),
    "shadow": attempt(lambda: read("/etc/shadow")),
    "passwd": attempt(lambda: read("/etc/passwd")),
    "assay": attempt(lambda: read(sys.argv[6])),
    "others": attempt(others),
    "victims_environment": attempt(lambda: read(f"/proc/{victim}/environ")),
    "out": attempt(lambda: connect("192.0.2.1", 80)),
    "host": attempt(lambda: connect("127.0.0.1", port)),
    "name": attempt(lambda: connect("example.com", 80)),
    "families": [one for one in range(46) if attempt(lambda: opens(one))[0] == "done"],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "loopback": attempt(talk_to_myself),
    "root": attempt(lambda: write("/planted")),
    "usr": attempt(lambda: write("/usr/lib/planted")),
    "library": attempt(lambda: write(os.path.join(os.path.dirname(os.__file__), "planted.py"))),
    "etc": attempt(lambda: write("/etc/planted")),
    "dev": attempt(lambda: write("/dev/planted")),
    "own": attempt(lambda: write("mine")),
    "tmp": attempt(lambda: write(os.environ["TMPDIR"] + "/mine-too")),
    "null": attempt(lambda: write("/dev/null")),
    "sysctl": attempt(lambda: write("/proc/sys/kernel/core_pattern")),
}
if may_signal:
    seen["kill"] = attempt(lambda: os.kill(victim, signal.SIGKILL))
    seen["kill_all"] = attempt(lambda: os.kill(-1, signal.SIGTERM))
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory):
    """A secret, a server and a process outside, for the scout to reach for."""
    secret = tmp_path_factory.mktemp("outside") / "secret"
    secret.write_text("the key")
    os.environ["PLANTED_KEY"] = "sk-planted"
    victim = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield str(secret), server.getsockname()[1], victim
    del os.environ["PLANTED_KEY"]
    victim.kill()
    victim.wait()


def scout(sandbox, surroundings, root):
    secret, port, victim = surroundings
    # Signals of a program that is the same user reach whatever that user runs, these tests too.
    harmless = sandbox.isolation != "weak" or os.geteuid() == 0
    ran = run(
        sandbox,
        SCOUT,
        *(secret, port, victim.pid, os.path.expanduser("~"), "yes" if harmless else "no"),
        str(root / "pyproject.toml"),
    )
    assert ran.ended == "exited", ran
    assert ran.exit_code == 0, ran.stderr.decode()
    assert victim.poll() is None
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def seen(sandbox, surroundings, root):
    return scout(sandbox, surroundings, root)


@pytest.fixture(scope="module")
def seen_from_strong(strong, surroundings, root):
    return scout(strong, surroundings, root)


def test_a_program_is_not_root_and_cannot_become_it(seen):
    assert 0 not in seen["users"]
    assert seen["become_root"][0] == "refused"


def test_the_environment_is_empty_but_for_a_fixed_few(seen):
    names = set(seen["environment"]) - {"ASSAY_SANDBOX", "LC_CTYPE"}
    assert names == {"PATH", "LANG", "TZ", "MALLOC_ARENA_MAX", "HOME", "TMPDIR"}
    assert "planted" not in json.dumps(seen["environment"])


def test_the_folder_holds_the_programs_files_and_nothing_else(seen):
    assert seen["folder"] == ["attack.py"]


def test_python_has_the_standard_library_only(seen):
    assert seen["flags"] == [1, 1]
    assert not [path for path in seen["path"] if "site-packages" in path]


def test_a_program_can_write_to_its_own_folder(seen):
    assert seen["own"][0] == seen["tmp"][0] == seen["null"][0] == "done"


def test_loopback_works_inside(seen):
    assert seen["loopback"] == ["done", "hello"]


def test_a_secret_outside_is_not_there(seen_from_strong):
    assert seen_from_strong["secret"] == ["refused", "ENOENT"]
    assert seen_from_strong["assay"] == ["refused", "ENOENT"]


def test_a_link_out_of_the_folder_leads_nowhere(seen_from_strong):
    assert seen_from_strong["link"] == ["refused", "ENOENT"]


def test_the_home_folder_is_not_there_or_holds_only_the_way_to_the_interpreter(seen_from_strong):
    what, found = seen_from_strong["home"]
    home = os.path.expanduser("~")
    if what == "done":
        assert all(sys.base_prefix.startswith(os.path.join(home, name)) for name in found)
    else:
        assert found == "ENOENT"


def test_the_secrets_of_etc_are_not_there(seen_from_strong):
    assert seen_from_strong["shadow"] == seen_from_strong["passwd"] == ["refused", "ENOENT"]


def test_no_process_of_others_is_seen(seen_from_strong):
    assert seen_from_strong["others"] == ["done", []]
    assert seen_from_strong["victims_environment"][0] == "refused"


def test_no_signal_leaves_the_sandbox(seen_from_strong):
    """That the victim lives is looked at after every scout."""
    assert seen_from_strong["kill"] == ["refused", "ESRCH"]


def test_there_is_no_way_out_by_network(seen_from_strong):
    assert seen_from_strong["interfaces"] == ["lo"]
    assert seen_from_strong["out"] == ["refused", "ENETUNREACH"]
    assert seen_from_strong["host"] == ["refused", "ECONNREFUSED"]
    assert seen_from_strong["name"][0] == "refused"


def test_no_socket_goes_round_the_network(seen_from_strong):
    """One of a family that knows no namespaces would: AF_VSOCK reaches the machine's own host."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        pytest.skip("no filter of system calls for this architecture")
    usual = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}
    assert set(seen_from_strong["families"]) <= usual


@pytest.mark.parametrize("place", ["root", "usr", "library", "etc", "dev", "sysctl"])
def test_nothing_but_the_folder_can_be_written(seen_from_strong, place):
    assert seen_from_strong[place][0] == "refused"


def test_the_weak_form_cannot_harm_others_where_root_gives_it_another_user(
    weak, surroundings, root
):
    if os.geteuid() != 0:
        pytest.skip("the weak form is the same user here, and says so")
    found = scout(weak, surroundings, root)
    assert found["kill"] == ["refused", "EPERM"]
    assert found["secret"] == found["shadow"] == ["refused", "EACCES"]
    assert {found[place][0] for place in ("root", "usr", "etc", "sysctl")} == {"refused"}


def test_threads_may_share_a_sandbox(sandbox):
    answers = {}

    def ask(number):
        answers[number] = run(sandbox, f"print({number})").stdout

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: b"%d\n" % number for number in range(4)}
