"""The decision card: of every kind of result the same block, short, and the last thing said."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from assay.messages import speak
from assay.reports.cards.run import run_card
from assay.reports.cards.scores import more_tests
from assay.reports.checkpoints.loop import loop_document, loop_json
from assay.reports.comparison import comparison_document
from assay.reports.formats.card_text import card_lines
from assay.reports.formats.html import render_html
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import render_text
from assay.reports.losses import losses_document
from assay.reports.measured.drift import drift_document, drift_json
from assay.reports.run_report import run_document
from assay.summary.comparisons import find_leads
from assay.types import Estimate
from assay.types.decisions import DEFAULT_GATE, Gate
from assay.types.documents import Card, Document, Span, make_card, plain_text, with_commands
from assay.types.measured.drift import DriftLimits
from assay.types.measured.losses import LossComparison, LossPart
from assay.types.measured.performance import DepthFigures
from assay.types.results import Cause, Report, Side
from assay.types.rounds import LoopRound, RoundReview, SuggestedChange, TrainingLoop
from tests.decide.candidates import GATE, candidate
from tests.reports import conftest as made
from tests.reports.judged_run import judged_run
from tests.reports.test_decision import decided, deciding, three, weak
from tests.reports.test_notebook import drifted

WIDTH, MOST_LINES = 80, 24


def two_models(first: Estimate, second: Estimate, *, passing: int = 3) -> Report:
    """Two models whose tests differ where the second has none right."""
    suite = made.summary()
    right = tuple(replace(suite.tests[0], id=f"facts_{n:03}") for n in range(40))
    wrong = tuple(replace(suite.tests[1], id=each.id) for each in right)
    report = made.report_document()
    model = report.models[0]
    suites = (
        replace(suite, score=first, tests=right),
        replace(suite, score=second, tests=(*right[:passing], *wrong[passing:])),
    )
    models = tuple(
        replace(model, spec=f"scripted:{name}.json", name=name, suites=(each,))
        for name, each in zip(("alpha", "beta"), suites, strict=True)
    )
    return replace(report, models=models, leads=find_leads(report.run, models))


def with_suite(report: Report, **changes: object) -> Report:
    """Its only suite with other fields."""
    (model,) = report.models
    (suite,) = model.suites
    changed = replace(suite, **changes)  # type: ignore[arg-type]
    return replace(report, models=(replace(model, suites=(changed,)),))


def depth(tokens: int, decode: float, **changes: object) -> DepthFigures:
    none = made.nothing("tokens/s")
    figure = made.speed(decode)
    return DepthFigures(
        depth=tokens, prompt_tokens=none, prefill=figure, decode=figure, client_decode=none,
        first_token_s=none, cached_first_token_s=none, memory=none, **changes,  # type: ignore[arg-type]
    )  # fmt: skip


def timed() -> Report:
    report = made.report_document()
    depths = (depth(0, 41.0), depth(4096, 33.0), depth(16384, 9.0, fits=False, why_not="no room"))
    model = replace(report.models[0], suites=(), depths=depths)
    return replace(report, models=(model,))


def trained(*, accepted: bool) -> TrainingLoop:
    measured = candidate("run/step_2") if accepted else weak("run/step_2")
    decision = decided([measured], deciding([measured], folders=False)).decision
    assert decision is not None
    done = LoopRound(
        number=1, measured=measured, acceptance=decision.acceptances["run/step_2"],
        weighted=decision.weighted["run/step_2"], review=RoundReview(by="assay"),
        changes=(SuggestedChange(kind="steps", reason="it still learns", steps=2000),),
    )  # fmt: skip
    return TrainingLoop(
        rounds=(done,), gate=GATE, ended="accepted" if accepted else "rounds", best=1, seconds=60.0,
        tokens=0, out="/out", command="assay loop --train './train.sh {out}' --rounds 1",
    )  # fmt: skip


def lost() -> LossComparison:
    change = made.share(-0.25, -0.4, -0.1, 12)
    part = LossPart(name="letters", bytes=4000, first=1.5, second=1.25, change=change)
    side = Side(run="1", model="old", name="old")
    return LossComparison(
        a=side, b=replace(side, run="2", model="new", name="new"), text="held-out.txt",
        whole=replace(part, name=""), classes=(part,), slices={}, documents=(part,), gained=(),
        lost=(),
    )  # fmt: skip


def judged_report() -> Report:
    report = made.report_document()
    specs = [each.model for each in judged_run().models]
    models = tuple(replace(report.models[0], spec=spec, name=spec) for spec in specs)
    return replace(report, models=models, judged=judged_run())


def drift_beyond() -> Document:
    drift = drifted()
    (model,) = drift.models
    moved = replace(model, accepted=False, exceeded=("max_kl",), model="quantised")
    return drift_document(replace(drift, models=(moved,), limits=DriftLimits(max_kl=0.05)))


GUESSED = made.points(27.5, 16.1, 42.8, 40)
KINDS: dict[str, Callable[[], Document]] = {
    "a folder with one to ship": lambda: run_document(decided(three())),
    "a folder where none passes": lambda: run_document(decided([weak("a/step_1")])),
    "a folder of equals": lambda: run_document(
        decided([candidate("a/step_1"), candidate("a/s_2")])
    ),
    "two served models": lambda: run_document(
        two_models(made.points(100.0, 91.2, 100.0, 40), made.points(7.5, 2.6, 19.9, 40))
    ),
    "two models at guessing": lambda: run_document(two_models(GUESSED, GUESSED, passing=38)),
    "one model": lambda: run_document(made.report_document()),
    "judged tests": lambda: run_document(judged_report()),
    "a comparison": lambda: comparison_document(made.comparison_document()),
    "losses": lambda: losses_document(lost()),
    "drift": drift_beyond,
    "speed": lambda: run_document(timed()),
    "an accepted loop": lambda: loop_document(trained(accepted=True)),
    "a loop out of budget": lambda: loop_document(trained(accepted=False)),
    "an unfinished run": lambda: run_document(replace(made.report_document(), finished=None)),
}
DECISIONS = {
    "a folder with one to ship": "Ship tiny/step_300.",
    "a folder where none passes": "Ship none: a/step_1 comes closest and misses perplexity, "
    "os_benchmark.",
    "a folder of equals": "Ship a/s_2; no significant difference from a/step_1.",
    "two served models": "alpha leads beta by 69.4 points [61.9–75.0] on demo.",
    "two models at guessing": "No model beats guessing on demo.",
    "one model": "good scores 72.5 points [61.0–81.4] n=38, 2 unscored on demo.",
    "losses": "new predicts held-out.txt better than old: −0.250 [−0.400 to −0.100] bits per byte.",
    "drift": "quantised moved from base beyond the limit.",
    "speed": "good fits up to 4,096 tokens and not at 16,384.",
    "an accepted loop": "Ship run/step_2: accepted in round 1.",
    "a loop out of budget": "Ship none: out of budget after 1 round; round 1 comes closest.",
    "an unfinished run": "The run is not finished: nothing is decided yet.",
}


def card_of(document: Document) -> Card:
    assert document.card is not None
    return document.card


@pytest.mark.parametrize("kind", KINDS)
def test_the_card_is_the_last_thing_on_a_terminal_at_most_24_lines_at_80_columns(kind: str) -> None:
    document = KINDS[kind]()
    card = [each.text for each in card_lines(card_of(document), WIDTH)]
    for verbose in (False, True):
        lines = render_text(document, width=WIDTH, verbose=verbose).splitlines()
        assert lines[-len(card) :] == card
        assert lines[-len(card) - 1] == "─" * WIDTH
    assert len(card) + 1 <= MOST_LINES
    brief = render_text(document, width=WIDTH).splitlines()
    assert max(map(cell_len, brief)) <= WIDTH
    assert "" not in card


@pytest.mark.parametrize("kind", DECISIONS)
def test_each_kind_of_result_has_its_decision(kind: str) -> None:
    assert card_of(KINDS[kind]()).decision == DECISIONS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_the_card_is_the_first_thing_of_a_page_and_of_markdown(kind: str) -> None:
    document = KINDS[kind]()
    card = card_of(document)
    page, markdown = render_html(document), render_markdown(document)
    (title,) = re.findall(r"<h1>(.*?)</h1>", page)
    assert html.unescape(title) == card.decision
    assert page.index('class="decision') < page.index("<table")
    assert re.sub(r"\\(.)", r"\1", markdown.splitlines()[0]) == f"# {card.decision}"
    for each in card.reasons:
        assert html.escape(each, quote=False) in html.unescape(page).replace("<", "&lt;") or (
            each in html.unescape(page)
        )


def test_the_headline_of_json_is_the_decision() -> None:
    loop = trained(accepted=False)
    assert loop_json(loop)["headline"] == card_of(loop_document(loop)).decision
    drift = drifted()
    assert drift_json(drift)["headline"] == card_of(drift_document(drift)).decision


# ------------------------------------------------------------------------------- what a card claims


def test_a_model_at_guessing_does_not_lead_and_its_baseline_is_beside_it() -> None:
    card = run_card(two_models(GUESSED, made.points(20.0, 10.5, 34.8, 40), passing=20))
    assert card.decision == "No model beats guessing on demo."
    assert card.tone == "bad"
    assert card.reasons[0] == (
        "demo: alpha 27.5 [16.1–42.8] n=40, beta 20.0 [10.5–34.8] n=40, guessing 25.0 [15.0–40.0] "
        "n=38"
    )


def test_a_difference_inside_its_interval_is_undecided_with_the_tests_that_would_decide() -> None:
    above = made.points(80.0, 65.0, 90.0, 40), made.points(75.0, 60.0, 86.0, 40)
    report = two_models(*above, passing=38)
    (lead,) = report.leads
    more = more_tests(lead.suites[0])
    assert more is not None
    assert run_card(report).decision == (
        f"Undecided on demo: alpha shows no significant difference from beta; about {more} more "
        "tests would decide it."
    )
    assert "best" not in run_card(report).decision


def test_a_cause_of_a_third_of_the_failures_is_a_reason_with_its_count() -> None:
    cause = Cause(kind="calls_as_text", count=32, n=40, explains=32, failures=35, right=15)
    rare = Cause(kind="cut", count=5, n=40, explains=5, failures=35)
    card = run_card(replace(with_suite(made.report_document(), causes=(cause, rare)), hints=()))
    (said,) = [each for each in card.reasons if "tool call" in each]
    assert said.startswith(
        "32 of 35 failures of good on demo: 32 answers of 40 have the tool call as plain text"
    )
    assert not any("maximum of tokens" in each for each in card.reasons)
    assert "15 of them right: template or parser, not the model." in said
    assert plain_text(card.next).startswith("read the wrong answers: assay report ")


def test_one_judged_test_recommends_nobody() -> None:
    run = judged_run()
    few = tuple(replace(each, mean=replace(each.mean, n=1)) for each in run.choices)
    report = replace(judged_report(), judged=replace(run, choices=few))
    assert "use " not in run_card(report).decision.casefold()
    assert "use " in run_card(judged_report()).decision.casefold()


def test_a_judged_suite_is_shown_as_one_number() -> None:
    """Of 10 in the table, as on the card; its points of 100 would be another number for it."""
    shown = render_text(run_document(judged_report()), width=120)
    assert "coding, of 10" in shown
    assert "demo, points" in shown, "another suite, without a judge"
    assert "points" not in run_card(judged_report()).reasons[0]


def test_an_interval_is_never_left_out_of_the_table_however_many_suites_there_are() -> None:
    report = made.report_document()
    (model,) = report.models
    (suite,) = model.suites
    many = tuple(replace(suite, suite=f"suite_{n}") for n in range(9))
    lines = render_text(
        run_document(replace(report, models=(replace(model, suites=many),))), width=WIDTH
    ).splitlines()
    (row,) = [line for line in lines if line.startswith("good  ")]
    assert row.count("72.5 [61.0–81.4]") == row.count("72.5")
    assert any(line.endswith("more columns with -v") for line in lines)


# ------------------------------------------------------------------------------------ how it is cut


def test_a_card_keeps_three_of_each_and_counts_the_caveats_that_are_left() -> None:
    many = [f"said {n}" for n in range(1, 6)]
    card = make_card("Ship it.", reasons=(*many, "said 1"), caveats=("said 1", *many))
    assert card.reasons == ("said 1", "said 2", "said 3")
    assert (card.caveats, card.more) == (("said 1", "said 2", "said 3"), 2)
    titles = [each.text for each in card_lines(card, WIDTH) if each.is_title]
    assert titles == ["Ship it.", "Why", "Caveats (and 2 more)"]


def test_the_longest_texts_still_make_24_lines() -> None:
    long = [f"{n} " + "word " * 200 for n in range(3)]
    command = ("with: ", Span("assay run " + "scripted:model.json " * 40, "code"))
    card = make_card("word " * 200, reasons=long, caveats=long, next=command)
    lines = card_lines(card, WIDTH)
    assert len(lines) + 1 == MOST_LINES
    assert max(len(each.text) for each in lines) <= WIDTH


@pytest.mark.parametrize("spoken", ["en", "fr"])
@pytest.mark.parametrize("width", [36, 80, 140])
def test_the_title_of_the_default_gate_names_the_specification_and_the_option_for_others(
    width: int, spoken: str
) -> None:
    speak(spoken)
    try:
        gate = Gate(source=DEFAULT_GATE).title
        lines = card_lines(make_card("Ship it.", reasons=["a figure"], gate=gate), width)
    finally:
        speak("en")
    assert max(len(each.text) for each in lines) <= width
    title = " ".join(each.text.strip() for each in lines[1:-1])
    assert {"en": "the specification's gate", "fr": "barrière de la spécification"}[spoken] in title
    assert "--gate)" in title
    if width >= WIDTH:
        assert len(lines) == 3


@pytest.mark.parametrize("width", [36, 80, 140])
def test_a_command_that_is_broken_can_be_copied_whole(width: int) -> None:
    command = "assay run " + " ".join(f"scripted:model_{n}.json" for n in range(6)) + " -s example"
    card = make_card("Ship it.", next=("again: ", Span(command, "code")))
    *_, first = (n for n, each in enumerate(card_lines(card, width)) if each.text == "Next")
    lines = [each.text.strip() for each in card_lines(card, width)][first + 1 :]
    assert all(line.endswith("\\") for line in lines[:-1])
    assert " ".join(line.removesuffix("\\").strip() for line in lines) == f"again: {command}"


def test_hostile_names_send_no_escape_sequence_from_a_card() -> None:
    card = make_card(made.HOSTILE, reasons=(made.HOSTILE,), next=Span(made.HOSTILE, "code"))
    shown = "".join(each.text for each in card_lines(card, WIDTH))
    assert not set(shown) & {"\x1b", "\u202e", "\x07", "\x9b", "\ud800", "\r", "\n"}


def test_a_command_inside_a_sentence_is_a_piece_of_its_own() -> None:
    card = make_card("Ship it.", next=with_commands("First `assay fetch mmlu`, then rest."))
    assert [each.text for each in card_lines(card, WIDTH)][
        -1
    ] == "  First assay fetch mmlu, then rest."
    assert "- First `assay fetch mmlu`, then rest." in render_markdown([card])
    assert with_commands("an odd ` in it") == "an odd ` in it"


@pytest.mark.parametrize("width", [44, 80])
def test_a_command_is_never_broken_inside_quotes(width: int) -> None:
    command = "assay run openai:x@http://127.0.0.1:8080/v1 --system 'Answer it. Do not repeat it.'"
    lines = card_lines(make_card("It fails.", next=Span(command, "code")), width)
    shown = "\n".join(each.text for each in lines)
    assert "'Answer it. Do not repeat it.'" in shown
