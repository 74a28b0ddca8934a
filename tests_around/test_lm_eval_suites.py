"""`assay run -s lm-eval:TASK`: the harness's own results, in our store, with our intervals. The
harness's side is its `simple_evaluate` with our model, which test_twelve_shapes.py holds to `hf`.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import chdir
from itertools import pairwise
from pathlib import Path
from typing import Any

import lm_eval
import peft
import pytest
import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from transformers import AutoModelForCausalLM

import assay
from assay.errors import UsageError
from assay.interfaces.lm_eval import AssayLM
from tests_around.conftest import ROOT
from tests_around.scoring_server import NAME, scoring_server

HERE = Path(__file__).parent / "twelve_shapes"
TINY = ROOT / "src/assay/builtin/checkpoints/tiny"
STEP = TINY / "step_008000"
SHAPES = [
    "s01_letters",
    "s02_endings",
    "s03_no_spaces",
    "s04_pronouns",
    "s05_entailment",
    "s05_mutual_information",
    "s06_last_words",
    "s07_pages",
    "s08_sums",
    "s09_dialogues",
    "s10_until_missing",
    "s10_until_empty",
    "s11_repeats",
    "s12_outer",
]


def run(suites: list[str], out: Path, model: str | Path = STEP, **options: Any) -> Any:
    with chdir(HERE):
        return assay.run(
            str(model),
            suites=[f"lm-eval:{name}" for name in suites],
            include_path=[HERE],
            out=out,
            **{"allow_code_execution": True, **options},
        )


def values_of(results: dict[str, Any]) -> dict[str, float]:
    """The harness's metrics by our names; one of a filter has its name behind it."""
    return {
        f"{task}/{key.removesuffix(',none')}": value
        for task, metrics in results["results"].items()
        for key, value in metrics.items()
        if "," in key and "_stderr" not in key
    }


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    model = AssayLM(pretrained=str(STEP), tokenizer=str(TINY), dtype="float32", device="cpu")
    with chdir(HERE):
        manager = TaskManager(include_path=str(HERE), include_defaults=False)
        found = lm_eval.simple_evaluate(
            model=model, tasks=SHAPES, task_manager=manager, bootstrap_iters=0
        )
    assert found is not None
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    result = run(SHAPES, tmp_path_factory.mktemp("out"))
    return result.to_dict()["models"][0]


def test_every_metric_of_all_shapes_is_the_harness_s_own(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    expected = values_of(theirs)
    assert len(expected) > 25
    for name, value in expected.items():
        assert ours["measurements"][name]["value"] == pytest.approx(value, rel=1e-9), name
        assert ours["measurements"][name]["n"] > 0


def test_a_metric_has_our_interval(ours: dict[str, Any]) -> None:
    found = ours["measurements"]
    share = found["s01_letters/acc"]
    assert (share["unit"], share["method"]) == ("share", "wilson")
    for name in ("s07_pages/word_perplexity", "s10_until_empty/bleu", "s05_entailment/f1"):
        one = found[name]
        assert one["low"] is not None, name
        assert one["low"] <= one["value"] <= one["high"], name


def test_every_document_is_a_row_scored_by_the_first_share(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    suite = next(each for each in ours["suites"] if each["suite"] == "lm-eval:s02_endings")
    samples = {each["doc_id"]: each["acc"] for each in theirs["samples"]["s02_endings"]}
    assert [row["score"] for row in suite["tests"]] == [samples[n] for n in sorted(samples)]
    accuracy = theirs["results"]["s02_endings"]["acc,none"]
    assert suite["score"]["value"] == pytest.approx(100 * accuracy)


def test_a_task_without_a_share_has_no_score(ours: dict[str, Any]) -> None:
    suite = next(each for each in ours["suites"] if each["suite"] == "lm-eval:s07_pages")
    assert suite["score"]["value"] is None


def test_a_group_scores_as_the_harness_aggregates_it(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    suite = next(each for each in ours["suites"] if each["suite"] == "lm-eval:s12_outer")
    group = theirs["results"]["s12_outer"]
    first = next(value for key, value in group.items() if "," in key and "_stderr" not in key)
    assert suite["score"]["value"] == pytest.approx(100 * first)
    assert len(suite["categories"]) > 1


# ---------------------------------------------------------------------------------- refusals


def write_task(
    folder: Path, name: str, text: str, rows: list[dict[str, Any]] | None = None
) -> Path:
    folder.mkdir(exist_ok=True)
    data = folder / f"{name}.json"
    data.write_text(json.dumps(rows or [{"question": "1 + 1 =", "answer": "2"}]), "utf-8")
    body = (
        f"task: {name}\ndataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {data}}}}}\ntest_split: test\n"
    )
    (folder / f"{name}.yaml").write_text(body + text, "utf-8")
    return folder


WRITTEN = (
    'output_type: generate_until\ndoc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\n'
    'generation_kwargs: {until: ["\\n"], max_gen_toks: 8}\nmetric_list: [{metric: exact_match}]\n'
)


def refused(folder: Path, name: str, **options: Any) -> str:
    with pytest.raises(UsageError) as caught:
        assay.run(
            str(STEP), suites=[f"lm-eval:{name}"], include_path=[folder], out=folder, **options
        )
    assert not (folder / "assay.db").exists()
    return f"{caught.value.message} | {caught.value.hint}"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("unsafe_code: true\n", "unsafe_code"),
        ('doc_to_image: "{{picture}}"\n', "images"),
        ('doc_to_audio: "{{sound}}"\n', "images or plays sound"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(tmp_path: Path, more: str, words: str) -> None:
    said = refused(write_task(tmp_path / "t", "odd_task", WRITTEN + more), "odd_task")
    assert "odd_task" in said
    assert words in said


def test_a_data_set_with_a_loading_script_is_refused(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", "scripted_data", WRITTEN)
    script = tmp_path / "made" / "made.py"
    script.parent.mkdir()
    script.write_text("raise SystemExit('this must not run')\n")
    file = folder / "scripted_data.yaml"
    file.write_text(file.read_text().replace("dataset_path: json", f"dataset_path: {script}"))
    assert "loading script" in refused(folder, "scripted_data")


@pytest.mark.parametrize(
    "line", ["process_docs: !function own.change\n", "class: !function own.T\n"]
)
def test_code_of_a_user_s_file_needs_permission(tmp_path: Path, line: str) -> None:
    folder = write_task(tmp_path / "t", "own_code", WRITTEN + line)
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\ndef change(docs): return docs\n")
    said = refused(folder, "own_code")
    assert "own_code.yaml" in said
    assert "--allow-code-execution" in said
    assert not ran.exists()


def test_a_template_of_a_user_s_file_reaches_no_program(tmp_path: Path) -> None:
    mark = tmp_path / "run"
    reach = "{{cycler.__init__.__globals__.os.mkdir('" + str(mark) + "')}}{{question}}"
    folder = write_task(tmp_path / "t", "sly", WRITTEN.replace("{{question}}", reach))
    said = refused(folder, "sly")
    assert "unsafe" in said
    assert not mark.exists()


@pytest.mark.parametrize("more", ["", ", hf_evaluate: true"])
def test_a_metric_that_is_a_program_needs_permission(tmp_path: Path, more: str) -> None:
    """The library `evaluate` runs the program of the folder or hub repository that is named."""
    program = tmp_path / "own_metric" / "own_metric.py"
    program.parent.mkdir()
    ran = tmp_path / "ran"
    program.write_text(f"open({str(ran)!r}, 'w')\n")
    metric = f"metric: exact_match{more}" if more else f"metric: {program.parent}"
    text = WRITTEN.replace("metric: exact_match", metric)
    said = refused(write_task(tmp_path / "t", "own_metric", text), "own_metric")
    assert "--allow-code-execution" in said
    assert ("hf_evaluate" if more else "metric: ") in said
    assert not ran.exists()


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
GROWS = (
    "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}"
)
HOSTILE = {
    "an alias of itself": ("metadata: &all [*all]\n", "unfolds to more than"),
    "aliases that unfold": (
        "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(
            f"{one}: &{one} [{', '.join(['*' + of] * 10)}]\n"
            for of, one in pairwise("abcdefgh")
        ),
        "unfolds to more than",
    ),
    "brackets without end": (f"metadata: {'[' * 5000}\n", "no task file"),
    "a file that includes itself": ("include: hostile.yaml\n", "Include cycle"),
    "a file elsewhere that is no task": ("include: ../secret.txt\n", "no task file"),
    "a program's tag": ("metadata: !!python/object/apply:os.getcwd []\n", "no task file"),
    "bytes that are no text": ("metadata: \x00\x01\n", "no task file"),
    "a loop without end": (f'description: "{LOOP}"\n', "more than 1000000 steps"),
    "a text that grows": (f'description: "{GROWS}"\n', "too large"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_in_words(tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret.txt").write_text("the words of a secret\n")
    more, words = HOSTILE[kind]
    folder = write_task(tmp_path / "t", "hostile", WRITTEN + more)
    said = refused(folder, "hostile")
    assert words in said
    assert "hostile" in said
    assert "the words of a secret" not in said


def test_a_file_larger_than_any_task_is_refused(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", "huge", WRITTEN)
    with (folder / "huge.yaml").open("a") as file:
        file.write("# " + "x" * 2**23)
    assert "huge.yaml is larger than" in refused(folder, "huge")


def test_groups_that_hold_each_other_are_refused_in_words(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", "a_task", WRITTEN)
    for one, other in ("ab", "ba"):
        (folder / f"{one}.yaml").write_text(f"group: group_{one}\ntask: [group_{other}]\n")
    assert "group_a" in refused(folder, "group_a")


def test_a_name_that_is_a_path_writes_nowhere_else(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", "sums", WRITTEN)
    file = folder / "sums.yaml"
    file.write_text(file.read_text().replace("task: sums", "task: ../../../sums"))
    script = tmp_path / "script.json"
    script.write_text('{"default": "2"}')
    before = set(tmp_path.rglob("*"))
    out = tmp_path / "deep" / "er" / "out"
    assay.run(
        f"scripted:{script}", suites=["lm-eval:../../../sums"], include_path=[folder], out=out
    )
    made = set(tmp_path.rglob("*")) - before
    assert made
    assert all(each.is_relative_to(tmp_path / "deep") for each in made)
    assert not list((tmp_path / "deep").glob("sums*"))
    assert not list((tmp_path / "deep" / "er").glob("sums*"))


def test_an_unknown_task_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", "my_sums", WRITTEN)
    assert "my_sums" in refused(folder, "my_sumz")


def test_a_model_that_scores_no_text_is_refused_for_likelihoods(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"default": "2"}')
    with pytest.raises(UsageError, match="s01_letters compare them"):
        run(["s01_letters"], tmp_path / "out", f"scripted:{script}")


# -------------------------------------------------------------------- other models, other ways


def test_a_scripted_model_answers_generation_tasks(tmp_path: Path) -> None:
    rows = [{"question": f"{n} + 1 =", "answer": str(n + 1)} for n in range(3)]
    folder = write_task(tmp_path / "t", "my_sums", WRITTEN, rows)
    script = tmp_path / "script.json"
    script.write_text('{"answers": {"my_sums_1": "2\\nand more"}, "default": "1\\n"}')
    found = assay.run(
        f"scripted:{script}", suites=["lm-eval:my_sums"], include_path=[folder], out=tmp_path
    ).to_dict()["models"][0]
    assert found["measurements"]["my_sums/exact_match"]["value"] == pytest.approx(2 / 3)
    rows = found["suites"][0]["tests"]
    assert [row["score"] for row in rows] == [1.0, 1.0, 0.0]
    assert [row["answer"] for row in rows] == ["1", "2", "1"]


def test_a_model_of_one_s_own_answers_likelihood_tasks(tmp_path: Path) -> None:
    """It reads bytes, and finds every byte as likely as the others."""
    import numpy as np

    class Bytes:
        fingerprint = "bytes"
        context_length = 512

        def tokenize(self, text: str) -> list[int]:
            return list(text.encode())

        def logits(self, rows: list[list[int]]) -> Any:
            return np.zeros((len(rows), len(rows[0]), 256))

    with chdir(HERE):
        found = assay.run(
            Bytes(), suites=["lm-eval:s06_last_words"], include_path=[HERE], out=tmp_path,
            allow_code_execution=True,
        ).to_dict()["models"][0]  # fmt: skip
    assert found["measurements"]["s06_last_words/perplexity"]["value"] > 256


def test_a_sample_of_documents_is_the_same_documents_of_the_whole(
    tmp_path: Path, ours: dict[str, Any]
) -> None:
    some = run(["s02_endings"], tmp_path, limit=3).to_dict()["models"][0]["suites"][0]
    whole = next(each for each in ours["suites"] if each["suite"] == "lm-eval:s02_endings")
    rows = {row["id"]: row["score"] for row in whole["tests"]}
    assert len(some["tests"]) == 3
    assert all(rows[row["id"]] == row["score"] for row in some["tests"])


def test_a_gate_decides_on_a_metric(tmp_path: Path) -> None:
    gate = tmp_path / "gate.toml"
    text = '[[suite]]\nname = "lm-eval:s02_endings"\nmetric = "acc_norm"\nmin = {}\n'
    gate.write_text(text.format(-0.5))
    good = run(["s02_endings"], tmp_path, gate=gate, write_back=False)
    assert good.models[0].accepted is True
    assert (
        "suite:lm-eval:s02_endings/acc_norm" in good.to_dict()["models"][0]["decision"]["criteria"]
    )
    gate.write_text(text.format(1.5))
    assert run(["s02_endings"], tmp_path, gate=gate, write_back=False).exit_code == 1


def test_a_metric_that_a_task_lacks_decides_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate.toml"
    gate.write_text('[[suite]]\nname = "lm-eval:s02_endings"\nmetric = "f1"\nmin = 0.5\n')
    found = run(["s02_endings"], tmp_path, gate=gate, write_back=False)
    assert found.models[0].accepted is None
    criteria = found.to_dict()["models"][0]["decision"]["criteria"]
    assert "acc_norm" in criteria["suite:lm-eval:s02_endings/f1"]["reason"]


def test_two_runs_of_a_task_are_compared_document_by_document(tmp_path: Path) -> None:
    first = run(["s02_endings"], tmp_path)
    second = run(["s02_endings"], tmp_path, TINY / "step_005600")
    compared = assay.compare(first.run, second.run, out=tmp_path)
    suite = compared.pairs[0].suites[0]
    assert suite.suite == "lm-eval:s02_endings"
    assert suite.difference.n == 8


def test_a_server_that_scores_prompts_gives_the_harness_s_likelihoods(
    tmp_path: Path, ours: dict[str, Any]
) -> None:
    tasks = ["s02_endings", "s06_last_words", "s08_sums"]
    with scoring_server(STEP, TINY) as url:
        found = run(tasks, tmp_path, f"openai:{NAME}@{url}", form="completions")
    served = found.to_dict()["models"][0]["measurements"]
    for task in tasks:
        names = [each for each in ours["measurements"] if each.startswith(f"{task}/")]
        assert names
        for each in names:
            expected = ours["measurements"][each]["value"]
            assert served[each]["value"] == pytest.approx(expected, rel=1e-4), each


def test_a_gguf_file_scores_as_the_checkpoint_that_it_was_made_of(
    tmp_path: Path, shared: Path
) -> None:
    stories = shared / "models/stories260K"
    (file,) = sorted((stories / "gguf").glob("*.gguf"))
    tasks = ["s02_endings", "s06_last_words", "s07_pages", "s08_sums"]
    # The folder's own tokenizer drops double blanks; a file is read as llama.cpp reads it.
    by_file = run(tasks, tmp_path, f"gguf:{file}", tokenizer=stories).to_dict()
    by_file = by_file["models"][0]["measurements"]
    by_folder = run(tasks, tmp_path, stories, write_back=False).to_dict()["models"][0]
    assert len(by_file) > len(tasks)
    for name, measured in by_folder["measurements"].items():
        assert by_file[name]["value"] == pytest.approx(measured["value"], rel=1e-4), name


def test_an_adapter_scores_as_the_harness_scores_it_with_peft(tmp_path: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(STEP)
    settings = peft.LoraConfig(
        task_type="CAUSAL_LM", r=4, lora_alpha=64, init_lora_weights=False,
        target_modules=["q_proj", "down_proj"],
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        peft.get_peft_model(model, settings).save_pretrained(tmp_path / "adapter")
    tasks = ["s02_endings", "s06_last_words", "s08_sums"]
    models = run(tasks, tmp_path, tmp_path / "adapter", base=str(STEP), tokenizer=TINY,
                 write_back=False).to_dict()["models"]  # fmt: skip
    ours = {name: each for model in models if model["model"].endswith("adapter")
            for name, each in model["measurements"].items()}  # fmt: skip
    theirs = HFLM(pretrained=str(STEP), peft=str(tmp_path / "adapter"), tokenizer=str(TINY),
                  dtype="float32", device="cpu")  # fmt: skip
    with chdir(HERE):
        manager = TaskManager(include_path=str(HERE), include_defaults=False)
        found = lm_eval.simple_evaluate(
            model=theirs, tasks=tasks, task_manager=manager, bootstrap_iters=0
        )
    expected = values_of(found)
    assert len(expected) > len(tasks)
    for name, value in expected.items():
        assert ours[name]["value"] == pytest.approx(value, rel=1e-4), name


def test_a_file_that_includes_one_of_the_harness_s_needs_no_permission(tmp_path: Path) -> None:
    """AfriMMLU's form: choices, texts and the metric by functions of the harness; rows of ours."""
    theirs = Path(lm_eval.__file__).parent / "tasks/afrimmlu/direct/prompt_1/afrimmlu_direct"
    rows = [
        {"subject": "asi", "question": question, "choices": str(choices), "answer": answer}
        for question, choices, answer in [
            ("Aleke nàyɔ ʋuƒo ɖe Eʋegbe me?", ["ʋuƒo", "tsi", "dzo", "anyi"], "A"),
            ("Nuka mienona?", ["kpe", "tsi", "ati", "ga"], "B"),
            ("Ŋkeke nenie le kwasiɖa ɖeka me?", ["atɔ̃", "ade", "adre", "enyi"], "C"),
            ("Du kae nye Togo ƒe fiadu?", ["Kara", "Aného", "Kpalimé", "Lomé"], "D"),
        ]
    ]
    data = tmp_path / "rows.json"
    data.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "own.yaml").write_text(
        f"include: {theirs}\ntask: afrimmlu_own\ndataset_path: json\nvalidation_split: null\n"
        f"fewshot_split: null\ndataset_kwargs: {{data_files: {{test: {data}}}}}\n"
        "dataset_name: null\ntag: own_tag\n",
        "utf-8",
    )
    found = assay.run(
        str(STEP), suites=["lm-eval:afrimmlu_own"], include_path=[folder], out=tmp_path
    ).to_dict()["models"][0]
    metrics = found["measurements"]
    assert metrics["afrimmlu_own/acc"]["n"] == metrics["afrimmlu_own/f1"]["n"] == 4
    first = metrics["afrimmlu_own/f1"]["value"]  # the task names it before acc
    assert found["suites"][0]["score"]["value"] == pytest.approx(100 * first)


def test_the_names_of_the_harness_s_tasks_are_read_once_for_a_version() -> None:
    from assay.harness.names import TaskNames, cache_folder

    names = TaskNames([])
    assert names.find("afrimmlu_direct_ewe_prompt_1").kind.name == "TASK"
    assert names.find("mmlu").kind.name == "GROUP"
    (kept,) = cache_folder().glob("*.json")
    told = json.loads(kept.read_text("utf-8"))
    told["entries"] = {"only_this": ["TASK", "x.yaml", []]}
    kept.write_text(json.dumps(told), "utf-8")
    try:
        assert list(TaskNames([]).find("only_this").tags) == []
    finally:
        kept.unlink()


# ----------------------------------------------------------------------------- kill, continue


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    rows = [{"question": f"{n} + 1 =", "answer": str(n + 1)} for n in range(12)]
    folder = write_task(tmp_path / "t", "slow_sums", WRITTEN, rows)
    script = tmp_path / "script.json"
    script.write_text('{"default": "1", "delay_s": 0.5}')
    command = [
        sys.executable, "-m", "assay", "run", f"scripted:{script}", "-s", "lm-eval:slow_sums",
        "--include-path", str(folder), "--out", str(tmp_path / "out"), "--json",
    ]  # fmt: skip
    store = tmp_path / "out" / "assay.db"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while _replies(store) < 3:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = _replies(store)
    assert before < len(rows)
    again = subprocess.run(command, capture_output=True, check=True)
    found = json.loads(again.stdout)
    assert _replies(store) == len(rows)
    metric = found["models"][0]["measurements"]["slow_sums/exact_match"]
    assert (metric["n"], metric["value"]) == (12, pytest.approx(1 / 12))


def _replies(store: Path) -> int:
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM replies").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
