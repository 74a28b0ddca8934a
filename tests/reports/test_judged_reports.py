"""What is said of judged tests: the two pages, the block of the run's report, JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from assay.reports.formats.json import render_json
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import console_for, draw
from assay.reports.json_documents import judged_json, judgement_json
from assay.reports.judged.pages import comparative_analysis, final_summary
from assay.reports.judged.section import judged_blocks
from assay.reports.judged.sentences import (
    bands,
    choice_sentence,
    closing_sentence,
    evidence_sentence,
    left_out,
)
from assay.summary.judged import judged
from assay.types.judging.judged import Judged
from assay.types.judging.judgements import (
    BAND_MEANINGS,
    MOST_UNREAD,
    Evidence,
    EvidenceCheck,
    FinalJudgement,
    Judging,
)
from tests.reports.conftest import HOSTILE
from tests.reports.judged_answers import CODING, DATA, evidence, flat, judgement, model, verdict
from tests.reports.judged_run import judged_run, steady

NOTHING = judged([])
PAGES: dict[str, Callable[[Judged], str]] = {
    "comparative analysis": lambda of: render_markdown(comparative_analysis(of)),
    "final summary": lambda of: render_markdown(final_summary(of)),
    "section": lambda of: render_markdown(judged_blocks(of)),
}


@pytest.fixture(scope="module")
def run() -> Judged:
    return judged_run()


@pytest.fixture(scope="module")
def hostile() -> Judged:
    """Every text that a judge, a model or a file may write is hostile."""
    told = replace(
        judgement("coding", (7, 7, 7), judge=HOSTILE, strengths=[HOSTILE], weaknesses=[HOSTILE]),
        assessment=HOSTILE,
    )
    shown = replace(evidence(0, 1), missing=HOSTILE, isolation=HOSTILE)
    bad = replace(
        verdict("CT-01", judgements=[told], name=HOSTILE, confidence_reasons=[HOSTILE]),
        evidence=shown,
    )
    unscored = verdict("CT-02", unscored=HOSTILE, explanation=HOSTILE, name=HOSTILE)
    made = judged(
        [
            replace(model(HOSTILE, []), answers=(bad, unscored)),
            model("b", flat(CODING, 9)),
        ],
        judging=Judging(judges=(), notes=(HOSTILE,)),
    )
    return replace(made, use_case=HOSTILE)


def on_terminal(of: Judged, width: int, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    draw(judged_blocks(of), console_for(stream, width=width))
    stream.flush()
    return raw.getvalue().decode(encoding)


def prose(text: str) -> str:
    """Markdown without its escapes."""
    return re.sub(r"\\(?=[^\w\s])", "", text)


# ---------------------------------------------------------------------------------------- sentences


def test_the_final_summary_ends_in_one_sentence_that_names_the_models(run):
    last = prose(PAGES["final summary"](run).rstrip("\n").splitlines()[-1])
    assert last == closing_sentence(run)
    assert last.startswith("Use llama3.2:3b for coding (6.2 of 10 [4.4–7.9] n=6, ACCEPTABLE)")
    assert "; use llama3.2:3b for data analysis (7.7 of 10" in last
    assert "ahead of qwen2.5-coder:7b (difference +2.1 [+2.0 to +2.3], by evidence" in last
    assert not re.search(r"[.!?] [A-Z]", last)


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ([model("a", flat(CODING, 8))],
         r"Use a for coding \(8\.0 of 10 \[.*\] n=6, GOOD\), the only one to choose from\."),
        ([model("a", flat(CODING, 8, 7), speed=20), model("b", flat(CODING, 7, 8), speed=60)],
         r"Use b for coding \(7\.5 .*\): no significant difference from a \(difference 0\.0 "
         r"\[.*\] on 6 tests\), and it is quicker \(60\.0 tokens/s .* against 20\.0 tokens/s .*\)"),
        ([model("a", flat(CODING, 8, 7)), model("b", flat(CODING, 7, 8))],
         r"For coding there is no significant difference between a \(7\.5 .*\) and b "
         r"\(difference 0\.0 .*\)\."),
        ([model("a", flat(CODING, 9, 6)), model("b", flat(CODING, 6, 8))],
         r"Use a for coding \(7\.5 .*\), which has the highest mean, but no significant "
         r"difference from b \(difference \+0\.5 \[−.* to \+.*\] on 6 tests\)\."),
        ([model("a", flat(CODING[:4], 9)), model("b", flat(CODING[:4], 3, 6))],
         r"Use a for coding .* no significant difference from b \(difference \+4\.5 "
         r"\[\+.* to \+.*\] on 4 tests, but p = 0\.125 by the paired test\)\."),
        ([model("a", flat(CODING, 4, 3))],
         r"Do not use a for coding without checking every answer: it has 3\.5 of 10 .*, POOR\."),
        ([model("a", flat(CODING, 4, 3)), model("b", flat(CODING, 1))],
         r"Use none of these models for coding without checking every answer: the best, a, has "
         r"3\.5 of 10 .*, POOR\."),
        ([model("a", flat(CODING, 0)), model("b", flat(CODING, 0))],
         r"Use none of these models for coding: the best, [ab], has 0\.0 of 10 .*, FAILED\."),
        ([model("a", flat(CODING, 0))],
         r"Do not use a for coding: it has 0\.0 of 10 .*, FAILED\."),
        ([model("a", [verdict(test, (3, 3, 3), shown=evidence(1, 8)) for test in CODING])],
         r"Do not use a for coding \(.*\): it passes less than half of its checks by weight .*"),
        ([model("a", [*flat(CODING[:2], 9), verdict("CT-03", unscored="refused")])],
         r"No model can be named for coding, because too many answers are unscored \(a: 9\.0 .*\)"),
        ([model("a", [verdict("CT-03", unscored="refused")])],
         r"No answer for coding was scored\."),
        ([model("a", [*flat(CODING[:2], 9), verdict("CT-03", unscored="refused")]),
          model("b", flat(CODING, 7))],
         r"Use b for coding .*, the only one with enough scored answers\."),
    ],
)  # fmt: skip
def test_a_choice_is_told_with_its_ground_and_its_figures(models, sentence):
    (choice,) = judged(models).choices
    assert re.match(sentence, choice_sentence(choice)), choice_sentence(choice)


def test_what_judge_and_evidence_both_say_is_one_fault():
    shown = evidence(0, 1)
    (said,) = [check.explanation for check in shown.checks]
    told = judgement("coding", (7, 7, 7), weaknesses=[said])
    one = replace(verdict("CT-01", judgements=[told]), evidence=shown, weaknesses=(said,))
    page = prose(PAGES["final summary"](judged([model("a", [one])])))
    assert page.count(f"CT-01: {said}") == 1


def test_a_domain_that_was_not_judged_is_told_in_the_closing_sentence():
    closing = closing_sentence(judged([model("a", flat(CODING, 8))]))
    assert closing.endswith("; data analysis was not judged.")
    closing = closing_sentence(judged([model("a", flat(DATA, 8))]))
    assert closing.startswith("Use a for data analysis")
    assert closing.endswith("; coding was not judged.")
    assert closing_sentence(NOTHING) == "Coding was not judged; data analysis was not judged."


# -------------------------------------------------------------------------------------------- pages


def test_the_comparative_analysis_has_all_its_parts(run):
    page = PAGES["comparative analysis"](run)
    heads = re.findall(r"^#+ .*", page, re.MULTILINE)
    for head in (
        "# Comparative analysis", "## llama3.2:3b", "## qwen2.5-coder:7b", "### coding",
        "### data analysis", "#### Strengths", "#### Weaknesses", "#### Across categories",
        "### Over runs", "## Differences between models",
        "## Recommendations for use",
    ):  # fmt: skip
        assert head in heads
    assert re.search(r"\| writing [A-Z]+ \| \d\.\d of 10 \|", page)
    assert "| overall by the judge alone | 9.0 of 10 |" in page
    assert "Since the run before: " in page
    assert "- CT-06: No reply of the judge could be read." in page


def test_the_final_summary_has_all_its_parts(run):
    page = PAGES["final summary"](run)
    assert re.findall(r"^## .*", page, re.MULTILINE) == [
        "## Overall performance",
        "## Best-fit scenarios",
        "## Areas for improvement",
        "## Confidence",
        "## How far the judge is from known scores",
        "## Which model to use",
    ]
    plain = prose(page)
    assert "61.5 tokens/s [58.4–64.6] n=12" in plain
    assert "Correctness is the weakest criterion (4.7 of 10 [2.6–7.3] n=6)" in plain
    assert "mean distance 0.84 [0.50 to 1.20], bias +0.31 [−0.10 to +0.70]" in plain
    assert "7 within a point, 8 in the same band, rank correlation 0.91" in plain
    assert "Checks, and any code of the answer that they tried out, ran inside bubblewrap" in plain
    assert "Not run for DT-06: the data was not at hand" in plain
    assert re.search(r"qwen2.5-coder:7b \| writing, coding \| .* \| not known: too many", plain)


@pytest.mark.parametrize("page", PAGES)
def test_every_mean_of_a_page_has_its_interval_and_n(page, run):
    """A figure “7.3 of 10” is followed by its interval and n, in a line or in a row."""
    for line in prose(PAGES[page](run)).splitlines():
        for found in re.finditer(r"\d of 10\b", line):
            rest = line[found.end() :]
            assert re.match(r" \[[^\]]+\] n=\d| \| \[[^\]]+\] \| \d+ \|", rest), line


@pytest.mark.parametrize("page", PAGES)
def test_tables_keep_their_columns_and_no_text_opens_markup(page, run, hostile):
    for document in (run, hostile):
        text = PAGES[page](document)
        for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
            cells = {len(re.split(r"(?<!\\)\|", row)) for row in block.splitlines()}
            assert len(cells) == 1, block
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    html = MarkdownIt("commonmark").enable("table").render(PAGES[page](hostile))
    assert "<script" not in html
    assert "<img" not in html
    assert "<pre" not in html
    assert "<h1>heading" not in html


@pytest.mark.parametrize("page", PAGES)
def test_nothing_judged_is_a_page_too(page):
    assert "7" not in PAGES[page](NOTHING)
    unscored = judged([model("a", [verdict("CT-01", unscored="refused", explanation="why")])])
    assert "why" in PAGES[page](unscored) or page == "final summary"


# ----------------------------------------------------------------------------------------- terminal


@pytest.mark.parametrize("width", [30, 60, 100, 200])
def test_the_terminal_shows_every_test_with_overall_band_and_evidence(width, run):
    shown = on_terminal(run, width)
    flat_text = re.sub(r"\s+", " ", shown)
    assert re.search(r"6\.8 ACCEPTABLE,( .{0,60})? 7/12", flat_text)
    assert "alone" in flat_text
    assert "unscored" in flat_text
    assert max(len(line) for line in shown.splitlines()) <= width
    assert "\x1b" not in shown


def test_every_page_says_what_the_bands_on_it_mean(run):
    for text in (on_terminal(run, 200), *(page(run) for page in PAGES.values())):
        assert "may be used as it is, in production too" in text or "EXCELLENT" not in text
        assert "good work, of which small things could be better" in text
        assert "does not do what was asked for" not in text  # no answer is in that band


def test_the_reference_says_of_every_band_what_the_reports_say():
    page = Path("docs/reference/judging.md").read_text("utf-8")
    for band, meaning in BAND_MEANINGS.items():
        assert f"| {band} | {meaning} |" in page


def test_a_terminal_that_takes_ascii_only_gets_the_same(run):
    assert "6.8 ACCEPTABLE, 7/12" in on_terminal(run, 100, encoding="ascii")


def test_hostile_texts_move_no_cursor(hostile):
    for width in (40, 160):
        shown = on_terminal(hostile, width)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert on_terminal(NOTHING, 80) == ""


# --------------------------------------------------------------------------------------------- JSON


def test_the_json_of_a_run_has_estimates_for_means_and_exact_scores(run, hostile):
    document = json.loads(render_json(judged_json(run)))
    first = document["models"][0]
    assert first["domains"]["coding"]["mean"].keys() == {
        "value", "low", "high", "n", "unscored", "unit", "method",
    }  # fmt: skip
    assert first["tests"][0]["overall"] == 6.8
    assert first["tests"][0]["judge_only"] == 9.0
    assert document["choices"][1]["chosen"] == "llama3.2:3b"
    assert document["choices"][1]["ground"] == "better"
    assert document["closing"] == closing_sentence(run)
    assert document["deviations"][0]["mean_absolute_interval"] == [0.5, 1.2]
    json.loads(render_json(judged_json(hostile)))


def test_the_json_of_a_verdict_has_the_judgements_and_the_evidence():
    document = judgement_json(verdict("CT-01", (9, 9, 9), shown=evidence(3, 4)))
    assert document["overall"] == 8.2
    assert document["band"] == "GOOD"
    assert document["judge_only"] == 9.0
    shown = document["evidence"]
    assert isinstance(shown, dict)
    assert (shown["passed"], shown["total"], shown["share"]) == (3, 4, 0.75)
    unscored = judgement_json(steady()[5])
    assert (unscored["overall"], unscored["band"]) == (None, None)
    assert unscored["unscored_reason"] == "unreadable"


def unread(test: str) -> FinalJudgement:
    fact = EvidenceCheck(name="total", passed=None, explanation="", fact="the total is 5")
    return replace(verdict(test, shown=Evidence(checks=(fact,))), no_answer="facts")


def test_answers_without_a_block_are_counted_apart_and_their_models_named():
    half = [verdict(test, shown=evidence(1, 4)) for test in DATA]
    few = [unread(DATA[0]), *(verdict(test, shown=evidence(3, 4)) for test in DATA[1:])]
    found = judged([model("a", half), model("b", few)])
    (of_b,) = found.models[1].domains
    assert bands(of_b) == "6 tests in the mean: 5 GOOD · 1 not checked (0)"
    assert "n=5, 1 not checked of the checks" in evidence_sentence(of_b)
    assert "unscored" not in evidence_sentence(of_b)
    assert "not checked" not in evidence_sentence(found.models[0].domains[0])
    (choice,) = found.choices
    assert left_out(found, choice) == (
        "Not recommended for data analysis, because the checks that passed are less than half by "
        "weight: a. Answers for data analysis that were not checked, 0 in the mean and not in the "
        "share of checks: b (1)."
    )
    checked = judged([model("a", half)])
    assert "not checked" not in left_out(checked, checked.choices[0])


def test_scores_that_unread_facts_bound_are_not_called_the_judges_alone():
    def capped(test: str) -> FinalJudgement:
        """As a judge's scores are where nobody read the facts."""
        scored = verdict(test, (9, 8, 7))
        return replace(
            scored, criteria=tuple(replace(each, score=MOST_UNREAD) for each in scored.criteria)
        )

    (of,) = judged([model("a", [capped(test) for test in DATA])]).models[0].domains
    told = evidence_sentence(of)
    assert told.startswith("Facts that could be checked were not read, so that no criterion is ")
    assert "the judge alone would give 8.1" in told
