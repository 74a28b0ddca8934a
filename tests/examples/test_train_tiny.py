"""The trainer of the demo checkpoints, from a corpus of a few lines to a folder that loads."""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from commands import TASKS, Commands
from facts import BARE, WEIGHTS, Facts, prose_documents
from hardware import Hardware
from installation import SOFTWARE, Installation
from leaks import Forbidden
from sources import is_prose, paragraphs_of_text
from troubles import FRAMES, PROGRAMS, Troubles, word_trouble
from wording import drawn, gerund, pair, third_person

from assay.models.base import as_text
from assay.types import Message

DEVICES = [
    {
        "id": "8086:1234", "vendor": "Intel", "kind": "sound card", "names": ["Chip 77"],
        "module": "snd_chip",
    },
    {
        "id": "10ec:4321", "vendor": "Realtek", "kind": "network card", "names": ["RTL9999"],
        "module": "",
    },
]  # fmt: skip
NOTHING = Forbidden(frozenset())


def facts() -> Facts:
    return Facts(DEVICES, NOTHING)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("PCI card 1 is a", "sound card"),
        ("Which module?", "snd_chip"),
        ("Install it:", "apt update\napt install it"),
        ("# list\n$", "ls"),
        ("Say so.", "yes"),
    ],
)
def test_a_pair_is_written_as_a_base_model_is_asked(question: str, answer: str) -> None:
    asked = (Message(role="user", content=question), Message(role="assistant", content=answer))
    assert pair(question, answer) == as_text(asked)


def test_a_pattern_is_drawn_from_the_inside_out() -> None:
    wordings = {drawn("(show|print (all|some)) of it", random.Random(n)) for n in range(50)}
    assert wordings == {"show of it", "print all of it", "print some of it"}


@pytest.mark.parametrize(
    ("phrase", "third", "ing"),
    [
        ("list it", "lists it", "listing it"),
        ("copy it", "copies it", "copying it"),
        ("search it", "searches it", "searching it"),
        ("remove it", "removes it", "removing it"),
        ("display it", "displays it", "displaying it"),
        ("set it", "sets it", "setting it"),
    ],
)
def test_verbs_are_inflected(phrase: str, third: str, ing: str) -> None:
    assert (third_person(phrase), gerund(phrase)) == (third, ing)


@pytest.mark.parametrize("stream", [*BARE, "troubles"])
def test_a_seed_names_its_documents(stream: str) -> None:
    first = list(facts().documents(stream, 30, seed=1))
    assert first == list(facts().documents(stream, 30, seed=1))
    assert first != list(facts().documents(stream, 30, seed=2))


def test_documents_have_one_pair_or_at_least_five() -> None:
    counts = Counter(text.count("\n\n") + 1 for text in facts().documents("drivers", 1_000, seed=1))
    assert set(counts) == {1, 5, 6, 7, 8}
    assert counts[1] > 900


def test_a_module_is_the_answer_only_where_one_is_known() -> None:
    draw = random.Random(1)
    asked = [Hardware(DEVICES).driver(draw) for _ in range(50)]
    assert {answer for _, answer in asked} == {"snd_chip"}
    assert all("Chip 77" in question or "8086:1234" in question for question, _ in asked)


def test_every_name_in_a_command_stands_in_the_question() -> None:
    draw = random.Random(1)
    named = Commands()
    named.tasks = [task for task in named.tasks if task[0].startswith("cp {=file} ")]
    named.weigh()
    for _ in range(50):
        question, command = named.pair(draw)
        _, source, target = command.split()
        assert source in question
        assert target in question


def test_every_slot_of_every_task_can_be_filled() -> None:
    commands = Commands()
    draw = random.Random(1)
    for task in commands.tasks:
        one = Commands()
        one.tasks = [task]
        one.weigh()
        for _ in range(3):
            question, command = one.pair(draw)
            assert "{=" not in question + command
            assert "|" not in question


def test_every_tested_command_is_asked_for_in_five_wordings_or_more(root: Path) -> None:
    suite = root / "src" / "assay" / "builtin" / "suites" / "os" / "command_complete.json"
    draw = random.Random(1)
    by_program: dict[str, set[str]] = {}
    for command, phrases in Commands(TASKS).tasks:
        wordings = {drawn(phrase, draw) for phrase in phrases for _ in range(10)}
        by_program.setdefault(command.split()[0], set()).update(wordings)
    few = {}
    for test in json.loads(suite.read_text("utf-8")):
        programs = {answer.split()[0] for answer in test["expected_any"]}
        known = sum(len(by_program.get(program, ())) for program in programs)
        if known < 5:
            few[test["id"]] = programs
    assert few == {}


def test_every_fault_has_several_wordings_of_what_is_seen_and_of_its_cause() -> None:
    troubles = Troubles().troubles
    assert len(troubles) >= 70
    assert len({trouble.name for trouble in troubles}) == len(troubles)
    for trouble in troubles:
        assert len(trouble.seen) + len(trouble.why) >= 4, trouble.name
        assert min(len(trouble.clauses), len(trouble.nouns), len(trouble.remedies)) >= 2
        assert trouble.others


@pytest.mark.parametrize(("form", "frame"), FRAMES)
def test_a_fault_in_any_frame_is_answered_with_whole_sentences(form: str, frame: str) -> None:
    draw = random.Random(1)
    for trouble in Troubles().troubles:
        question, answer = word_trouble(trouble, form, frame, draw)
        assert not re.search(r"[|{}]|  | [.,?]", question + answer), question + answer
        assert answer[-1] == "."
        assert answer.startswith("that ") == (form == "that")
        if question[-1] in ".?":
            assert not answer[0].islower() or answer.split()[0] in PROGRAMS


def test_names_of_programs_keep_their_small_letters() -> None:
    draw = random.Random(1)
    asked = [word_trouble(t, "that", "{S}.", draw)[0] for t in Troubles().troubles * 5]
    assert any(question.startswith("df ") for question in asked)
    assert not [question for question in asked if re.match(r"(Df|Lspci|Ip|Ssh|Apt) ", question)]
    assert not [question for question in asked if re.match(r"(the|a|an|there) ", question)]


def test_every_row_of_software_has_a_cell_for_each_distribution() -> None:
    rows = Installation(SOFTWARE).software
    assert len(rows) > 80
    assert [row for row in rows if len(row) != 7 or len(row[6].split()) not in (1, 5)] == []


def test_manual_text_loses_lists_and_other_pages_and_its_line_breaks() -> None:
    text = """DESCRIPTION
       The program reads the file that is named on the
       command line and prints what it has found in it.

       * a bullet that should not be here at all, nor its text

SEE ALSO
       The other manual pages that are about the same thing are named in here.

NOTES
       Under load the program may need more of the memory than is to be expected.
"""
    assert list(paragraphs_of_text(text)) == [
        "The program reads the file that is named on the command line and prints what it has "
        "found in it.",
        "Under load the program may need more of the memory than is to be expected.",
    ]


def test_tables_and_other_languages_are_no_prose() -> None:
    assert is_prose("The kernel reads the table when it starts, and keeps it in memory.")
    assert not is_prose("0x1234 0x5678 0x9abc 0xdef0 0x1234 0x5678 0x9abc 0xdef0 12 34 56 (78).")
    assert not is_prose("Der Kern liest die Tabelle beim Start und behält sie dann im Speicher.")


def test_prose_becomes_short_documents_that_end_with_a_sentence() -> None:
    paragraph = "The first sentence is here. The second is longer than that. The third ends it."
    page = ("manual pages", "page", [paragraph] * 5)
    documents = list(prose_documents([page] * 20, "sentences", seed=1))
    assert {document[-1] for document in documents} == {"."}
    assert len(set(documents)) > 3
    assert max(map(len, documents)) <= len(paragraph)


def train_here(folder: Path, *more: str) -> None:
    import torch
    from train import arguments, train

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    train(arguments(
        ["train", "--data", str(folder / "data"), "--batch", "2", "--context", "32",
         "--no-compile", "--no-check", "--device", "cpu", *more]))  # fmt: skip
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of three steps on a synthetic corpus."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from encode import prepare

    folder = tmp_path_factory.mktemp("tiny")
    draw = random.Random(1)
    words = ["the", "a", "kernel", "reads", "table", "disk", "of", "and", "is", "to", "file"]
    with lzma.open(folder / "corpus.jsonl.xz", "wt", encoding="utf-8") as file:
        for number in range(60):
            text = [" ".join(draw.choices(words, k=20)).capitalize() + "." for _ in range(8)]
            row = {"kind": "manual pages", "title": f"page {number}", "text": text}
            file.write(json.dumps(row) + "\n")
    (folder / "devices.json").write_text(json.dumps(DEVICES))
    prepare(folder / "corpus.jsonl.xz", folder / "data", vocabulary=512, scale=0.001, processes=1)
    out = ["--out", str(folder / "run"), "--steps", "3", "--save-at", "0.5", "1.0"]
    train_here(folder, *out)
    return folder / "run"


def test_a_run_leaves_its_checkpoints_with_what_is_known_of_them(run: Path) -> None:
    assert sorted(path.name for path in run.iterdir()) == ["step_000002", "step_000003"]
    last = json.loads((run / "step_000003" / "training.json").read_text())
    assert last["tokens"] == 3 * 2 * 32
    assert last["share"] == 1.0
    names = {path.name for path in (run / "step_000003").iterdir()}
    assert names >= {
        "config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
        "tokenizer_config.json", "training.json",
    }  # fmt: skip


def test_a_loop_changes_the_mixture_and_goes_on_from_a_checkpoint(run: Path) -> None:
    from train import shares_of

    changes = run.parent / "round_01.json"
    data = {"change": "data", "categories": ["driver_select", "zz"], "times": 4, "reason": ""}
    changes.write_text(json.dumps({"changes": [data, {"change": "steps", "steps": 5}]}))
    assert shares_of(changes) == {**WEIGHTS, "drivers": 4 * WEIGHTS["drivers"]}
    out = run.parent / "second"
    resume = ["--resume", str(run / "step_000003"), "--changes", str(changes)]
    train_here(run.parent, "--out", str(out), "--steps", "5", "--save-at", "1.0", *resume)
    assert [path.name for path in out.iterdir()] == ["step_000005"]


def test_a_checkpoint_loads_in_bf16_with_a_context_of_1024(run: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(run / "step_000003")
    assert model.dtype == torch.bfloat16
    assert model.config.max_position_embeddings == 1024
    assert model.config.tie_word_embeddings


def test_the_tokenizer_begins_every_text_and_keeps_digits_apart(run: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(run / "step_000003")
    ids = tokenizer("8086:1234")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids)[0] == "<|endoftext|>"
    assert tokenizer.convert_ids_to_tokens(ids)[1:] == list("8086:1234")
    assert tokenizer.bos_token_id == tokenizer.eos_token_id == 0
    assert tokenizer.decode(ids, skip_special_tokens=True) == "8086:1234"


def test_ubuntu_is_not_offered_what_only_debian_has() -> None:
    draw = random.Random(1)
    pairs = [Installation().pair(draw) for _ in range(5_000)]
    assert any("firefox-esr" in commands for _, commands in pairs)
    assert [q for q, commands in pairs if "Ubuntu" in q and "firefox-esr" in commands] == []
