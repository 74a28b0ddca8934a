"""The very file that Ollama runs, found through its manifests."""

from __future__ import annotations

import hashlib
import json

import pytest

from assay.errors import ModelUnavailable
from assay.models.opening import open_model
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf


@pytest.fixture
def store(tmp_path, monkeypatch):
    """As Ollama lays it out: one model, its template in another layer."""
    file = write_gguf(make_checkpoint(tmp_path / "c", "llama"), tmp_path / "m.gguf")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    blobs = tmp_path / "models" / "blobs"
    blobs.mkdir(parents=True)
    file.rename(blobs / f"sha256-{digest}")
    manifest = {
        "schemaVersion": 2,
        "layers": [
            {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "0" * 64},
            {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
        ],
    }
    names = (("library", "tiny", "latest"), ("library", "tiny", "135m-q8"), ("me", "own", "latest"))
    for *folders, tag in names:
        place = tmp_path.joinpath("models", "manifests", "registry.ollama.ai", *folders)
        place.mkdir(parents=True, exist_ok=True)
        (place / tag).write_text(json.dumps(manifest), "utf-8")
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.mark.parametrize("name", ["tiny", "tiny:135m-q8", "me/own"])
def test_the_file_of_an_ollama_model_is_found(store, name):
    facts = open_model(f"gguf:ollama/{name}").facts
    assert facts.name == name
    assert facts.parameters == 43_168


@pytest.mark.parametrize("name", ["other", "tiny:7b", "../../etc/passwd", "a/../../b", ""])
def test_a_model_that_ollama_has_not_is_refused(store, name):
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:ollama/{name}")
    assert "`ollama list`" in caught.value.hint


def test_a_manifest_whose_weights_are_gone_says_how_to_fetch_them(store):
    for blob in (store / "blobs").iterdir():
        blob.unlink()
    with pytest.raises(ModelUnavailable) as caught:
        open_model("gguf:ollama/tiny")
    assert "ollama pull tiny" in caught.value.hint
