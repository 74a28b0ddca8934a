"""`assay drift`: figures, refusals, limits, and every kind of model that shows its predictions."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from assay import api
from assay.errors import InvalidFiles, ModelUnavailable, Refusals, UsageError
from assay.interfaces.cli.run import drift as drift_command
from assay.reports.cards.drift import drift_card
from assay.text.number_format import readable
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf
from tests.models.test_home_made import LETTERS, Bigram

TEXT = "The driver of the network card is loaded when the machine starts.\n" * 180


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drift")
    make_checkpoint(folder / "base", "llama")
    make_checkpoint(folder / "other", "llama", seed=1)
    make_checkpoint(folder / "small", "llama", vocabulary=350)
    write_gguf(folder / "base", folder / "q8.gguf", "Q8_0")
    write_gguf(folder / "base", folder / "q4.gguf", "Q4_0")
    (folder / "text.txt").write_text(TEXT, "utf-8")
    (folder / "gate.toml").write_text("[drift]\nmax_kl = 0.01\nmin_same_top = 0.5\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def found(home):
    models = [str(home / "base"), f"gguf:{home}/q8.gguf", f"gguf:{home}/q4.gguf"]
    return api.drift(
        [*models, str(home / "other")], text=home / "text.txt", gate=home / "gate.toml"
    )


def test_the_more_was_lost_the_farther_away(found):
    eight, four, other = found.models
    assert 0 < eight.kl.value < four.kl.value < other.kl.value
    assert eight.same_top.value > four.same_top.value > other.same_top.value
    for each in found.models:
        assert each.kl.n == found.tokens == sum(block.tokens for block in each.blocks)
        assert each.kl.low < each.kl.value < each.kl.high
        assert each.kl_median.value < each.kl_p99.value
        assert each.kl_p99.low <= each.kl_p99.value <= each.kl_p99.high
        ratio = each.perplexity.value / found.perplexity.value
        assert each.perplexity_ratio.value == pytest.approx(ratio)


def test_the_gate_refuses_what_went_too_far(found):
    assert [each.accepted for each in found.models] == [True, False, False]
    assert found.models[1].exceeded == ("max_kl", "min_same_top")
    assert found.exit_code == 1


def test_places_that_flipped_are_told_in_words(found):
    four = found.models[1]
    assert four.flipped == round(four.kl.n * (1 - four.same_top.value))
    assert [each.kl for each in four.flips] == sorted((e.kl for e in four.flips), reverse=True)
    for flip in four.flips:
        assert flip.base != flip.other
        assert flip.before + flip.follows in TEXT or flip.before.startswith(" ")
        assert 0 < flip.base_share < 1


def test_every_format_has_the_figures(found):
    document = json.loads(api.render(found, "json"))
    assert document["exit_code"] == 1
    assert document["models"][0]["kl"]["unit"] == "nats"
    assert document["limits"] == {"max_kl": 0.01, "min_same_top": 0.5}
    shown = readable(found.models[1].kl.value)
    for form in ("text", "md", "html"):
        page = api.render(found, form)
        assert shown in page
        assert "Q4_0 (16)" in page or form == "text"


def test_the_command_ends_as_the_limits_say(home):
    given = [str(home / "base"), f"gguf:{home}/q8.gguf", "--text", str(home / "text.txt")]
    for limit, code in (("0.0001", 1), ("1", 0)):
        done = CliRunner().invoke(drift_command, [*given, "--max-kl", limit, "--json"])
        document = json.loads(done.stdout)
        assert document["exit_code"] == code
        assert document["models"][0]["accepted"] is (code == 0)


def test_an_adapter_drifts_from_its_base(home, tmp_path):
    peft = pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(home / "base")
    config = peft.LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False)
    peft.get_peft_model(model, config).save_pretrained(tmp_path / "adapter")
    base = str(home / "base")
    (moved,) = api.drift([base, tmp_path / "adapter"], text=home / "text.txt", base=base).models
    assert moved.kl.value > 0
    assert moved.accepted is None


def test_a_model_of_ones_own_is_compared_by_its_logits(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("a bad cab fed a head? ".lower() * 20, "utf-8")
    one, same, other = Bigram(), Bigram(), Bigram(seed=1)
    drift = api.drift([one, same, other], text=text)
    assert drift.models[0].kl.value < 1e-6
    ids = one.tokenize(text.read_text("utf-8"))
    rows = [table.table - np.log(np.exp(table.table).sum(-1, keepdims=True))
            for table in (one, other)]  # fmt: skip
    divergence = (np.exp(rows[0]) * (rows[0] - rows[1])).sum(-1)
    mean = np.mean([divergence[each] for each in ids[:-1]])
    assert drift.models[1].kl.value == pytest.approx(mean, rel=1e-4)
    assert drift.perplexity.value == pytest.approx(
        math.exp(-np.mean([rows[0][a, b] for a, b in pairwise(ids)])),
        rel=1e-4,
    )
    assert len(LETTERS) == rows[0].shape[-1]


@pytest.mark.parametrize(("count", "has_interval"), [(1, False), (11, False), (12, True)])
def test_few_documents_have_figures_and_no_interval(tmp_path, count, has_interval):
    text = tmp_path / "text.jsonl"
    lines = (json.dumps({"text": "a bad cab fed a head? " * (9 + n)}) for n in range(count))
    text.write_text("\n".join(lines), "utf-8")
    drift = api.drift([Bigram(), Bigram(seed=1)], text=text)
    (other,) = drift.models
    figures = (drift.perplexity, other.kl, other.kl_p99, other.same_top, other.perplexity_ratio)
    assert [each.low is not None for each in figures] == [has_interval] * 5
    assert all(each.value is not None for each in figures)
    said = f"No interval: the text has {count} document"
    assert any(said in caveat for caveat in drift_card(drift).caveats) is not has_interval


def test_other_vocabularies_are_refused_with_both_sizes(home):
    with pytest.raises(ModelUnavailable) as caught:
        api.drift([home / "base", home / "small"], text=home / "text.txt")
    assert "vocabularies of 384 and 350 tokens" in caught.value.message
    assert "assay compare" in caught.value.hint


def test_every_mistake_is_told_before_a_model_is_loaded(home, tmp_path):
    (tmp_path / "gate.toml").write_text("[drift]\n", "utf-8")
    with pytest.raises(Refusals) as caught:
        api.drift(["ollama:x@http://127.0.0.1:9", home / "none"], text=home / "none.txt",
                  gate=tmp_path / "gate.toml")  # fmt: skip
    said = str(caught.value)
    for words in ("'max_kl' or 'min_same_top'", "cannot read the text", "none"):
        assert words in said
    with pytest.raises(UsageError, match="between two models"):
        api.drift([home / "base"])
    (tmp_path / "other.toml").write_text("[speed]\nmin_tokens_per_s = 1\n", "utf-8")
    with pytest.raises(UsageError, match="no limit for drift"):
        api.drift([home / "base", home / "other"], gate=tmp_path / "other.toml")
    (tmp_path / "wrong.toml").write_text("[drift]\nmin_same_top = 2\n", "utf-8")
    with pytest.raises(InvalidFiles):
        api.drift([home / "base", home / "other"], gate=tmp_path / "wrong.toml")
