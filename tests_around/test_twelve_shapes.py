"""The twelve shapes that stand for the harness's 13,001 tasks: its own `hf` model and ours, same
task files, request by request, in float32.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import CachingLM, TemplateLM
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

from assay.interfaces.lm_eval import AssayLM
from tests_around.conftest import ROOT

HERE = Path(__file__).parent / "twelve_shapes"
# Another model by hand, with its tokenizer and chat template: ASSAY_SHAPES=FOLDER make test-around
OTHER = os.environ.get("ASSAY_SHAPES")
TINY = Path(OTHER) if OTHER else ROOT / "src/assay/builtin/checkpoints/tiny"
STEP = TINY if OTHER else TINY / "step_008000"
NEAR = 1e-3
LIKELIHOODS = [
    "s01_letters",
    "s02_endings",
    "s03_no_spaces",
    "s04_pronouns",
    "s05_entailment",
    "s05_mutual_information",
    "s06_last_words",
]
WRITTEN = ["s08_sums", "s09_dialogues", "s10_until_missing", "s10_until_empty", "s11_repeats"]
ALL = [*LIKELIHOODS, "s07_pages", *WRITTEN, "s12_outer"]
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
CONDITIONS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "as they are": ({}, {}, ALL),
    "a window of 64 tokens": ({"max_length": 64}, {}, ALL),
    "with BOS": ({"add_bos_token": True}, {}, [*ALL[:-1], "s12_tag"]),
    "without BOS": ({"add_bos_token": False}, {}, ALL),
    "a chat template": (
        {"chat": True},
        {
            "apply_chat_template": True,
            "system_instruction": "You know computers.",
            "fewshot_as_multiturn": True,
        },
        [name for name in ALL if name != "s07_pages"],
    ),
    "a text that ends thoughts": ({"think_end_token": " the"}, {}, WRITTEN),
    "a token that ends thoughts": ({"think_end_token": "THE_ID"}, {}, WRITTEN),
}


@pytest.fixture(scope="module")
def chatty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model's tokenizer, with a chat template."""
    if OTHER:
        return TINY
    folder = tmp_path_factory.mktemp("tokenizer")
    shutil.copy(TINY / "tokenizer.json", folder)
    told = json.loads((TINY / "tokenizer_config.json").read_text("utf-8"))
    told["chat_template"] = TEMPLATE
    (folder / "tokenizer_config.json").write_text(json.dumps(told), "utf-8")
    return folder


def made(kind: str, chatty: Path, options: dict[str, Any]) -> Any:
    """A model of the harness, as its command line makes it."""
    options = dict(options)
    tokenizer = chatty if options.pop("chat", False) else TINY
    if options.get("think_end_token") == "THE_ID":
        options["think_end_token"] = the_id(" the")
    if kind == "hf":
        options["batch_size"] = 1
    return get_model(kind)(
        pretrained=str(STEP),
        tokenizer=str(tokenizer),
        dtype="float32",
        device="cpu",
        **options,
    )


@cache
def the_id(text: str) -> str:
    from transformers import AutoTokenizer

    (found,) = AutoTokenizer.from_pretrained(TINY).encode(text, add_special_tokens=False)
    return str(found)


@cache
def manager() -> TaskManager:
    return TaskManager(include_path=str(HERE), include_defaults=False)


def evaluated(model: Any, tasks: list[str], **options: Any) -> dict[str, Any]:
    with chdir(HERE):
        found = lm_eval.simple_evaluate(
            model=model, tasks=tasks, task_manager=manager(), bootstrap_iters=0, **options
        )
    assert found is not None
    return found


@pytest.fixture(scope="module", params=CONDITIONS)
def both(request: pytest.FixtureRequest, chatty: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `hf` finds and what we find, under one condition."""
    model, run, tasks = CONDITIONS[request.param]
    theirs, ours = (evaluated(made(kind, chatty, model), tasks, **run) for kind in ("hf", "assay"))
    return theirs, ours


def pairs(both: tuple[dict[str, Any], dict[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
    theirs, ours = (found["samples"] for found in both)
    assert set(theirs) == set(ours)
    for task in theirs:
        for one, other in zip(theirs[task], ours[task], strict=True):
            assert one["doc_hash"] == other["doc_hash"]
            assert one["prompt_hash"] == other["prompt_hash"]
            yield task, one, other


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def alike(one: Any, other: Any, near: float = NEAR) -> bool:
    first, second = list(leaves(one)), list(leaves(other))
    return len(first) == len(second) and all(
        math.isclose(a, b, abs_tol=near, rel_tol=near)
        if isinstance(a, float) and isinstance(b, float)
        else a == b
        for a, b in zip(first, second, strict=True)
    )


def test_replies_and_what_filters_make_of_them_are_those_of_hf(both) -> None:
    compared = 0
    for task, theirs, ours in pairs(both):
        for name in ("resps", "filtered_resps", "target"):
            assert alike(theirs[name], ours[name]), (task, theirs[name], ours[name])
        compared += len(list(leaves(ours["resps"])))
    assert compared > 100


def likelihoods_apart(both: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, float]:
    """By task, how far the two are apart at most."""
    found: dict[str, float] = {}
    for task, theirs, ours in pairs(both):
        for a, b in zip(leaves(theirs["resps"]), leaves(ours["resps"]), strict=True):
            if isinstance(a, float):
                found[task] = max(found.get(task, 0.0), abs(a - b))
    return found


def test_no_log_likelihood_is_further_than_a_thousandth_from_that_of_hf(both) -> None:
    """Whole documents in the next test: `hf` alone is further from the exact value than that."""
    apart = likelihoods_apart(both)
    assert all(most <= NEAR for task, most in apart.items() if task != "s07_pages"), apart


@pytest.mark.parametrize(
    "condition", [name for name, (_, _, tasks) in CONDITIONS.items() if "s07_pages" in tasks]
)
def test_whole_documents_are_within_a_thousandth_where_hf_normalises_exactly(
    chatty: Path, condition: str
) -> None:
    """Its softmax in float32 makes each of thousands of tokens too likely by a millionth or two."""
    model, run, _ = CONDITIONS[condition]
    exact = made("hf", chatty, {**model, "softmax_dtype": "float64"})
    theirs, ours = (
        evaluated(each, ["s07_pages"], **run) for each in (exact, made("assay", chatty, model))
    )
    assert 0 < likelihoods_apart((theirs, ours))["s07_pages"] <= NEAR


def test_every_metric_of_tasks_and_groups_is_that_of_hf(both) -> None:
    theirs, ours = both
    for part in ("results", "groups", "n-samples"):
        assert alike(theirs.get(part), ours.get(part)), part


def test_the_fixtures_are_not_answered_alike_by_chance() -> None:
    """Texts that differ, likelihoods of both kinds, and accuracies between 0 and 1."""
    found = evaluated(made("assay", TINY, {}), ALL)
    metrics = {
        value
        for told in found["results"].values()
        for name, value in told.items()
        if name.startswith(("acc", "exact_match", "f1")) and isinstance(value, float)
    }
    assert len(metrics) > 5
    texts = {text for sample in found["samples"]["s08_sums"] for text in leaves(sample["resps"])}
    assert len(texts) > 3
    greedy = {
        value
        for task in ("s01_letters", "s06_last_words")
        for sample in found["samples"][task]
        for value in leaves(sample["resps"])
        if isinstance(value, bool)
    }
    assert greedy == {True, False}


# ------------------------------------------------------------------------------------- one by one


@pytest.fixture(scope="module")
def ours(chatty: Path) -> AssayLM:
    model: AssayLM = made("assay", chatty, {"chat": True})
    return model


def requests(kind: str, arguments: list[tuple[Any, ...]]) -> list[Instance]:
    return [Instance(kind, {}, given, number) for number, given in enumerate(arguments)]


def asked_pairs() -> list[tuple[str, str]]:
    """Every pair of the likelihood shapes, and corners of the splitting."""
    with chdir(HERE):
        tasks = manager().load(LIKELIHOODS)["tasks"]
        found = []
        for task in tasks.values():
            task.build_all_requests(rank=0, world_size=1)
            found += [each.args for each in task.instances]
    corners = [
        ("", " word"),
        ("", "<|endoftext|>word"),
        ("<|endoftext|>A file", " is read"),
        ("ends in blanks  \n ", "and goes on"),
        ("half a wo", "rd"),
        ("A line\n\nand another one of many words", "\n\nnext"),
        ("1,2", "34"),
        ("é", "è ü"),
        ("tab\t", "\tbed"),
    ]
    return [*found, *corners]


@pytest.mark.parametrize("bos", [None, True, False])
def test_pairs_encoded_together_are_split_as_the_harness_splits_one(chatty, bos) -> None:
    model = made("assay", chatty, {"add_bos_token": bos})
    hf = made("hf", chatty, {"add_bos_token": bos})
    asked = asked_pairs()
    if bos is not False:  # without BOS nothing is left of such a context, and `hf` stops
        asked.append((" \n", "word"))
    assert len(asked) > 150
    for pair, (context, continuation) in zip(asked, model.scorer.encode_pairs(asked), strict=True):
        if pair[0]:
            for twin in (model, hf):
                assert TemplateLM._encode_pair(twin, *pair) == ([*context], [*continuation]), pair
        for text in pair:
            assert model.tok_encode(text) == hf.tok_encode(text)


def test_results_come_by_position_however_often_a_request_is_repeated(ours) -> None:
    one, other = requests("loglikelihood", [("A file", " is read"), ("A disk", " is full")])
    alone = [ours.loglikelihood([each])[0] for each in (one, other)]
    assert alike(
        ours.loglikelihood([one, other, one, one]), [alone[number] for number in (0, 1, 0, 0)]
    )
    text = Instance("generate_until", {}, ("A file", {"until": ["."], "max_gen_toks": 8}), 0)
    assert len(set(ours.generate_until([text, text]))) == 1


def test_repeats_of_a_sampled_request_differ_and_come_again(ours) -> None:
    found = [evaluated(ours, ["s11_sampled"])["samples"]["s11_sampled"] for _ in range(2)]
    texts = [[sample["resps"][0] for sample in samples] for samples in found]
    assert texts[0] == texts[1]
    assert all(len(four) == 4 for four in texts[0])
    assert sum(len(set(four)) == 4 for four in texts[0]) >= len(texts[0]) / 2


def test_only_the_likeliest_are_drawn_where_a_task_says_so(ours) -> None:
    narrow = {"do_sample": True, "temperature": 5.0, "max_gen_toks": 12}
    asked = requests(
        "generate_until",
        [
            ("The file is", {"max_gen_toks": 12}),
            ("The file is", {**narrow, "top_k": 1}),
            ("The file is", {**narrow, "top_p": 1e-6}),
            ("The file is", {**narrow, "top_k": 0}),
        ],
    )
    best, by_k, by_p, wide = ours.generate_until(asked)
    assert best == by_k == by_p != wide


def test_each_reply_is_in_the_harnesses_cache_as_soon_as_it_is_there(ours, tmp_path) -> None:
    asked = {
        "loglikelihood": [("A file", " is read"), ("A disk", " is full")],
        "loglikelihood_rolling": [("A file is read.",)],
        "generate_until": [("A file", {"until": ["."], "max_gen_toks": 8})],
    }
    caching = CachingLM(ours, str(tmp_path / "replies.db"))
    for kind, arguments in asked.items():
        found = getattr(ours, kind)(requests(kind, arguments))  # not by the cache itself
        assert len(caching.dbdict) >= len(arguments)
        assert alike(getattr(caching, kind)(requests(kind, arguments)), found, near=0.0)
    caching.dbdict.close()
    ours.set_cache_hook(type(ours.cache_hook)(None))


def test_an_answer_longer_than_the_window_is_shortened(chatty) -> None:
    model = made("assay", chatty, {"max_length": 64})
    (text,) = model.generate_until(
        requests("generate_until", [("The file", {"until": [], "max_gen_toks": 2048})])
    )
    assert 0 < len(model.tok_encode(text)) <= 64


def test_a_special_token_written_as_a_stop_ends_a_text(ours) -> None:
    """`hf` looks for stops in the text with its special tokens."""
    written = ours.generate_until(
        requests(
            "generate_until",
            [
                ("The file", {"until": until, "max_gen_toks": 200})
                for until in ([], ["<|endoftext|>"])
            ],
        )
    )
    assert written[0] == written[1]
    assert "<|endoftext|>" not in written[1]


def test_what_cannot_be_scored_or_generated_is_refused_with_its_text(ours) -> None:
    from assay.errors import UsageError

    with pytest.raises(UsageError, match="no token is left to score"):
        ours.loglikelihood(requests("loglikelihood", [("A file", "")]))
    with pytest.raises(UsageError, match="num_beams"):
        ours.generate_until(requests("generate_until", [("A", {"num_beams": 4})]))
    with pytest.raises(UsageError, match="temperature above 0"):
        ours.generate_until(requests("generate_until", [("A", {"do_sample": True})]))
    with pytest.raises(UsageError, match="parallelize"):
        AssayLM(str(STEP), parallelize=True)


# ------------------------------------------------------------------------------ the command line


def test_the_command_line_has_both_models(tmp_path) -> None:
    """The same words with `--model hf` and `--model assay` give the same table."""
    tables = []
    for kind in ("hf", "assay"):
        words = [
            "-m", "assay.lm_eval", "run", "--model", kind, "--tasks", "s01_letters.yaml",
            "--model_args", f"pretrained={TINY / 'step_008000'},tokenizer={TINY},dtype=float32",
            "--device", "cpu", "--batch_size", "1", "--output_path", str(tmp_path / kind),
            "--log_samples",
        ]  # fmt: skip
        done = subprocess.run(
            [sys.executable, *words], cwd=HERE, capture_output=True, text=True, env={**os.environ}
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert f"{kind} (" in done.stdout
        tables.append([line for line in done.stdout.splitlines() if line.startswith("|")])
        (results,) = (tmp_path / kind).rglob("results_*.json")
        assert json.loads(results.read_text("utf-8"))["config"]["model"] == kind
    assert tables[0] == tables[1] != []
