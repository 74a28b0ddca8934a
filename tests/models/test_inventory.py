"""What is found on a machine: servers that answer, GGUF files in a folder and in stores."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable
from assay.models.inventory.servers import Address, find_servers, look_at, usual_places
from assay.models.local.gguf.stores import find_files
from assay.models.opening import open_model
from tests.conftest import no_hang
from tests.models.hostile_servers import hostile
from tests.servers.fixtures import FIRST_MODEL


def at(port: int) -> Address:
    return Address(root=f"http://127.0.0.1:{port}", named_by=str(port))


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


# ------------------------------------------------------------------------------ servers that answer


def test_llama_cpp_says_slots_context_template_file_and_what_its_model_can(llama_cpp, weights):
    found = look_at(at(llama_cpp))
    assert (found.kind, found.problem) == ("llama.cpp", "")
    assert (found.slots, found.context) == (2, 512)
    assert (found.tools, found.thinks) == (False, False)
    assert found.template.startswith("sha256:")
    assert found.file == str(weights)
    assert found.digest == f"sha256:{hashlib.sha256(weights.read_bytes()).hexdigest()}"
    (model,) = found.models
    assert model.spec == f"http://127.0.0.1:{llama_cpp}"
    assert (model.parameters, model.quantisation, model.context) == ("260.03K", "F32", 512)
    opened = open_model(model.spec)
    opened.close()
    assert opened.facts.slots == 2


def test_ollama_says_version_models_digests_and_what_is_loaded(ollama_server):
    name = FIRST_MODEL["ollama"]
    ollama_server.ask("POST", "/api/generate", {"model": name, "stream": False})
    found = look_at(at(ollama_server.port))
    assert (found.kind, found.version) == ("Ollama", "0.17.4")
    model = next(each for each in found.models if each.name == name)
    assert model.spec == ollama_server.spec()
    assert model.loaded
    assert model.context
    assert len(model.digest) == 64
    assert model.size_bytes == 98363149
    assert [each.loaded for each in found.models].count(True) == 1
    assert ollama_server.asked == []


def test_several_models_of_a_server_are_each_named(openai_server):
    found = look_at(at(openai_server.port))
    assert found.kind == "OpenAI-compatible"
    specs = [openai_server.spec(name) for name in ("test-model", "other-model")]
    assert [model.spec for model in found.models] == specs


def test_a_key_goes_only_where_the_variable_points(start_openai, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-5e0b7c")
    server = start_openai(key="sk-planted-5e0b7c")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    stranger = look_at(at(server.port))
    assert "wants a key (401)" in stranger.problem
    assert not any("authorization" in request.headers for request in server.log())
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("ASSAY_PORTS", str(server.port))
    _, named = find_servers(usual_places())
    assert named.named_by == "OPENAI_BASE_URL"
    assert named.kind == "OpenAI-compatible"


def test_an_ollama_behind_openai_base_url_is_told_as_one(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{ollama_server.url}/v1")
    _, found = find_servers()
    assert (found.kind, found.named_by) == ("Ollama", "OPENAI_BASE_URL")
    assert all(model.spec.startswith("ollama:") for model in found.models)


def test_usual_ports_and_variables_are_looked_at_each_address_once(monkeypatch):
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL", "ASSAY_PORTS"):
        monkeypatch.delenv(name, raising=False)
    assert [place.named_by for place in usual_places()] == ["11434", "8080", "1234", "8000"]
    monkeypatch.setenv("OLLAMA_HOST", "localhost")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8080/v1")
    named = [place.named_by for place in usual_places()]
    assert named == ["OLLAMA_HOST", "OPENAI_BASE_URL", "1234", "8000"]
    monkeypatch.setenv("ASSAY_PORTS", "5000, 99999 x 5001")
    assert [place.named_by for place in usual_places()][2:] == ["5000", "5001"]


# ------------------------------------------------------------------------------ servers that do not


def test_a_dead_port_is_nothing_and_a_dead_variable_is_told(closed_port, monkeypatch):
    assert not look_at(at(closed_port)).is_there
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed_port}/v1")
    _, found = find_servers()
    assert found.is_there
    assert str(closed_port) in found.problem


HOSTILE = ["huge", "drip", "redirect", "page", "silent", "anything", "deep"]


def test_servers_that_misbehave_are_none_and_hold_nobody_up():
    """All at once, so that one silent server costs no more than all of them."""
    with ExitStack() as stack, no_hang(30):
        ports = [stack.enter_context(hostile(kind)) for kind in HOSTILE]
        found = find_servers([at(port) for port in ports])
    assert [server.kind for server in found] == [""] * len(HOSTILE)
    for kind, server in zip(HOSTILE, found, strict=True):
        assert server.problem.isprintable(), kind
        assert len(server.problem) < 400


@pytest.mark.parametrize("kind", ["names", "many", "props"])
def test_nothing_a_server_says_of_itself_reaches_the_terminal_as_it_is(kind):
    with hostile(kind) as port:
        found = look_at(at(port))
    assert found.kind == "OpenAI-compatible"
    assert len(found.models) <= 200
    for text in (found.version, found.file, *(m.spec for m in found.models)):
        assert text.isprintable()
    if kind == "names":
        assert [model.name for model in found.models] == ["honest"]
    if kind == "many":
        assert found.more_models == 4800
    if kind == "props":
        assert (found.slots, found.context, found.tools, found.digest) == (None, None, None, "")


# -------------------------------------------------------------------------------------------- files


def gguf_bytes(**fields: str | int) -> bytes:
    """The beginning of a file; dots of a field's name are written __."""
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields))
    for name, value in fields.items():
        key = name.replace("__", ".").encode()
        data += struct.pack("<Q", len(key)) + key
        if isinstance(value, int):
            data += struct.pack("<II", 4, value)
        else:
            text = value.encode()
            data += struct.pack("<IQ", 8, len(text)) + text
    return data


LLAMA = gguf_bytes(
    general__architecture="llama", general__size_label="135M", llama__context_length=8192
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    for name in ("OLLAMA_MODELS", "LMSTUDIO_MODELS"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


def test_files_of_a_folder_are_found_with_what_they_say_of_themselves(folder):
    (folder / "SmolLM2-135M-Instruct.Q4_K_M.gguf").write_bytes(LLAMA)
    (folder / "below").mkdir()
    (folder / "below" / "tiny-bf16.GGUF").write_bytes(LLAMA)
    (folder / "mmproj-x.gguf").write_bytes(gguf_bytes(general__architecture="clip"))
    (folder / "no.gguf").write_bytes(b"<html>")
    first, second = find_files(Path())
    assert first.spec == "gguf:SmolLM2-135M-Instruct.Q4_K_M.gguf"
    assert (first.architecture, first.quantisation, first.parameters, first.context) == (
        "llama", "Q4_K_M", "135M", 8192,
    )  # fmt: skip
    assert (first.store, first.size_bytes, first.why_not) == ("folder", len(LLAMA), "")
    assert (second.spec, second.quantisation) == ("gguf:below/tiny-bf16.GGUF", "BF16")


def test_what_cannot_be_computed_says_why(folder):
    (folder / "big-00001-of-00002.gguf").write_bytes(LLAMA)
    (folder / "big-00002-of-00002.gguf").write_bytes(LLAMA)
    (folder / "cut.gguf").write_bytes(LLAMA[:40])
    (folder / "other.gguf").write_bytes(gguf_bytes(general__architecture="mamba\x1b[2J"))
    parts, cut, other = find_files(Path())
    assert "llama-gguf-split" in parts.why_not
    assert "cannot be used" in cut.why_not
    assert other.why_not.isprintable()
    assert "llama-server" in other.why_not


def test_the_stores_of_lm_studio_and_ollama_are_known(folder, tmp_path, monkeypatch):
    studio = tmp_path / "studio"
    (studio / "maker" / "model").mkdir(parents=True)
    (studio / "maker" / "model" / "Model-Q8_0.gguf").write_bytes(LLAMA)
    monkeypatch.setenv("LMSTUDIO_MODELS", str(studio))
    store, digest = tmp_path / "ollama", hashlib.sha256(LLAMA).hexdigest()
    (store / "blobs").mkdir(parents=True)
    (store / "blobs" / f"sha256-{digest}").write_bytes(LLAMA)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"}
    names = ("registry.ollama.ai/library/tiny/latest", "registry.ollama.ai/me/own/q8",
             "hf.co/maker/model/Q4_K_M")  # fmt: skip
    for name in names:
        manifest = store / "manifests" / name
        manifest.parent.mkdir(parents=True)
        manifest.write_text(json.dumps({"layers": [layer]}))
    (store / "manifests" / "hf.co" / "maker" / "model" / "broken").write_text("[")
    monkeypatch.setenv("OLLAMA_MODELS", str(store))
    of_studio, of_ollama = find_files(Path())
    assert of_studio.spec == f"gguf:{studio}/maker/model/Model-Q8_0.gguf"
    assert of_studio.store == "LM Studio"
    assert of_ollama.spec == "gguf:ollama/hf.co/maker/model:Q4_K_M", "one file has one line"
    assert of_ollama.digest == f"sha256:{digest}"


# ------------------------------------------------------------------------------------ did you mean


def hint_for(spec: str) -> str:
    with pytest.raises(ModelUnavailable) as refused:
        open_model(spec)
    return refused.value.hint


@pytest.mark.parametrize("typed", ["smollm2", "gguf:SmolLM2.gguf", "ollama:smollm2"])
def test_a_mistyped_model_is_answered_with_the_file_that_is_here(folder, typed, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    (folder / "SmolLM2-135M-Instruct.Q4_K_M.gguf").write_bytes(LLAMA)
    meant = "did you mean gguf:SmolLM2-135M-Instruct.Q4_K_M.gguf?"
    assert hint_for(typed).splitlines()[-1] == meant


def test_a_wrong_address_is_answered_with_what_other_servers_have(
    folder, openai_server, closed_port, monkeypatch
):
    monkeypatch.setenv("ASSAY_PORTS", str(openai_server.port))
    meant = f"did you mean {openai_server.spec('test-model')}"
    assert meant in hint_for(f"openai:test-model@http://127.0.0.1:{closed_port}/v1")
    assert meant in hint_for(f"http://127.0.0.1:{closed_port}")


def test_a_file_that_is_there_and_broken_is_not_answered_with_another(folder):
    (folder / "smol.gguf").write_bytes(b"GGUF")
    (folder / "smol2.gguf").write_bytes(LLAMA)
    assert "did you mean" not in hint_for("gguf:smol.gguf")
