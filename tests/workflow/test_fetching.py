"""`assay fetch`: from a copy or the hub to a suite that `-s` finds by its name."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import UsageError
from assay.suites.load import SHIPPED, examine
from assay.types.scores import SilentProgress
from assay.workflow.commands.benchmarks import fetch
from tests.conftest import Bench
from tests.models.local.checkpoints import make_checkpoint
from tests.servers.hub import card, serving
from tests.suites.test_fetching import DEV, PASSAGES, TEST, archive, lines

SUBJECTS = (
    "college_computer_science", "high_school_computer_science", "computer_security",
    "machine_learning", "electrical_engineering",
)  # fmt: skip


def quietly(name: str, source: Path, benchmarks: Path) -> None:
    fetch([name], source=source, benchmarks=benchmarks)


def listed(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def told_by(bench: Bench) -> str:
    """The newest report, whose Markdown is not wrapped, without the marks that escape signs."""
    return bench.assay("report", "latest", "--format", "md").stdout.replace("\\", "")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """One folder with both benchmarks."""
    archive(tmp_path / "copy" / "mmlu", machine_learning=[*TEST, TEST[0]], anatomy=TEST)
    lines(tmp_path / "copy" / "hellaswag", PASSAGES)
    return tmp_path / "copy"


# ---------------------------------------------------------------------------------------- writing


def test_what_is_written_is_clean_and_nothing_else_is_left(copy: Path, tmp_path: Path) -> None:
    benchmarks = tmp_path / "b"
    quietly("mmlu", copy, benchmarks)
    quietly("hellaswag", copy, benchmarks)
    assert list(listed(benchmarks)) == [
        "hellaswag/.fetched.json",
        "hellaswag/dropped.tsv",
        "hellaswag/suite.json",
        "hellaswag/technical_subset.json",
        "mmlu/.fetched.json",
        "mmlu/computer_science.json",
        "mmlu/dropped.tsv",
        "mmlu/suite.json",
    ]
    assert examine([benchmarks / "mmlu", benchmarks / "hellaswag"]) == ()
    about = json.loads((benchmarks / "mmlu" / "suite.json").read_text("utf-8"))
    assert about == {
        "title": "MMLU, computer science",
        "version": "5-shot, by letter, test split, as lm-evaluation-harness 0.4.13 asks mmlu 1.0; "
        "CSV files of the original archive",
        "language": "en",
        "weights": {"computer_science": 2},
    }
    rows = (benchmarks / "mmlu" / "dropped.tsv").read_text("utf-8").splitlines()
    assert [row.split("\t")[1:5] for row in rows] == [
        ["file", "row", "reason", "like_file"],
        ["mmlu/test/machine_learning_test.csv", "3", "repeated",
         "mmlu/test/machine_learning_test.csv"],
    ]  # fmt: skip


def test_a_second_fetch_takes_the_place_of_the_first_as_a_whole(copy: Path, tmp_path: Path) -> None:
    benchmarks = tmp_path / "b"
    quietly("hellaswag", copy, benchmarks)
    before = listed(benchmarks)
    quietly("hellaswag", copy, benchmarks)
    assert listed(benchmarks) == before


@pytest.mark.parametrize("change", ["own_file", "changed_file"])
def test_what_no_fetch_wrote_is_never_overwritten(copy: Path, tmp_path: Path, change: str) -> None:
    benchmarks = tmp_path / "b"
    quietly("mmlu", copy, benchmarks)
    name = {"own_file": "mine.json", "changed_file": "computer_science.json"}[change]
    (benchmarks / "mmlu" / name).write_text("[]", "utf-8")
    before = listed(benchmarks)
    with pytest.raises(UsageError, match=name):
        quietly("mmlu", copy, benchmarks)
    assert listed(benchmarks) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of the size of files")
def test_a_fault_leaves_what_was_there(copy: Path, tmp_path: Path) -> None:
    import resource

    benchmarks = tmp_path / "b"
    quietly("mmlu", copy, benchmarks)
    before = listed(benchmarks)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(UsageError, match="File too large"):
            quietly("mmlu", copy, benchmarks)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert listed(benchmarks) == before


def test_a_mistake_in_one_benchmark_keeps_both_from_being_written(
    copy: Path, tmp_path: Path, bench: Bench
) -> None:
    lines(copy / "hellaswag", [{**PASSAGES[0], "label": 9}])
    done = bench.assay("fetch", "mmlu", "hellaswag", "--from", str(copy), "--benchmarks", "b")
    assert done.returncode == 2
    assert (
        "hellaswag_val.jsonl:1:1: -: error: row 1: 'label' must be a whole number from 0 to 3"
        in done.stderr
    )
    assert "Nothing was written" in done.stderr
    assert not (tmp_path / "b").exists()


# ----------------------------------------------------------------------------------- command line


def test_a_fetched_suite_runs_by_its_name(copy: Path, bench: Bench) -> None:
    model = bench.script("model", answers={"computer_science_0001": "B"}, default="A")
    refused = bench.assay("run", model, "-s", "mmlu")
    assert refused.returncode == 2
    assert "the suite 'mmlu' was not fetched" in refused.stderr
    assert "assay fetch mmlu" in refused.stderr
    fetched = bench.assay("fetch", "mmlu", "hellaswag", "--from", str(copy))
    assert fetched.returncode == 0, fetched.stderr
    assert fetched.stdout.splitlines()[-1] == "next: assay run MODEL -s mmlu -s hellaswag"
    assert "licence: MIT; its WikiHow passages stem from text under CC BY-NC-SA" in fetched.stdout
    assert "dropped: 1 question, listed in dropped.tsv" in fetched.stdout
    assert "left out, no test split: college_computer_science, " in fetched.stdout
    assert (bench.folder / "users-data" / "assay" / "benchmarks" / "mmlu").is_dir()
    document = bench.document("run", model, "-s", "mmlu")
    (note,) = document["notes"]
    assert note.startswith("mmlu: 5-shot, by letter")
    kept = bench.out / "runs" / document["run"] / "reports" / "report.json"
    assert json.loads(kept.read_text("utf-8"))["notes"] == [note]
    assert "mmlu: 5-shot, by letter, test split, as lm-evaluation-harness" in told_by(bench)
    (suite,) = document["models"][0]["suites"]
    assert {name: value["n"] for name, value in suite["categories"].items()} == {
        "computer_science": 2
    }
    assert suite["score"]["value"] == 50.0
    listing = bench.assay("suites").stdout
    assert "MMLU, computer science" in listing
    assert "users-data/assay/benchmarks" in "".join(listing.split())


def test_the_folder_of_the_project_comes_before_the_users(copy: Path, bench: Bench) -> None:
    (bench.folder / "SLM" / "datasets" / "benchmarks").mkdir(parents=True)
    assert bench.assay("fetch", "hellaswag", "--from", str(copy)).returncode == 0
    assert (bench.folder / "SLM/datasets/benchmarks/hellaswag/technical_subset.json").is_file()
    assert "mmlu is missing; get it with `assay fetch mmlu`" in bench.assay("suites").stdout


def test_the_command_that_continues_a_run_names_the_folder_of_benchmarks(
    copy: Path, bench: Bench
) -> None:
    bench.assay("fetch", "mmlu", "--from", str(copy), "--benchmarks", "my folder")
    model = bench.script("model", default="A", fail={"computer_science_0001": "no"})
    where = ("--benchmarks", "my folder")
    document = bench.document("run", model, "-s", "mmlu", *where)
    assert document["exit_code"] == 3
    shown = bench.assay("report", "latest").stdout
    assert "--benchmarks 'my folder'" in " ".join(shown.split())
    gone = bench.assay("run", model, "-s", "mmlu", "--benchmarks", "gone")
    assert gone.returncode == 2
    assert "there is no folder of benchmarks at 'gone'" in gone.stderr


def test_the_suite_os_is_written_as_four_files_to_edit_and_existing_ones_are_kept(
    bench: Bench,
) -> None:
    own = bench.folder / "b" / "custom_os_eval" / "hardware_id.json"
    own.parent.mkdir(parents=True)
    test = {"id": "own_001", "prompt": "PCI 1?", "eval_method": "exact_match", "expected": "a"}
    own.write_text(json.dumps([test]))
    done = bench.assay("fetch", "custom_os_eval", "--benchmarks", "b")
    assert done.returncode == 0, done.stderr
    assert "kept, because they exist: hardware_id.json" in done.stdout
    written = "driver_select.json, command_complete.json, installation.json"
    assert f"written as shipped: {written}" in done.stdout
    assert json.loads(own.read_text()) == [test]
    for name in written.split(", "):
        shipped = SHIPPED / "os" / name
        assert (own.parent / name).read_bytes() == shipped.read_bytes()
    again = bench.document("fetch", "os", "--benchmarks", "b")
    assert again["to_edit"]["written"] == []
    assert len(again["to_edit"]["kept"]) == 4
    card = bench.assay("suites", "custom_os_eval", "--benchmarks", "b").stdout
    assert "own_001" in card or "custom_os_eval" in "".join(card.split())


def test_files_to_edit_come_from_a_copy_where_it_has_them_and_a_broken_copy_is_refused(
    bench: Bench,
) -> None:
    test = {"id": "own_001", "prompt": "PCI 1?", "eval_method": "exact_match", "expected": "a"}
    copy = bench.folder / "copy" / "custom_os_eval"
    copy.mkdir(parents=True)
    words = ("fetch", "custom_os_eval", "--from", "copy", "--benchmarks", "b")
    nothing = bench.assay(*words)
    assert nothing.returncode == 2
    assert "no copy of custom_os_eval was found at 'copy'" in nothing.stderr
    (copy / "hardware_id.json").write_text(json.dumps([{**test, "expectd": "b"}]))
    broken = bench.assay(*words)
    assert broken.returncode == 2
    assert "hardware_id.json" in broken.stderr
    assert not (bench.folder / "b").exists()
    (copy / "hardware_id.json").write_text(json.dumps([test]))
    done = bench.assay(*words)
    assert "written from your copy: hardware_id.json" in done.stdout
    assert json.loads((bench.folder / "b/custom_os_eval/hardware_id.json").read_text()) == [test]


def test_custom_os_eval_is_another_name_of_os_in_a_run_and_in_a_gate(bench: Bench) -> None:
    model = bench.script("model", default="e1000e")
    words = ("--limit", "4", "-s")
    suites = [
        bench.document("run", model, *words, name)["models"][0]["suites"][0]
        for name in ("os", "custom_os_eval")
    ]
    assert suites[0] == suites[1]
    assert suites[0]["suite"] == "os"
    gate = bench.folder / "gate.toml"
    gate.write_text('[[suite]]\nname = "custom_os_eval"\nmin = 0.99\n')
    held = bench.document("run", model, *words, "custom_os_eval", "--gate", str(gate))
    assert held["exit_code"] == 1
    assert list(held["models"][0]["decision"]["criteria"]) == ["os_benchmark"]
    gate.write_text(gate.read_text() + '[[suite]]\nname = "os"\nmin = 0.5\n')
    twice = bench.assay("validate", str(gate))
    assert twice.returncode == 2
    assert "the suite 'os' has a limit already; keep one" in twice.stdout


class StoppedAtOnce(SilentProgress):
    """Hears what is said before a run prepares anything, and stops it there."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)

    def phase(self, name: str, *, more: int = 0) -> None:
        raise KeyboardInterrupt


def test_a_run_without_mmlu_says_first_what_its_score_lacks_and_what_brings_it(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "users-data"))
    monkeypatch.chdir(tmp_path)
    make_checkpoint(tmp_path / "run" / "step_1", seed=1)

    def said(*models: str, **options: Any) -> list[str]:
        observer = StoppedAtOnce()
        with pytest.raises(KeyboardInterrupt):
            assay.run(models or "run", observer=observer, out=tmp_path / "out", **options)
        return observer.heard

    assert said() == [
        "mmlu and hellaswag are missing: the weighted score omits mmlu (weight 0.2), and the "
        "report omits both; get them with `assay fetch mmlu hellaswag`"
    ]
    fetch(["mmlu"], source=copy)
    assert said() == [
        "hellaswag is missing: the report omits it; get it with `assay fetch hellaswag`"
    ]
    fetch(["hellaswag"], source=copy)
    assert said() == []
    assert said("ollama:small", benchmarks=tmp_path / "b") == []
    assert said(suites="os") == []


def test_fetched_files_that_are_as_they_ship_cause_no_caveat(bench: Bench) -> None:
    assert bench.assay("fetch", "custom_os_eval", "--benchmarks", "b").returncode == 0
    model = bench.script("model", default="x")
    words = ("run", model, "-s", "os", "--limit", "8", "--benchmarks", "b")
    assert bench.document(*words)["notes"] == []
    own = bench.folder / "b" / "custom_os_eval" / "hardware_id.json"
    own.write_text(own.read_text("utf-8") + "\n", "utf-8")
    (note,) = bench.document(*words, "--fresh")["notes"]
    assert "hardware_id" in note


def test_a_report_says_which_categories_of_os_are_the_users(bench: Bench) -> None:
    """And marking again finds those files again."""
    test = {"id": "own_001", "prompt": "PCI 1?", "eval_method": "exact_match", "expected": "a"}
    own = bench.folder / "b" / "custom_os_eval" / "hardware_id.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps([test]), "utf-8")
    model = bench.script("model", answers={"own_001": "b"}, default="x")
    words = ("run", model, "-s", "os", "-c", "hardware_id", "--benchmarks", "b")
    document = bench.document(*words)
    (suite,) = document["models"][0]["suites"]
    assert (suite["suite"], [row["id"] for row in suite["tests"]]) == ("os", ["own_001"])
    assert document["notes"] == [f"os: hardware_id was not what ships but {own}"]
    assert f"os: hardware_id was not what ships but {own}" in told_by(bench)
    own.write_text(json.dumps([{**test, "expected": "b"}]), "utf-8")
    assert bench.assay("rescore", "latest").returncode == 0
    (suite,) = bench.document("report", "latest")["models"][0]["suites"]
    assert suite["tests"][0]["score"] == 1.0


@pytest.mark.parametrize("where", ["empty", "an empty one"])
def test_the_hint_of_a_missing_suite_names_the_folder_that_was_looked_into(
    bench: Bench, where: str
) -> None:
    (bench.folder / where).mkdir()
    model = bench.script("model", default="A")
    refused = bench.assay("run", model, "-s", "mmlu", "--benchmarks", where)
    wanted = f"`assay fetch mmlu --benchmarks {shlex.quote(where)}`"
    assert wanted in refused.stderr
    assert f"get it with {wanted}" in bench.assay("suites", "--benchmarks", where).stdout


def test_one_broken_suite_does_not_hide_the_others(copy: Path, bench: Bench) -> None:
    assert bench.assay("fetch", "mmlu", "--from", str(copy), "--benchmarks", "b").returncode == 0
    (bench.folder / "b" / "mmlu" / "computer_science.json").write_text("[{]", "utf-8")
    listing = bench.assay("suites", "--benchmarks", "b")
    assert listing.returncode == 2
    assert "troubleshooting" in listing.stdout
    assert "benchmarks: b" in listing.stdout
    assert "b/mmlu/computer_science.json:1:3: -: error: not valid JSON" in listing.stderr
    assert "1 mistake in b/mmlu" in listing.stderr
    assert bench.document("suites", "--benchmarks", "b").keys() == {"error", "exit_code"}


def test_an_empty_path_is_refused_and_does_not_mean_the_folder_one_is_in(
    copy: Path, bench: Bench
) -> None:
    for words in (
        ("fetch", "mmlu", "--from", ""),
        ("fetch", "mmlu", "--from", str(copy), "--benchmarks", ""),
        ("suites", "--benchmarks", ""),
        ("run", "scripted:x.json", "-s", "os", "--benchmarks", ""),
    ):
        done = bench.assay(*words)
        assert (done.returncode, "an empty path" in done.stderr) == (2, True), words
    assert not list(bench.folder.glob("mmlu*"))


def test_json_is_one_document_with_all_that_was_dropped(copy: Path, bench: Bench) -> None:
    document = bench.document("fetch", "mmlu", "--from", str(copy))
    (suite,) = document["fetched"]
    assert suite["categories"] == {"computer_science": 2}
    assert suite["licence"] == "MIT"
    file = "mmlu/test/machine_learning_test.csv"
    assert suite["dropped"][0] == {
        "subject": "machine_learning", "file": file, "row": 3, "reason": "repeated",
        "like": {"file": file, "row": 1},
    }  # fmt: skip
    assert document["next"] == "assay run MODEL -s mmlu"
    assert Path(suite["folder"]).is_absolute()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mmul",), "there is no benchmark 'mmul'; did you mean 'mmlu'?"),
        (("mmlu", "--from", "nowhere"), "there is no folder or file at 'nowhere'"),
        ((), "Missing argument 'NAME...'"),
    ],
)
def test_a_wrong_word_is_refused(bench: Bench, words: tuple[str, ...], message: str) -> None:
    document = bench.document("fetch", *words)
    assert document["exit_code"] == 2
    assert message in document["error"]["message"]


# ------------------------------------------------------------------------------------------ the hub


def parquet(rows: list[dict[str, Any]]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    import io

    written = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), written)
    return written.getvalue()


def hub_of_mmlu() -> dict[str, bytes]:
    files, parts = {}, {}
    for number, subject in enumerate((*SUBJECTS, "all")):
        for split, rows in (("dev", DEV), ("test", TEST), ("validation", DEV[:1])):
            table = [
                {
                    "question": f"{question} ({number}, {split})",
                    "subject": subject,
                    "choices": options,
                    "answer": "ABCD".index(letter),
                }
                for question, *options, letter in rows
            ]
            files[f"{subject}/{split}-00000-of-00001.parquet"] = parquet(table)
        parts[subject] = {split: f"{subject}/{split}-*" for split in ("test", "validation", "dev")}
    return {**files, "README.md": card(parts)}


def test_the_hub_is_read_by_the_library_datasets(bench: Bench) -> None:
    pytest.importorskip("datasets")
    passages = [
        {"ctx": "x", "split": "val", "split_type": "indomain", "source_id": "m", **row,
         "label": str(row["label"])}
        for row in PASSAGES
    ]  # fmt: skip
    unlabelled = [{**row, "label": ""} for row in passages]
    hellaswag = {
        "data/validation-00000-of-00001.parquet": parquet(passages),
        "data/test-00000-of-00001.parquet": parquet(unlabelled),
        "README.md": card({"default": {"validation": "data/validation-*", "test": "data/test-*"}}),
    }
    with serving({"cais/mmlu": hub_of_mmlu(), "Rowan/hellaswag": hellaswag}) as served:
        environment = {"HF_ENDPOINT": served.url, "HF_HOME": str(bench.folder / "hf")}
        done = bench.assay("fetch", "mmlu", "hellaswag", "--json", **environment)
    assert done.returncode == 0, done.stderr
    assert f"downloading cais/mmlu from {served.url} (licence: MIT)" in done.stderr
    assert done.stderr.index("downloading Rowan/hellaswag") > done.stderr.index(
        "electrical_engineering"
    )
    mmlu, hella = json.loads(done.stdout)["fetched"]
    assert mmlu["categories"] == {"computer_science": 10}
    assert hella["categories"] == {"technical_subset": 2}
    tests = json.loads((Path(mmlu["folder"]) / "computer_science.json").read_text("utf-8"))
    assert tests[0]["description"] == "cais/mmlu college_computer_science test, row 1"
    assert tests[0]["prompt"].endswith("(0, test)\nA. 21\nB. 22\nC. 80\nD.  443\nAnswer:")
    assert all("Authorization" not in headers for _, _, headers in served.asked)
    assert examine([Path(mmlu["folder"]), Path(hella["folder"])]) == ()


def test_a_hub_without_the_data_set_is_an_error_with_a_next_step(bench: Bench) -> None:
    pytest.importorskip("datasets")
    with serving({}) as served:
        environment = {"HF_ENDPOINT": served.url, "HF_HOME": str(bench.folder / "hf")}
        done = bench.assay("fetch", "hellaswag", "--json", **environment)
    document = json.loads(done.stdout)
    assert document["exit_code"] == 2
    assert f"Rowan/hellaswag cannot be loaded from {served.url}" in document["error"]["message"]
    assert "--from" in document["error"]["hint"]


@pytest.mark.parametrize("userinfo", ["name:secret", "name:s@cret", "secret"])
def test_a_password_in_the_address_of_the_hub_is_never_shown(bench: Bench, userinfo: str) -> None:
    """Neither by us nor in what the library says of a hub that is not there."""
    broken = bench.folder / "broken"
    broken.mkdir()
    address = f"http://{userinfo}@127.0.0.1:1"
    (broken / "datasets.py").write_text(
        "class exceptions:\n    class DatasetsError(Exception): pass\n"
        f"def load_dataset(*a, **k): raise OSError('no answer from {address}/api (twice)')\n",
        "utf-8",
    )
    done = bench.assay("fetch", "hellaswag", HF_ENDPOINT=address, PYTHONPATH=str(broken))
    assert done.returncode == 2
    assert "from http://127.0.0.1:1 " in done.stderr
    assert "no answer from http://127.0.0.1:1/api (twice)" in done.stderr
    assert "cret" not in done.stderr
    assert "name" not in done.stderr.replace("name its folder", "")


def test_a_part_of_the_hub_without_rows_is_a_mistake_of_the_source(bench: Bench) -> None:
    hub = bench.folder / "hub"
    hub.mkdir()
    row = {"question": "Q?", "choices": ["a", "b", "c", "d"], "answer": 0}
    (hub / "datasets.py").write_text(
        "class exceptions:\n    class DatasetsError(Exception): pass\n"
        f"def load_dataset(*a, **k): return {{'dev': [{row!r}] * 5, 'test': []}}\n",
        "utf-8",
    )
    done = bench.assay("fetch", "mmlu", "--benchmarks", "b", PYTHONPATH=str(hub))
    assert done.returncode == 2
    said = "cais/mmlu college_computer_science test:1:1: -: error: there are no rows"
    assert said in done.stdout + done.stderr


def test_without_the_extra_the_hub_cannot_be_read_and_a_copy_can(copy: Path, bench: Bench) -> None:
    without = bench.folder / "without"
    without.mkdir()
    (without / "datasets.py").write_text("raise ImportError('not here')", "utf-8")
    (without / "pyarrow.py").write_text("raise ImportError('not here')", "utf-8")
    environment = {"PYTHONPATH": str(without)}
    done = bench.assay("fetch", "mmlu", **environment)
    assert done.returncode == 2
    assert "pip install 'slm-assay[fetch]'" in done.stderr
    assert not (bench.folder / "users-data").exists()
    done = bench.assay("fetch", "mmlu", "--from", str(copy), **environment)
    assert done.returncode == 0, done.stderr
