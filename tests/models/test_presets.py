"""Endpoints by name: what ships, and what a URL means."""

import pytest

from assay.errors import UsageError
from assay.models.address import Preset, endpoint, presets
from assay.models.opening import read_spec

SECRET = "sk-proj-Kq7xWv2mTz9"


@pytest.fixture(autouse=True)
def _no_host(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def shipped():
    return presets()


# ---------------------------------------------------------------------------------- what ships


def test_what_ships_has_the_local_ollama_and_providers_with_the_variable_of_their_key(shipped):
    assert shipped["local"] == Preset(name="local", kind="ollama", url="http://127.0.0.1:11434")
    keys = {name: preset.key_env for name, preset in shipped.items()}
    assert keys == {
        "local": None, "lmstudio": None, "llamacpp": None, "vllm": None,
        "openai": "OPENAI_API_KEY", "openrouter": "OPENROUTER_API_KEY", "groq": "GROQ_API_KEY",
        "together": "TOGETHER_API_KEY", "mistral": "MISTRAL_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY", "huggingface": "HF_TOKEN",
    }  # fmt: skip


def test_a_key_goes_only_where_it_is_encrypted_or_does_not_leave_the_machine(shipped):
    for preset in shipped.values():
        start = "https://" if preset.key_env else "http://127.0.0.1:"
        assert preset.url.startswith(start), preset.name


def test_every_provider_becomes_a_spec_with_its_url(shipped):
    spec = shipped["groq"].spec("llama-3.1-8b-instant")
    assert spec == "openai:llama-3.1-8b-instant@https://api.groq.com/openai/v1"
    assert read_spec(spec).url == shipped["groq"].url


def test_the_local_ollama_is_where_ollama_host_says(shipped, monkeypatch):
    local = shipped["local"]
    assert local.spec("qwen3:4b") == "ollama:qwen3:4b"
    assert local.shown_url == "http://127.0.0.1:11434"
    monkeypatch.setenv("OLLAMA_HOST", "box:9999")
    assert local.spec("qwen3:4b") == "ollama:qwen3:4b"
    assert local.shown_url == "http://box:9999"


def test_another_ollama_stays_where_its_preset_says_whatever_ollama_host_says(monkeypatch):
    other = Preset(name="laptop", kind="ollama", url="http://127.0.0.1:11434")
    monkeypatch.setenv("OLLAMA_HOST", "box:9999")
    assert other.spec("a") == "ollama:a@http://127.0.0.1:11434"
    assert other.shown_url == "http://127.0.0.1:11434"


# ------------------------------------------------------------------------------------ endpoint


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("http://127.0.0.1:8000/v1", "openai:m@http://127.0.0.1:8000/v1"),
        ("https://h.example/api/v1/", "openai:m@https://h.example/api/v1"),
        ("http://box:11434", "ollama:m@http://box:11434"),
        ("http://box:11434/", "ollama:m@http://box:11434"),
        ("http://127.0.0.1:11434", "ollama:m@http://127.0.0.1:11434"),
        ("http://v1.example", "ollama:m@http://v1.example"),
        ("Https://box:11434", "ollama:m@https://box:11434"),
    ],
)
def test_a_url_with_v1_is_openai_and_without_it_ollama(text, spec):
    assert endpoint(text).spec("m") == spec


def test_an_unknown_preset_gets_a_suggestion():
    with pytest.raises(UsageError, match=r"no preset 'grok'; did you mean 'groq'\?") as refused:
        endpoint("grok")
    assert "groq, together" in refused.value.hint


@pytest.mark.parametrize("path", ["", "/v1"])
@pytest.mark.parametrize("host", ["a..b", "a" * 64, "\u06dd.example"])
def test_a_host_that_no_network_can_know_is_refused_in_words(host, path):
    with pytest.raises(UsageError):
        endpoint(f"http://{host}:80{path}")


@pytest.mark.parametrize("text", ["127.0.0.1:8000", "localhost:8000/v1", "box/v1"])
def test_an_address_without_a_scheme_is_told_what_it_lacks(shipped, text):
    with pytest.raises(UsageError) as refused:
        endpoint(text)
    assert "http://" in refused.value.hint


@pytest.mark.parametrize(
    "text", [f"http://me:{SECRET}@box/x", f"http://me:{SECRET}@[bad/v1", f"me:{SECRET}@box:80"]
)
def test_a_refused_endpoint_shows_no_password(shipped, text):
    with pytest.raises(UsageError) as refused:
        endpoint(text)
    assert SECRET not in refused.value.message + refused.value.hint
