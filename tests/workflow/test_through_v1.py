"""An `openai:` URL behind which Ollama answers: told before the first request, with what to use."""

from __future__ import annotations

from tests.conftest import numbered


def test_it_is_said_before_the_run_with_the_command_to_use_instead(bench, ollama_server):
    suite = bench.suite({"sum": numbered(2)})
    native = ollama_server.spec()
    spec = native.replace("ollama:", "openai:") + "/v1"
    done = bench.assay("run", spec, "-s", suite, COLUMNS="1000")
    assert done.returncode == 0, "a note, not a refusal"
    note = next(line for line in done.stderr.splitlines() if "through /v1" in line)
    assert "repeat_penalty cannot be switched off" in note
    assert "context cannot be set" in note
    assert "reports no times" in note
    assert note.rstrip().endswith(f"assay run {native} -s {suite} --out {bench.out}")
    assert done.stderr.index(note) < done.stderr.index("2/2") if "2/2" in done.stderr else True
    assert f"{native} may give other scores" in done.stdout, "and it is a caveat of the card"
    assert native in bench.assay("report", "latest", "--format", "md").stdout


def test_nothing_is_said_of_another_server_or_of_the_native_interface(
    bench, ollama_server, openai_server
):
    suite = bench.suite({"sum": numbered(2)})
    done = bench.assay("run", ollama_server.spec(), openai_server.spec(), "-s", suite)
    assert "through /v1" not in done.stderr + done.stdout
