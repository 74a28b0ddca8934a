"""The health checks: each with both sides, on hostile text, and measured."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter

import pytest

from assay.checks.health.examine import examine
from assay.checks.health.loop import loop
from assay.checks.health.nonsense import nonsense
from assay.checks.health.notes import coherence, length, technical_terms, truncation
from assay.checks.health.reading import QUOTED_AT_MOST, read
from assay.checks.health.repetition import repetition
from assay.checks.health.ticks import accuracy, relevance
from assay.checks.health.word_model import known_terms, shipped_words, tokens
from assay.suites.sample_prompts import load_samples
from assay.types.samples import Health, HealthCheck, SampleCheck, SamplePrompt
from tests.checks.health_texts.broken import KINDS, broken, healthy

FAILURES = {"loop": loop, "repetition": repetition, "nonsense": nonsense}
SAMPLES = {sample.id: sample for sample in load_samples()}
PCI = SAMPLES["sample_001"]
APACHE = SAMPLES["sample_002"]
GOOD_PCI = (
    "an Intel Gigabit Ethernet controller, specifically the 82574L model. This is commonly found "
    "in servers and requires the e1000e driver."
)
GOOD_APACHE = (
    "sudo apt update && sudo apt install apache2. After installation, start the service with sudo "
    "systemctl start apache2 and enable it to run on boot with sudo systemctl enable apache2."
)
PROSE = (
    "The kernel reads the identifier of the card and loads the module that fits. If none fits, "
    "the card stays without a driver, and the log says so."
)
ENGLISH = [text for kind, text in healthy() if kind in {"explanation", "long", "chat"}]


def said(check: HealthCheck) -> str:
    return f"{check.name}: {check.explanation} | {check.passage}"


# ------------------------------------------------------------------------------- the whole answer


@pytest.mark.parametrize(
    ("sample", "answer"), [(PCI, GOOD_PCI), (APACHE, GOOD_APACHE)], ids=["pci", "apache"]
)
def test_the_good_answers_of_the_specification_pass_every_check(sample, answer):
    health = examine(sample, answer)
    assert health.all_passed
    assert [check.name for check in health.checks if check.passed is not True] == []
    assert [tick.name for tick in health.checks if tick.name.startswith("tick:")] == [
        f"tick:{tick.name}" for tick in sample.ticks
    ]


def test_only_loop_repetition_and_nonsense_are_failures():
    health = examine(PCI, "No.", truncated=True)
    assert health.failures == ()
    assert {check.name for check in health.notes} >= {"length", "technical_terms", "truncation"}
    assert not health.all_passed
    stuck = examine(PCI, "It is a card. " * 12)
    assert {check.name for check in stuck.failures} >= {"loop"}


def test_a_check_that_cannot_tell_is_neither_pass_nor_failure():
    check = HealthCheck(name="x", passed=None, passage="", explanation="")
    assert Health(checks=(check,)).all_passed
    with pytest.raises(ValueError, match="did not pass"):
        HealthCheck(name="x", passed=None, passage="", explanation="", failure=True)


def test_the_same_answer_is_always_found_the_same():
    for _, text in broken("nonsense", 11):
        assert examine(PCI, text) == examine(PCI, text)


# ------------------------------------------------------------------------------------------ length


@pytest.mark.parametrize(
    ("words", "passed"), [(0, False), (10, False), (11, True), (199, True), (200, False)]
)
def test_more_than_ten_and_fewer_than_two_hundred_words_are_asked_for(words, passed):
    check = length(" ".join(["word"] * words))
    assert check.passed is passed
    assert not check.failure


# -------------------------------------------------------------------------------------------- loop


@pytest.mark.parametrize(
    "text",
    [
        "It is " + "the " * 30,
        "Restart the service. " * 8,
        PROSE + " Restart the service and try again." * 4 + " Restart the ser",
        "ab" * 60,
        "The device is ahahahahahahahahahahahahahahahahahahahah",
        "\n".join(f"{n}. Install the driver" for n in range(1, 12)),
        " ".join(f"Step {n}: Open the case and look." for n in range(1, 9)),
        "```\n" + "sudo apt install nginx\n" * 20,
        (PROSE + "\n\n") * 3,
        "系统正在启动请稍候" * 12,
        "Yes! yes, YES. yes; yes yes (yes) yes",
    ],
)
def test_a_unit_said_over_and_over_is_a_loop(text):
    check = loop(text)
    assert check.passed is False, text
    assert check.failure
    assert check.passage
    assert check.passage in text


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "This is very, very important, and it had had no effect before.",
        "-" * 60 + "\nA ruler stands above and below.\n" + "-" * 60,
        "eth0 eth1 eth2 eth3 eth4 eth5 are the interfaces of the switch.",
        "sda 0 0 0 0 0 0\nsdb 0 0 0 0 0 0\nsdc 1 0 0 0 0 0",
        "apt install a\napt install b\napt install c\napt install d\napt install e",
        "Press F1 for help. Press F2 for setup. Press F3 for the log.",
    ],
)
def test_healthy_text_that_repeats_a_little_does_not_loop(text):
    assert loop(text).passed is True, said(loop(text))


def test_the_passage_of_a_loop_begins_where_the_loop_begins():
    text = PROSE + " Then check the cable once more." * 6
    assert loop(text).passage.startswith("Then check the cable once more.")


# -------------------------------------------------------------------------------------- repetition


def test_near_copies_of_a_sentence_are_repetition_and_no_strict_loop():
    parts = ["system", "network", "disk", "board", "printer", "router", "server", "screen"]
    text = " ".join(f"The {part} is an important part of the computer today." for part in parts)
    assert loop(text).passed is True
    check = repetition(text)
    assert check.passed is False
    assert check.failure
    assert check.passage in text


def test_a_sentence_that_comes_back_between_others_is_repetition():
    others = ["Open the case.", "It was made in spring.", "Two cables are red.", "Nobody knew why."]
    again = "The driver must be loaded first."
    text = " ".join(f"{other} {again}" for other in others)
    check = repetition(text)
    assert check.passed is False
    assert check.passage == again


def test_lists_of_commands_settings_and_parallel_sentences_are_healthy():
    kinds = {"commands", "code", "log", "table", "parallel", "options", "steps"}
    wrong = [said(repetition(text)) for kind, text in healthy() if kind in kinds
             and repetition(text).passed is not True]  # fmt: skip
    assert wrong == []


def test_the_same_line_of_code_many_times_among_others_is_repetition():
    text = "```\n" + "".join(f"modprobe e1000e\necho {n}\n" for n in range(12)) + "```"
    assert repetition(text).passed is False


def test_what_is_said_again_in_nearly_the_same_words_is_repetition():
    text = (
        "Old boards have a battery. The firmware checks the memory before it starts the loader. "
        "In short, the firmware checks memory before starting the loader. Some boards beep. So the "
        "firmware first checks the memory, before it starts a loader. As I said, the firmware "
        "checks the memory before it starts the loader."
    )
    check = repetition(text)
    assert check.passed is False
    assert check.passage in text
    assert "another one" in check.explanation


def test_one_subject_in_place_of_everything_is_repetition():
    text = (
        "The cache table is what the cache table does with a cache table. Without the cache table "
        "there is no cache table of the cache table. If the cache table has a cache table, it "
        "calls the cache table."
    )
    assert repetition(text).passed is False


def test_sentences_of_one_form_that_each_bring_something_new_are_healthy():
    text = (
        "Port 22 belongs to SSH and carries encrypted shells. Port 25 belongs to SMTP and carries "
        "mail between servers. Port 53 belongs to DNS and carries questions about names. Port 123 "
        "belongs to NTP and carries the time."
    )
    assert repetition(text).passed is True, said(repetition(text))


# ---------------------------------------------------------------------------------------- nonsense


@pytest.mark.parametrize(
    "text",
    [
        "xqzv jkwp qpfh zzxk vbnq wjrt plmk qazx wsxc edcr fvtg byhn ujmk iolp",
        "blorfen tasquil vendrabi mostuper galindrax fentolis quarbendo trimosol vaskelin "
        "drobulant pexitorn zalmundi corvestal",
        "driver the is reads module loads fits card kernel of none that without and identifier a "
        "stays says if log the so card it the fits a the and of driver none",
        "Le syst\u00c3\u00a8me a \u00c3\u00a9t\u00c3\u00a9 d\u00c3\u00a9marr\u00c3\u00a9 hier.",
        "The k\ufffdrnel re\ufffdds the \ufffddentifier of t\ufffde card and lo\ufffdds it.",
        "кар הבא 系统 the ตัว สวัสดี kernel πολύ сеть 网络 driver שלום नमस्ते 안녕 мир 世界",
        "@#$ %^& *() !~` {}| <>? &*^ %$# @!~ ^&* )(* |}{ ?>< $#@ ~`! ^%$ #@! *&^",
        "8f!kQ z%3w@ p0^Lx v9#mT &j2Rq 7~hYc w4*Bn u1$Gz d6(Ks e5)Fo x3+Vi r8=Ma t2{Jy",
    ],
)
def test_what_is_no_language_is_nonsense(text):
    check = nonsense(text)
    assert check.passed is False
    assert check.failure
    assert check.passage
    assert check.passage in text


@pytest.mark.parametrize("seed", range(6))
def test_the_passage_points_to_where_an_answer_turns_into_salad(seed):
    chance = random.Random(seed)
    words = " ".join(ENGLISH).split()
    salad = " ".join(chance.sample(words, 90))
    text = PROSE + "\n" + salad
    check = nonsense(text)
    assert check.passed is False
    middle = text.index(check.passage) + len(check.passage) // 2
    assert middle > len(PROSE)


@pytest.mark.parametrize("kind", ["french", "ewe", "other"])
def test_healthy_text_in_another_language_is_not_called_nonsense(kind):
    for _, text in ((k, t) for k, t in healthy() if k == kind):
        assert nonsense(text).passed is not False, said(nonsense(text))


def test_a_script_we_cannot_read_is_left_open():
    text = next(text for kind, text in healthy() if "防火墙" in text)
    assert nonsense(text).passed is None
    assert coherence(text, nonsense(text)).passed is None


def test_code_paths_ids_and_logs_are_no_nonsense():
    kinds = {"commands", "code", "log", "table", "options", "short"}
    wrong = [said(nonsense(text)) for kind, text in healthy() if kind in kinds
             and nonsense(text).passed is False]  # fmt: skip
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "/srv/log/*.log {\n    daily\n    rotate 5\n    compress\n    create 0600\n}",
        "chain forward {\n    ct state established accept\n    iif lan oif wan accept\n    drop\n}",
        "def first(items):\n    for item in items:\n        if item is not None:\n"
        "            return item\n    raise ValueError\n\nclass Empty(Exception):\n    pass",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleKeyOnlyForThisTestAndNothing0123 root@host",
        "PORT   NAME    PROTO\n22     sshd    tcp\n53     named   udp\n123    ntpd    udp\n"
        "631    cupsd   tcp\n2049   nfsd    tcp",
    ],
    ids=["logrotate", "nftables", "python", "key", "columns"],
)  # fmt: skip
def test_code_and_settings_without_a_fence_are_no_nonsense(text):
    assert nonsense(text).passed is True, said(nonsense(text))


@pytest.mark.parametrize(
    "text",
    [
        "fi def => ( ] try && ==\nreturn import { ) != esac\ngoto class [ } -> ;\nelif def ) ( ,",
        "83920184756019283746501928374650192837465019283746501928374650192837465019283746501928"
        "374650192837465019283746501928374650192837465",
        "q8Zt1LwPx0VbN7sKfD3mRgYhU5cAeJ2i\nT6oWvXzQ4nBkHrMlSjG9dFyCuEaPi1O8\n"
        "Lw0VbZt7sKfqD3mRgY8hU5cAeJ2ixP1N\nT6oWvXQ4nBkHzrMlSjG9dFyCuEa8PiO1",
    ],
    ids=["heap of code", "digits", "encoded"],
)
def test_heaps_of_code_digits_and_bytes_are_nonsense(text):
    check = nonsense(text)
    assert check.passed is False
    assert check.passage in text


def test_pieces_of_sentences_are_nonsense_and_careless_writing_is_not():
    pieces = [nonsense(text).passed for name, text in broken("nonsense", 540) if name == "pieces"]
    assert len(pieces) == 20
    assert pieces.count(False) >= 12
    for kind, text in healthy():
        if kind == "sloppy":
            assert nonsense(text).passed is True, said(nonsense(text))


def test_one_damaged_character_does_not_make_an_answer_nonsense():
    assert nonsense(PROSE.replace("kernel", "kern\ufffdl")).passed is True


# --------------------------------------------------------------------------------------- coherence


def test_nonsense_is_never_coherent():
    for name, text in broken("nonsense", 44):
        found = nonsense(text)
        if found.passed is False:
            assert coherence(text, found).passed is False, name


def test_what_does_not_hang_together_is_not_coherent():
    text = (
        "Red cable. Blue lamp. Old printer. Three big boxes. Green door. Long table. Two chairs. "
        "Cold water. Small window. Open garden. Quiet street."
    )
    check = coherence(text, nonsense(text))
    assert check.passed is False
    assert "small words" in check.explanation
    assert check.passage in text
    assert not check.failure


def test_healthy_prose_is_coherent_and_bare_commands_are_left_open():
    for text in ENGLISH:
        assert coherence(text, nonsense(text)).passed is True, said(coherence(text, nonsense(text)))
    commands = "```\nls -l\ndf -h\n```"
    assert coherence(commands, nonsense(commands)).passed is None


# ---------------------------------------------------------------- terms, relevance, truncation


def test_technical_terms_are_found_by_list_and_by_form():
    assert len(known_terms()) > 500
    assert technical_terms("It uses the kernel module and a PCI slot.").passed is True
    assert technical_terms("Look at 8086:10d3 below /sys/bus/pci in version 6.1.90.").passed is True
    check = technical_terms("We went to the sea and had a very nice day with good friends there.")
    assert check.passed is False
    assert not check.failure


def test_relevance_asks_for_the_subject_of_the_prompt():
    assert relevance(APACHE, GOOD_APACHE).passed is True
    check = relevance(APACHE, PROSE)
    assert check.passed is False
    assert "apache" in check.explanation
    found = relevance(APACHE, PROSE + " Apache is a web server.")
    assert "Apache" in found.passage


@pytest.mark.parametrize(
    "text",
    [
        "The driver is loaded by the kernel as soon as the",
        "The driver is loaded by the kernel when the card is fou",
        "Run this:\n```bash\nsudo apt update\n",
        "First run sudo apt update && ",
        "You need three things: a cable, a switch,",
    ],
)
def test_a_visible_cut_is_seen(text):
    check = truncation(text)
    assert check.passed is False
    assert check.passage in text
    assert not check.failure


def test_an_end_that_was_meant_is_no_cut_unless_the_model_was_stopped():
    for text in (
        GOOD_PCI,
        GOOD_APACHE,
        "- one\n- two and nothing more than that here",
        "sudo reboot",
    ):
        assert truncation(text).passed is True, text
        assert truncation(text, truncated=True).passed is False
    assert truncation("   ").passed is None


# ----------------------------------------------------------------------------------- the tick list


def ticks_of(sample: SamplePrompt, text: str) -> dict[str, bool | None]:
    checks = accuracy(sample, text, coherence(text, nonsense(text)))
    return {check.name.removeprefix("tick:"): check.passed for check in checks}


def test_a_wrong_vendor_and_driver_lose_their_ticks():
    found = ticks_of(PCI, "a Realtek network controller that works with the r8169 driver in Linux.")
    assert found == {
        "device type": True,
        "vendor": False,
        "driver": False,
        "coherent": True,
        "accuracy": False,
    }


def test_commands_in_the_wrong_order_keep_one_tick_and_lose_the_other():
    found = ticks_of(APACHE, "```\nsudo apt install apache2\nsudo apt update\n```")
    assert found["commands"] is True
    assert found["sequence"] is False
    assert found["extra steps"] is False
    assert found["syntax"] is True


def test_shell_that_does_not_parse_loses_the_tick():
    tick = SampleCheck(name="syntax", kind="syntax")
    sample = SamplePrompt(id="x", prompt="x", subject=(("x",),), ticks=(tick,))
    assert ticks_of(sample, "```bash\nfor f in *; do echo $f\n```")["syntax"] is False
    assert ticks_of(sample, "No command here at all.")["syntax"] is False
    assert ticks_of(sample, "```bash\nfor f in *; do echo $f; done\n```")["syntax"] is True


def test_every_tick_quotes_the_passage_that_decided():
    checks = {check.name: check for check in examine(APACHE, GOOD_APACHE).checks}
    assert checks["tick:commands"].passage == "sudo apt install apache2"
    assert checks["tick:extra steps"].passage == "sudo systemctl start apache2"


GOOD_ANSWERS = {
    "sample_003": "a Realtek RTL8139 Fast Ethernet adapter. Linux drives it with 8139too.",
    "sample_004": "iwlwifi. The Intel card is a wireless adapter and also needs its firmware file.",
    "sample_005": "an NVIDIA GeForce GTX 1050 Ti graphics card. The free driver for it is nouveau.",
    "sample_006": "```\nsudo dnf install nginx\nsudo systemctl enable --now nginx\n```",
    "sample_007": "```\napk add openssh\nrc-update add sshd default\nrc-service sshd start\n```",
    "sample_008": "Run sudo pacman -S docker and then sudo systemctl enable --now docker. Add "
    "yourself to the group with sudo usermod -aG docker $USER.",
    "sample_009": "lspci -k prints every device with the driver in use and the modules for it.",
    "sample_010": "sudo ss -ltnp and look at the last column, which names the process.",
    "sample_011": "a file that was deleted while a process still holds it open. Find it with lsof.",
    "sample_012": "a missing driver or missing firmware. Look at dmesg and lspci -k first.",
}


@pytest.mark.parametrize(("name", "answer"), GOOD_ANSWERS.items())
def test_a_good_answer_to_every_sample_keeps_all_its_ticks(name, answer):
    found = ticks_of(SAMPLES[name], answer)
    assert [tick for tick, held in found.items() if held is False] == []
    assert relevance(SAMPLES[name], answer).passed is True


# ----------------------------------------------------------------------------------------- hostile

MEGABYTE = 1_000_000
HOSTILE = {
    "nothing": "",
    "spaces": " " * MEGABYTE,
    "lines": "\n" * MEGABYTE,
    "one letter": "a" * MEGABYTE,
    "surrogates": "\ud800" * MEGABYTE,
    "zeros": "\0" * MEGABYTE,
    "fences": "```\n" * (MEGABYTE // 4),
    "backquotes": "`" * MEGABYTE,
    "brackets": "(" * MEGABYTE,
    "marks": "e" + "\u0301" * MEGABYTE,
    "pipes": "| a " * (MEGABYTE // 4),
    "settings": "x=y" * (MEGABYTE // 3),
    "settings apart": "k=v k " * (MEGABYTE // 6),
    "columns": "a  b" * (MEGABYTE // 4),
    "commands": "sudo apt install x\n" * (MEGABYTE // 19),
    "addresses": "a@a" * (MEGABYTE // 3),
    "hyphens": "a-" * (MEGABYTE // 2),
    "paths": "/a" * (MEGABYTE // 2),
    "quotes": "a 'b " * (MEGABYTE // 5),
    "capital i with dot": "İ" * MEGABYTE,
    "noise": "".join(chr(random.Random(1).randrange(32, 0x3000)) for _ in range(1000)) * 1000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_raises_and_every_passage_stands_in_it(text):
    for check in examine(APACHE, text).checks:
        assert check.passage in text
        assert len(check.passage) <= QUOTED_AT_MOST
        assert check.explanation


def test_random_text_of_all_kinds_of_characters_is_examined():
    chance = random.Random(7)
    alphabet = "ab 1.`#|*-\n\t(){}[]<>=$@/\\'\"é系ɖ\ud800\u0301\ufffd😀%:;,!?_~+&^"
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(chance.randrange(120)))
        for check in examine(PCI, text).checks:
            assert check.passage in text


# ---------------------------------------------------------------------------------------- measured


def failing(text: str) -> set[str]:
    return {name for name, check in FAILURES.items() if check(text).passed is False}


def test_none_of_the_healthy_passages_of_ours_is_called_broken():
    assert len(healthy()) >= 80
    assert {kind: failing(text) for kind, text in healthy() if failing(text)} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_of_text_broken_on_purpose_at_least_97_percent_is_found(kind):
    assert len(KINDS[kind]) >= 6
    made = broken(kind, 200, seed=1)
    found = [failing(text) for _, text in made]
    missed = Counter(name for (name, _), names in zip(made, found, strict=True) if not names)
    assert sum(map(bool, found)) >= 0.97 * len(made), missed
    assert sum(kind in names for names in found) >= 0.95 * len(made)


def passages(shared) -> dict[str, list[str]]:
    """Real text that was never counted, cut to 12 to 200 words."""
    answers = [
        json.loads(line)["answer"]
        for line in (shared / "data/sysadmin_qa/sysadmin_qa.jsonl").read_text("utf-8").splitlines()
    ]
    stories = [
        json.loads(line)
        for line in (shared / "data/hellaswag/hellaswag_val_2000.jsonl")
        .read_text("utf-8")
        .split("\n")
        if line
    ]
    with (shared / "data/debian/server_packages.tsv").open(encoding="utf-8", newline="") as table:
        packages = list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    with (shared / "data/nl2bash/nl2bash.tsv").open(encoding="utf-8", newline="") as table:
        commands = list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    found = {
        "sysadmin_qa": [part for answer in answers for part in _paragraphs(answer)],
        "packages": [row[4] for row in packages],
        "hellaswag": [row["ctx"] + " " + row["endings"][row["label"]] for row in stories[::5]],
        "nl2bash": ["\n".join(row[1] for row in commands[at::2_500]) for at in range(0, 2_400, 12)],
    }
    return {
        name: [text for text in texts if 12 <= len(text.split()) <= 200]
        for name, texts in found.items()
    }


def _paragraphs(answer: str) -> list[str]:
    parts, current = [], ""
    for block in re.split(r"\n\s*\n", answer):
        if current and len((current + block).split()) > 190:
            parts.append(current)
            current = ""
        current = f"{current}\n\n{block}" if current else block
    return [*parts, current]


def test_of_real_technical_text_at_most_one_percent_is_called_broken(shared):
    for name, texts in passages(shared).items():
        assert len(texts) >= 150, name
        looked_at = texts[::6]
        wrong = [text for text in looked_at if failing(text)]
        assert len(wrong) <= max(1, 0.01 * len(looked_at)), (name, wrong)


def test_of_real_text_in_thirteen_languages_at_most_one_percent_is_called_broken(shared):
    wrong, count = [], 0
    for path in sorted((shared / "data/langid").glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        for at in range(0, len(lines) - 3, 120):
            text = " ".join(lines[at : at + 3])
            if len(text.split()) >= 12:
                count += 1
                if failing(text):
                    wrong.append((path.stem, text[:80]))
    assert count >= 100
    assert len(wrong) <= max(1, 0.01 * count), wrong


# --------------------------------------------------------------------------------------- the words


def test_words_in_their_order_gain_more_than_the_same_words_shuffled():
    model = shipped_words()["eng"]
    for text in ENGLISH:
        words = [token.text for token in tokens(text)]
        mixed = list(words)
        random.Random(0).shuffle(mixed)
        assert model.gains(words).mean() > model.gains(mixed).mean()


def test_code_commands_tables_and_logs_are_told_from_prose():
    kinds = {line.kind for kind, text in healthy() if kind == "explanation"
             for line in read(text).lines}  # fmt: skip
    assert kinds == {"prose"}
    told = [
        any(line.kind != "prose" for line in read(text).lines)
        for kind, text in healthy()
        if kind in {"log", "table", "code"}
    ]
    assert sum(told) >= 0.9 * len(told)
