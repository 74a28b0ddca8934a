"""The specification's functions by name: on a path, on a loaded model, on batches."""

from __future__ import annotations

import copy
import json
import math

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

import assay
from assay.errors import AssayError, UsageError
from assay.suites.held_out_text import texts_given
from assay.types.tests import SHIPPED_SUITES

TINY = SHIPPED_SUITES.parent / "checkpoints" / "tiny"
STEP = TINY / "step_008000"
TEXT = "List all PCI devices: lspci. Install nginx on Debian: apt update && apt install nginx. " * 4
GOOD = (
    "an Intel Gigabit Ethernet controller, the 82574L. It is found in many servers and it needs "
    "the e1000e driver, which is part of the Linux kernel."
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture(scope="module")
def loaded():
    model = AutoModelForCausalLM.from_pretrained(STEP, dtype=torch.float32)
    return model, AutoTokenizer.from_pretrained(TINY)


@pytest.fixture
def benchmarks(home):
    for suite, category in (("mmlu", "computer_science"), ("hellaswag", "technical_subset")):
        tests = [
            {"id": f"{category}_{n}", "prompt": "Which command lists PCI devices?",
             "eval_method": "multiple_choice", "choices": ["lspci", "rm", "true"],
             "expected": letter}
            for n, letter in enumerate("ABCA")
        ]  # fmt: skip
        (home / "fetched" / suite).mkdir(parents=True)
        (home / "fetched" / suite / f"{category}.json").write_text(json.dumps(tests))
    return home / "fetched"


def specified_perplexity(model, test_dataset):
    """The code of the specification, "Perplexity on Test Set"."""
    model.eval()
    total_loss = 0
    total_tokens = 0
    with torch.no_grad():
        for batch in test_dataset:
            outputs = model(batch["input_ids"], labels=batch["input_ids"])
            total_loss += outputs.loss.item() * len(batch["input_ids"])
            total_tokens += len(batch["input_ids"])
    return torch.exp(torch.tensor(total_loss / total_tokens)).item()


def tiny_model(family):
    """Random weights, made large enough that tokens differ in how likely they are."""
    torch.manual_seed(3)
    if family == "llama":
        sizes = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "num_key_value_heads": 2, "bos_token_id": 1}  # fmt: skip
        model = LlamaForCausalLM(LlamaConfig(vocab_size=300, **sizes))
    else:
        sizes = {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 1}
        model = GPT2LMHeadModel(GPT2Config(vocab_size=300, eos_token_id=2, **sizes))
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(4.0)
    return model


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_ten_batches_have_the_perplexity_of_the_specifications_own_code(home, family):
    model = tiny_model(family).eval()
    draw = torch.Generator().manual_seed(7)
    batches = [{"input_ids": torch.randint(3, 300, (4, 40), generator=draw)} for _ in range(10)]
    expected = specified_perplexity(model, batches)
    found = assay.compute_perplexity(model, batches)
    assert found == pytest.approx(expected, rel=1e-5)
    assert math.log(found) == pytest.approx(math.log(expected), abs=1e-3)
    assert list(home.iterdir()) == []


def test_rows_of_other_lengths_are_weighted_by_their_tokens(home):
    """As the specification's formula has it: exp of the average loss of a token."""
    model = tiny_model("llama").eval()
    draw = torch.Generator().manual_seed(7)
    batches = [
        {"input_ids": torch.randint(3, 300, shape, generator=draw)} for shape in ((2, 5), (1, 50))
    ]
    with torch.no_grad():
        short, long = (model(b["input_ids"], labels=b["input_ids"]).loss.item() for b in batches)
    expected = math.exp((short * 2 * 4 + long * 49) / (2 * 4 + 49))
    assert not math.isclose(expected, specified_perplexity(model, batches), rel_tol=0.01)
    assert assay.compute_perplexity(model, batches) == pytest.approx(expected, rel=1e-5)


def test_the_programs_model_stays_as_it_is(home):
    model = tiny_model("gpt2").train()
    calls = []
    model.register_forward_hook(lambda *_: calls.append(1))
    names = [type(module).__name__ for module in model.modules()]
    weights = {name: weight.clone() for name, weight in model.named_parameters()}
    assay.compute_perplexity(model, [{"input_ids": torch.randint(3, 300, (2, 30))}])
    assert all(module.training for module in model.modules())
    assert [type(module).__name__ for module in model.modules()] == names
    assert model.config._attn_implementation == "sdpa"
    assert all(weight.requires_grad for weight in model.parameters())
    assert all(torch.equal(weight, weights[name]) for name, weight in model.named_parameters())


def test_a_path_a_pair_and_a_loaded_model_have_the_loss_of_transformers(home, loaded):
    model, tokenizer = loaded
    ids = tokenizer(TEXT, return_tensors="pt")["input_ids"]
    expected = specified_perplexity(model, [{"input_ids": ids}])
    (home / "text.txt").write_text(TEXT)
    for given in (STEP, str(STEP), loaded, model):
        for text in ([TEXT], home / "text.txt", [{"input_ids": ids}]):
            assert assay.compute_perplexity(given, text) == pytest.approx(expected, rel=1e-4)
    assert [path.name for path in home.iterdir()] == ["text.txt"]


def test_a_model_is_read_in_the_numbers_that_it_has(home, loaded):
    model = AutoModelForCausalLM.from_pretrained(STEP, dtype=torch.bfloat16)
    batches = [loaded[1](TEXT, return_tensors="pt")]
    exact, rounded = (specified_perplexity(each, batches) for each in (loaded[0], model))
    assert not math.isclose(exact, rounded, rel_tol=0.003)
    assert assay.compute_perplexity(model, batches) == pytest.approx(rounded, rel=0.003)


def test_a_text_longer_than_the_context_is_read_window_by_window(home):
    model = tiny_model("gpt2").eval()
    row = torch.randint(3, 300, (1, 200), generator=torch.Generator().manual_seed(1))
    assert 1 < assay.compute_perplexity(model, [row]) < math.inf


def test_what_cannot_be_read_is_refused(home, loaded):
    for wrong, said in (([[[5, 6, 9_999_999]]], "9999999"), ([torch.tensor([[5]])], "two tokens")):
        with pytest.raises(UsageError, match=said):
            assay.compute_perplexity(loaded, [{"input_ids": each} for each in wrong])
    with pytest.raises(UsageError, match="dtype"):
        assay.compute_perplexity(loaded, [TEXT], dtype="bfloat16")
    with pytest.raises(UsageError, match="likelihood"):
        (home / "answers.json").write_text('{"default": "yes"}')
        assay.compute_perplexity("scripted:answers.json", [TEXT])


def test_a_loaded_model_is_measured_with_the_weights_that_it_has_now_and_leaves_nothing(home):
    model = AutoModelForCausalLM.from_pretrained(STEP)
    before = assay.compute_perplexity(model, [TEXT])
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(0.5)
    assert not math.isclose(assay.compute_perplexity(model, [TEXT]), before, rel_tol=0.01)
    assert list(home.iterdir()) == []


def test_a_model_that_does_not_know_its_tokenizer_is_refused(home, loaded):
    model = AutoModelForCausalLM.from_config(loaded[0].config)
    model.name_or_path = str(home / "nowhere")
    with pytest.raises(AssayError, match="tokenizer") as refused:
        assay.compute_perplexity(model, [TEXT])
    assert "(model, tokenizer)" in refused.value.hint
    with pytest.raises(UsageError):
        assay.compute_perplexity(3, [TEXT])


def test_padded_batches_have_the_perplexity_of_their_rows(home, loaded):
    _, tokenizer = loaded
    rows = [tokenizer(text)["input_ids"] for text in (TEXT, TEXT[:90], TEXT[20:200])]
    expected = assay.compute_perplexity(loaded, [{"input_ids": row} for row in rows])
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    labels = ids.masked_fill(mask == 0, -100)
    left = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
    left_mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    for batch in (
        {"input_ids": ids, "attention_mask": mask},
        {"input_ids": ids, "labels": labels},
        {"input_ids": ids, "attention_mask": mask, "labels": labels},
        {"input_ids": left, "attention_mask": left_mask},
        {"input_ids": left, "labels": left.masked_fill(left_mask == 0, -100)},
        {"input_ids": labels},
    ):
        assert assay.compute_perplexity(loaded, [batch]) == pytest.approx(expected, rel=1e-6)


def test_labels_of_minus_100_are_read_as_context_and_not_counted(home, loaded):
    """As the specification's own code has it: the loss of the labels that are left."""
    model, tokenizer = loaded
    ids = torch.tensor([tokenizer(TEXT)["input_ids"][:40], tokenizer(TEXT[9:])["input_ids"][:40]])
    labels = ids.clone()
    labels[0, :12] = -100
    labels[1, 5:9] = -100
    labels[1, 30:] = -100
    with torch.no_grad():
        logits = copy.deepcopy(model).float()(ids).logits[:, :-1].log_softmax(-1)
    wanted = labels[:, 1:]
    kept = wanted != -100
    found = logits.gather(2, wanted.clamp(min=0)[..., None])[..., 0][kept]
    expected = torch.exp(-found.mean()).item()
    batches = [{"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}]
    assert assay.compute_perplexity(loaded, batches) == pytest.approx(expected, rel=1e-4)
    with pytest.raises(UsageError, match="context"):
        assay.evaluate_model(STEP, batches, ["perplexity"])


def test_batches_are_cut_into_rows_and_what_cannot_be_read_is_named():
    (document,) = texts_given([torch.tensor([[5, 6, 7]])]).documents
    assert document.tokens == [5, 6, 7]
    padded = {"input_ids": [[5, 6], [0, 0]], "attention_mask": [[1, 1], [0, 0]]}
    assert len(texts_given([padded]).documents) == 1
    (of_a_class,) = texts_given([{"input_ids": [5, 6], "labels": 1}]).documents
    assert of_a_class.tokens == [5, 6]
    for wrong, said in (
        ({"input_ids": [[5, 6, 7]], "labels": [[-100, -100, 7]]}, "context"),
        ({"input_ids": [[5, 6, 7]], "labels": [[5, -100, 7]]}, "context"),
        ({"input_ids": [[5, 6, 7]], "labels": [[5, 6, 8]]}, "differ"),
        ({"input_ids": [[5, 6, 7]], "attention_mask": [[1, 1]]}, "shape"),
    ):
        with pytest.raises(UsageError, match=said):
            texts_given([wrong])


def test_benchmarks_have_the_figures_of_the_report(home, benchmarks, loaded):
    metrics = ["mmlu", "hellaswag", "os_benchmark"]
    report = assay.evaluate_model(STEP, metrics=metrics, benchmarks=benchmarks, limit=16)
    for model in (str(STEP), loaded):
        how = {"benchmarks": benchmarks, "limit": 16}
        mmlu = assay.run_mmlu_benchmark(model, "computer_science", **how)
        assert mmlu == pytest.approx(report["mmlu_cs"], abs=1e-6)
        swag = assay.run_hellaswag_benchmark(model, "technical", **how)
        assert swag == pytest.approx(report["hellaswag"], abs=1e-6)
        assert assay.run_os_benchmark(model, **how) == pytest.approx(report["os_benchmark"])
    with pytest.raises(UsageError, match="astronomy"):
        assay.run_mmlu_benchmark(STEP, "astronomy", benchmarks=benchmarks)


def test_no_function_leaves_anything_in_the_working_folder(home, benchmarks, loaded, monkeypatch):
    (home / "empty").mkdir()
    monkeypatch.chdir(home / "empty")
    how = {"benchmarks": benchmarks, "limit": 4}
    figures = {"perplexity": 20.0}
    for model in (STEP, loaded):
        assay.compute_perplexity(model, [TEXT])
        figures["mmlu_cs"] = assay.run_mmlu_benchmark(model, **how)
        assay.run_hellaswag_benchmark(model, **how)
        figures["os_benchmark"] = assay.run_os_benchmark(model, **how)
    assay.compute_weighted_score(figures)
    assay.check_generation_quality("PCI device 8086:10d3 is", GOOD)
    assert list((home / "empty").iterdir()) == []
    assert not (STEP / "evaluation_report.json").exists()
    assay.run_mmlu_benchmark(STEP, **how, out="kept")
    assert (home / "empty" / "kept" / "assay.db").is_file()


def test_a_benchmark_that_was_not_fetched_is_an_error_with_the_command(home):
    with pytest.raises(AssayError, match="assay fetch mmlu"):
        assay.run_mmlu_benchmark(STEP)


def test_the_os_benchmark_takes_files_of_a_folder(home):
    tests = [{"id": "own", "prompt": "2 + 2 =", "eval_method": "exact_match", "expected": "nine"}]
    (home / "mine").mkdir()
    (home / "mine" / "hardware_id.json").write_text(json.dumps(tests))
    found = assay.run_os_benchmark(STEP, home / "mine", limit=8)
    assert found["hardware_id"] == 0
    assert {*found} == {"hardware_id", "driver_select", "command_complete", "installation", "avg"}
    with pytest.raises(UsageError, match="nowhere"):
        assay.run_os_benchmark(STEP, "nowhere")


def test_the_weighted_score_is_the_formula_of_the_specification():
    metrics = {
        "perplexity": 18.5, "mmlu_cs": 0.42, "inference_speed": 32.5,
        "os_benchmark": {"hardware_id": 0.82, "driver_select": 0.75, "command_complete": 0.88},
    }  # fmt: skip
    average = (0.82 + 0.75 + 0.88) / 3
    expected = 0.4 * 10 / 18.5 + 0.3 * average + 0.2 * 0.42 + 0.1 * 32.5 / 50
    assert assay.compute_weighted_score(metrics) == pytest.approx(expected, abs=1e-12)
    metrics["os_benchmark"]["avg"] = 0.5
    changed = assay.compute_weighted_score({**metrics, "mmlu_cs": None})
    assert changed == pytest.approx(expected + 0.3 * (0.5 - average) - 0.2 * 0.42, abs=1e-12)
    for wrong in ({"perplexity": "low"}, {"perplexity": 0}):
        with pytest.raises(UsageError, match="perplexity"):
            assay.compute_weighted_score(wrong)


def test_the_weighted_score_of_a_report_is_the_one_that_it_has(home):
    report = assay.evaluate_model(STEP, [TEXT], ["perplexity", "os_benchmark"], limit=16)
    stated = report["details"]["weighted_score"]
    assert assay.compute_weighted_score(report) == pytest.approx(stated, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    ["", "too short", "the driver " * 60, "I like cake and tea and also the sea a lot, yes."],
)
def test_a_generation_is_good_where_every_check_passes(text):
    assert assay.check_generation_quality("PCI device 8086:10d3 is", GOOD) is True
    assert assay.check_generation_quality("PCI device 8086:10d3 is", text) is False


def test_one_answer_is_scored_by_its_test(home):
    test = {"prompt": "2 + 2?", "eval_method": "exact_match", "expected": "4"}
    assert assay.score(test, "4").value == 1
    assert assay.score(test, "5").value == 0
    (home / "mine").mkdir()
    (home / "mine" / "sums.json").write_text(json.dumps([{"id": "sum_1", **test}]))
    assert assay.score("sum_1", "4", suite="mine").value == 1
    assert assay.score("mine/sum_1", "5").value == 0
    judged = assay.score("coding/CT-01", "def search(): ...")
    assert (judged.value, judged.unscored_reason) == (None, "no_judge")
    for wrong in ("sum_1", "mine/sum_2"):
        with pytest.raises(UsageError, match="sum_"):
            assay.score(wrong, "4")
