"""The health checks: each with both sides, on hostile text, and measured."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from assay.checks.health.examine import (
    coherence,
    examine,
    known_terms,
    length,
    repetition,
    technical_terms,
    truncation,
)
from assay.checks.health.loop import loop
from assay.checks.health.nonsense import nonsense
from assay.checks.health.reading import QUOTED_AT_MOST
from assay.checks.health.ticks import accuracy, relevance
from assay.stats.estimates import proportion
from assay.suites.sample_prompts import load_samples
from assay.types.measured.samples import (
    Health,
    HealthCheck,
    JudgedSense,
    SampleCheck,
    SamplePrompt,
)
from tests.samples import failures_of, read_labels

FOLDER = Path(__file__).parents[1] / "health_samples"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "health.md"
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
        "Yes! yes! YES! yes! yes! yes! yes!",
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


def test_much_said_again_in_few_words_is_repetition_and_quotes_a_phrase():
    text = (
        "A reverse proxy is a server that acts as a reverse proxy server, which means that it acts "
        "as a reverse proxy server. A reverse proxy server is a server that is made to act as a "
        "proxy server, which means that a reverse proxy server acts as a server."
    )
    check = repetition(text)
    assert check.failure
    assert check.passage in text
    assert repetition(PROSE + " " + GOOD_APACHE + " " + GOOD_PCI).passed is True


def test_a_text_that_comes_to_its_end_may_repeat_itself_more_than_one_that_does_not():
    samples = json.loads((FOLDER / "test.json").read_text("utf-8"))
    text = next(each["text"] for each in samples if each["id"] == "test-027")
    assert repetition(text).passed is True
    assert repetition(text, truncated=True).failure


@pytest.mark.parametrize(
    ("text", "stammers"),
    [
        ("a key that is a key that is used to log in.", True),
        ("It supports old devices, it supports old devices.", True),
        ("It had had no effect, very, very little.", False),
        ("sda 0 0 0 0 0 0", False),
        ("apt install nginx\napt install nginx", False),
    ],
)
def test_three_words_said_twice_at_once_are_a_stammer(text, stammers):
    assert repetition(text).failure is stammers


# ---------------------------------------------------------------------------------------- nonsense

OTHERS = (
    "How do you show the files of the package gimp?\nrpm -ql gimp",
    "Print the speed of the network card ens5: ethtool ens5",
    "How do you list the routes?\nnetstat -rn",
)


def test_a_right_answer_followed_by_other_questions_is_nonsense():
    text = "\n\n".join(("lsof -i :80", *OTHERS))
    check = nonsense("To find out which process listens on TCP port 80, run", text)
    assert check.failure
    assert "nothing to do with the prompt: 3 of 4 paragraphs" in check.explanation
    assert check.passage == OTHERS[0]


def test_paragraphs_and_code_that_stay_with_the_prompt_are_no_nonsense():
    text = (
        "To install nginx on Fedora, use this command:\n\n```bash\nsudo dnf install nginx\n```\n\n"
        "This command installs nginx on Fedora.\n\nThen start nginx with systemctl."
    )
    assert nonsense("Install nginx on Fedora:", text).passed is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Nothing was written."),
        ("\ufffd\ufffd\ufffd it is", "characters that no text has"),
        ("This is the root-to-root-to-root syndrome.", "makes up words"),
    ],
)
def test_what_no_person_would_write_is_nonsense(text, said):
    check = nonsense("A prompt", text)
    assert check.failure
    assert said in check.explanation


ASKED = "df reports that the root file system is full, but du finds far less data. The reason is"


@pytest.mark.parametrize(
    ("prompt", "text", "sure_enough", "too_unsure"),
    [
        ("A firewall is", "a simple interface to the Linux kernel.", 4.6, 4.8),
        (ASKED, "that the system is not aware of the farm.", 2.5, 2.7),
        ("Install nginx on Fedora:", "dnf install the add vim", 2.5, 2.7),
        ("Explain what a daemon is.", "systemctl report-active unbound", 0.2, 0.4),
        ("The kernel and the card", PROSE, 2.8, 3.0),
        ("The kernel and its interrupts", PROSE, 2.3, 2.4),
        ("Why does my laptop run hot?", PROSE, 0.2, 0.4),
    ],
    ids=[
        "short",
        "long prompt",
        "command",
        "whole sentence",
        "of the prompt",
        "half of the prompt",
        "not of the prompt",
    ],
)
def test_the_less_of_the_prompt_a_text_takes_up_the_surer_its_model_must_be(
    prompt, text, sure_enough, too_unsure
):
    assert nonsense(prompt, text, sure_enough).passed is True
    assert nonsense(prompt, text, too_unsure).failure


def test_a_text_on_the_subject_of_its_sample_needs_no_word_of_the_prompt():
    assert examine(PCI, GOOD_PCI, uncertainty=2.0).failures == ()
    check = nonsense(PCI.prompt, GOOD_PCI, 2.0)
    assert check.failure
    assert "hardly a word of the prompt" in check.explanation
    long = nonsense("The kernel and the card", PROSE, 3.1)
    assert "between some 22 tokens" in long.explanation


def test_a_text_without_likelihoods_is_checked_by_the_rest_and_says_so():
    assert "is not known" in nonsense("", PROSE).explanation
    assert "is not known" not in nonsense("", PROSE, 1.0).explanation


def test_one_damaged_character_does_not_make_an_answer_nonsense():
    assert nonsense("", PROSE.replace("kernel", "kern\ufffdl")).passed is True


# ------------------------------------------------------------------------------- labelled samples


@pytest.mark.parametrize(
    ("name", "labels", "found", "alarms"),
    [("dev", "dev_labels", 0.95, 0.07), ("test", "test_labels_second", 0.92, 0.09)],
)
def test_of_the_labelled_samples_most_broken_and_hardly_a_sound_one_are_found(
    name, labels, found, alarms
):
    """Samples on which the limits were chosen; docs/reference/health.md has the figures."""
    samples = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    labelled = read_labels(FOLDER / f"{labels}.tsv")
    broken = [bool(failures_of(s)) for s in samples if labelled[s["id"]] != "ok"]
    fine = [bool(failures_of(s)) for s in samples if labelled[s["id"]] == "ok"]
    assert len(broken) + len(fine) == len(samples)
    assert sum(broken) >= found * len(broken)
    assert sum(fine) <= alarms * len(fine)


@pytest.mark.parametrize("name", ["new", "fresh", "held", "later"])
def test_the_page_has_the_figures_of_the_samples_that_nobody_had_seen(name):
    row = [f"**`{name}`, unseen**", *map(_as_on_the_page, broken_and_sound(name, {}))]
    assert f"| {' | '.join(row)} |" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("who", ["first", "second"])
def test_a_judge_reaches_the_aims_on_samples_that_nobody_had_seen(who):
    """Its answers are written down: no test can ask so large a model."""
    broken, sound = broken_and_sound("later", read_labels(FOLDER / f"later_answers_{who}.tsv"))
    assert sum(broken) >= 0.9 * len(broken)
    assert sum(sound) <= 0.03 * len(sound)
    shown = PAGE.read_text("utf-8").replace("**", "")
    assert f"| {_as_on_the_page(broken)} | {_as_on_the_page(sound)} |" in shown


def broken_and_sound(name, answers):
    """Whether each is called broken, of those on which both labels agree."""
    first, second = (
        read_labels(FOLDER / f"{name}_labels_{who}.tsv") for who in ("first", "second")
    )
    hits = {True: [], False: []}
    for each in json.loads((FOLDER / f"{name}.json").read_text("utf-8")):
        said = answers.get(each["id"])
        judged = JudgedSense(sensible=said == "yes", explanation="") if said else None
        sound = first[each["id"]] == "ok"
        if sound == (second[each["id"]] == "ok"):
            hits[sound].append(bool(failures_of(each, judged=judged)))
    return hits[False], hits[True]


def _as_on_the_page(hits):
    of = proportion(sum(hits), len(hits))
    value, low, high = (f"{100 * each:.1f} %" for each in (of.value, of.low, of.high))
    return f"{value} ({sum(hits)} of {len(hits)}) [{low}, {high}]"


# --------------------------------------------------------------------------------------- coherence


def test_what_does_not_hang_together_is_not_coherent():
    text = (
        "Red cable. Blue lamp. Old printer. Three big boxes. Green door. Long table. Two chairs. "
        "Cold water. Small window. Open garden. Quiet street."
    )
    check = coherence(text, nonsense("", text))
    assert check.passed is False
    assert "small words" in check.explanation
    assert check.passage in text
    assert not check.failure


def test_healthy_prose_is_coherent_and_bare_commands_are_left_open():
    assert coherence(PROSE, nonsense("", PROSE)).passed is True
    commands = "```\nls -l\ndf -h\n```"
    assert coherence(commands, nonsense("", commands)).passed is None


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
    checks = accuracy(sample, text, coherence(text, nonsense("", text)))
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


OF_NOBODY = SamplePrompt(id="own", prompt="Which driver?", subject=(), ticks=())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The driver is e1000e.<|im_end|> <|im_start|>user", "template"),
        ("Dear {{first_name}}, your card needs the driver e1000e.", "template"),
        ("Ġthe Ġdriver Ġof Ġthis Ġcard is Ġe1000e and so on", "garbled"),
        ("It is thе drivеr wxzkqvt of brrtkzx mnpqrst in the qwrtzpsd card", "garbled"),
        ("... !!! ??? ;;; -- ok .,.,.,.,.,.", "punctuation"),
    ],
)
def test_what_is_malformed_on_its_face_makes_no_sense(text: str, said: str) -> None:
    check = examine(OF_NOBODY, text).named("nonsense")
    assert check.passed is False
    assert said in check.explanation
    assert check.passage


@pytest.mark.parametrize(
    "text",
    [
        "Run `ip addr show dev eth0` and look at the third line of what it prints.",
        "The kernel module is i2c-dev; its package is linux-modules-extra-6.8.0-45-generic.",
        "| a | b |\n|---|---|\n| 1 | 2 |\nThe table has two columns and one row of numbers.",
        "Le pilote s'appelle r8169, et il prend en charge la carte Realtek RTL8111.",
    ],
)
def test_names_with_digits_tables_and_accents_are_not_malformed(text: str) -> None:
    assert examine(OF_NOBODY, text).named("nonsense").passed is True
