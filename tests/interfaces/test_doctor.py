"""`assay doctor`: what this machine can do, for people and for programs."""

import hashlib

import pytest

from assay.sandbox import find_isolation
from tests.models.hostile_servers import hostile
from tests.servers.ollama_models import CHAT

KEY = "sk-planted-5e0b7c"


@pytest.fixture
def nobody(bench):
    """No Ollama and no key, whatever this machine has."""
    bench.environment["OLLAMA_HOST"] = "127.0.0.1:1"
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        bench.environment.pop(name, None)
    return bench


def line(document, name):
    (found,) = [each for each in document["lines"] if each["name"] == name]
    return found


def test_every_line_has_a_state_and_what_is_missing_says_what_to_do(nobody):
    document = nobody.document("doctor")
    assert set(document) == {"lines", "machine", "ollama", "servers", "files", "exit_code"}
    assert all(set(each) == {"name", "state", "says", "next"} for each in document["lines"])
    assert {each["state"] for each in document["lines"]} <= {"good", "note", "missing"}
    assert all(each["says"] for each in document["lines"])
    assert all(each["next"] for each in document["lines"] if each["state"] == "missing")
    assert {"Python", "Assay", "GPU", "Ollama", "torch", "sandbox", "disk"} <= {
        each["name"] for each in document["lines"]
    }


def test_a_missing_ollama_is_named_with_the_address_and_no_reason_to_fail(nobody):
    done = nobody.assay("doctor")
    assert done.returncode == 0
    assert "http://127.0.0.1:1" in done.stdout
    assert "OLLAMA_HOST" in done.stdout
    document = nobody.document("doctor")
    assert line(document, "Ollama")["state"] == "missing"
    assert document["ollama"]["reachable"] is False


def test_ollamas_models_are_listed_with_size_and_fit(nobody, ollama_server):
    nobody.environment["OLLAMA_HOST"] = ollama_server.url
    document = nobody.document("doctor")
    assert line(document, "Ollama")["state"] == "good"
    assert "0.17.4" in line(document, "Ollama")["says"]
    assert "94 MiB, Q4_1, 134.52M, fits (by estimate" in line(document, CHAT)["says"]
    assert line(document, "judge")["state"] == "note"
    assert "1.5 billion parameters" in line(document, "judge")["says"]
    assert ollama_server.asked == []
    assert CHAT in nobody.assay("doctor", COLUMNS="120").stdout


def test_a_key_is_said_to_be_set_and_never_shown(nobody):
    nobody.environment["OPENAI_API_KEY"] = KEY
    nobody.environment["OPENAI_BASE_URL"] = f"http://me:{KEY}@127.0.0.1:9/v1?key={KEY}"
    for words in (("doctor",), ("doctor", "--json")):
        done = nobody.assay(*words)
        assert KEY not in done.stdout + done.stderr
        assert "127.0.0.1:9/v1" in done.stdout
    assert line(nobody.document("doctor"), "OPENAI_API_KEY")["state"] == "good"


def test_a_key_that_is_not_set_is_a_note(nobody):
    assert line(nobody.document("doctor"), "OPENAI_API_KEY")["state"] == "note"


def test_the_disk_is_looked_at_where_runs_would_be_kept_and_nothing_is_made(nobody):
    says = line(nobody.document("doctor"), "disk")["says"]
    assert str(nobody.out) in says
    assert not nobody.out.exists()


def test_the_sandbox_is_what_was_found_by_trying(nobody):
    found = find_isolation()
    said = line(nobody.document("doctor"), "sandbox")
    assert said["state"] == ("note" if found.isolation is None else "good")
    assert ("bubblewrap, " in said["says"]) == (found.isolation == "bubblewrap")
    assert all(problem in said["says"] for problem in found.problems)


def test_a_bubblewrap_that_does_not_work_is_not_called_good(nobody, tmp_path):
    tool = tmp_path / "bin" / "bwrap"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    nobody.environment["PATH"] = str(tool.parent)
    said = line(nobody.document("doctor"), "sandbox")
    assert f"{tool} does not work" in said["says"]
    assert said["state"] == "good" or "--sandbox weak" in said["next"]


def test_the_machine_is_the_one_that_reports_show(nobody):
    machine = nobody.document("doctor")["machine"]
    assert set(machine) == {"system", "processor", "cores", "memory_bytes", "gpus", "versions"}
    assert machine["versions"]["assay"]


def test_servers_and_files_are_listed_with_what_they_say(nobody, llama_cpp, weights):
    (nobody.folder / "stories.F32.gguf").write_bytes(weights.read_bytes())
    with hostile("page") as page:
        nobody.environment["ASSAY_PORTS"] = f"{llama_cpp} {page} 2"
        document = nobody.document("doctor")
    server, other = document["servers"]
    assert (server["kind"], server["slots"], server["context"]) == ("llama.cpp", 2, 512)
    assert server["file"] == str(weights)
    assert server["digest"] == f"sha256:{hashlib.sha256(weights.read_bytes()).hexdigest()}"
    assert (server["tools"], server["thinks"]) == (False, False)
    assert server["models"][0]["spec"] == f"http://127.0.0.1:{llama_cpp}"
    assert (other["kind"], other["problem"]) == ("", "what answers there is no server of models")
    (file,) = document["files"]
    assert file["spec"] == "gguf:stories.F32.gguf"
    said = [each["says"] for each in document["lines"] if each["name"] == "server"]
    assert "2 slots" in said[0]
    assert said[-1] == "none on port 2 of this machine"
    assert line(document, "GGUF")["says"] == "1 file"


def test_no_port_is_called_empty_where_all_answer(nobody, openai_server):
    nobody.environment["ASSAY_PORTS"] = str(openai_server.port)
    said = [each["says"] for each in nobody.document("doctor")["lines"] if each["name"] == "server"]
    assert len(said) == 1
    assert "none on port" not in said[0]


def test_a_server_that_a_variable_names_and_that_is_not_there_is_missing(nobody):
    nobody.environment["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1"
    server = next(
        each for each in nobody.document("doctor")["lines"] if "127.0.0.1:1/v1" in each["says"]
        and each["name"] == "server"
    )  # fmt: skip
    assert server["state"] == "missing"
    assert "OPENAI_BASE_URL" in server["next"]
