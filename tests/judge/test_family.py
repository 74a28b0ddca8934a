"""Which models are of one kind, by their names and what servers say of them."""

from __future__ import annotations

import pytest

from assay.judge.family import families_of, same_model, shares_family
from assay.types import ModelFacts


def model(name: str, spec: str = "", fingerprint: str = "", **about: str) -> ModelFacts:
    spec = spec or f"ollama:{name}"
    return ModelFacts(spec=spec, name=name, fingerprint=fingerprint or spec, about=about)


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("llama3.2:3b", {"llama"}),
        ("codellama:7b", {"llama"}),
        ("qwen2.5-coder:1.5b", {"qwen"}),
        ("QwQ-32B", {"qwen"}),
        ("gemma3n:e2b", {"gemma"}),
        ("mixtral:8x7b", {"mistral"}),
        ("codestral", {"mistral"}),
        ("phi4-mini", {"phi"}),
        ("Phi-3.5-mini-instruct", {"phi"}),
        ("smollm2:135m", {"smollm"}),
        ("deepseek-r1-distill-qwen-7b", {"deepseek", "qwen"}),
        ("DeepSeek-R1-Distill-Llama-8B", {"deepseek", "llama"}),
        ("granite3.3:2b", {"granite"}),
        ("gpt-oss:20b", {"gpt"}),
        ("gpt-4o-mini", {"gpt"}),
        ("gpt-neox-20b", {"gpt-neo"}),
        ("pythia-160m", {"gpt-neo"}),
        ("hf.co/unsloth/Qwen3-4B-GGUF:Q4_K_M", {"qwen"}),
        ("yi-1.5-9b", {"yi"}),
        ("command-r:35b", {"command"}),
        ("stories260K", set()),
        ("my-own-model", set()),
        ("sophia-7b", set()),
        ("dolphin-yield", set()),
    ],
)
def test_a_family_is_read_from_the_name(name: str, families: set[str]) -> None:
    assert families_of(model(name)) == families


def test_a_server_named_after_llama_makes_no_llama() -> None:
    assert families_of(model("judge.gguf", "openai:judge.gguf@http://llama:8080/v1")) == set()
    served = model("judge", server="llama.cpp")
    assert families_of(served) == set()


def test_what_the_server_says_of_the_family_counts() -> None:
    assert families_of(model("deepseek-r1:7b", family="qwen2")) == {"deepseek", "qwen"}
    assert families_of(model("my-judge", family="gemma3")) == {"gemma"}


def test_an_architecture_that_many_share_yields_to_the_name() -> None:
    assert families_of(model("smollm2:135m", family="llama")) == {"smollm"}
    assert families_of(model("run7", architecture="LlamaForCausalLM")) == {"llama"}
    assert families_of(model("run7", architecture="Qwen2ForCausalLM")) == {"qwen"}


def test_the_folders_above_a_checkpoint_say_nothing() -> None:
    assert families_of(model("run7", "work/phi/run7")) == set()


def test_a_distilled_model_is_kin_to_both_sides() -> None:
    distilled = model("deepseek-r1-distill-qwen-1.5b")
    assert shares_family(distilled, model("qwen3:4b")) == {"qwen"}
    assert shares_family(model("deepseek-v3"), distilled) == {"deepseek"}
    assert shares_family(model("llama3.1:8b"), distilled) == set()


def test_models_of_unknown_families_share_none() -> None:
    assert not shares_family(model("alpha"), model("beta"))


def test_one_model_is_known_by_its_weights_or_its_spec() -> None:
    one = model("a", "ollama:a", "sha256:1")
    assert same_model(one, model("b", "ollama:b", "sha256:1"))
    assert same_model(one, model("a", "ollama:a", "sha256:2"))
    assert not same_model(one, model("b", "ollama:b", "sha256:2"))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "LOCALHOST"])
def test_this_machine_is_one_place_whatever_it_is_called(host) -> None:
    one = model("a", "openai:a@http://127.0.0.1:8080/v1", "sha256:1")
    assert same_model(one, model("a", f"openai:a@http://{host}:8080/v1/", "sha256:2"))
    assert not same_model(one, model("a", f"openai:a@http://{host}:8081/v1", "sha256:3"))
    assert not same_model(one, model("a", "openai:a@http://localhost.example:8080/v1", "sha256:4"))
