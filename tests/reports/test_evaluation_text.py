"""The standard evaluation format, written and read back."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.judge.evaluation_reading import Imported, read_evaluations
from assay.judge.final_judgement import make_final_judgement
from assay.reports.judged.evaluation_text import evaluation_text
from assay.text.safe_text import one_line
from assay.types.judging.judgements import (
    Evidence,
    EvidenceCheck,
    Judgement,
    Quote,
    overall_tenths,
)
from tests.judge.material import CASE, CODING
from tests.reports.conftest import HOSTILE
from tests.reports.judged_answers import CRITERIA, evidence, judgement, verdict

LABELS = (
    "TEST ID", "MODEL", "TASK", "EVALUATION", "OVERALL SCORE", "QUALITY RATING",
    "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES", "VERDICT",
)  # fmt: skip

WRITTEN_BY_HAND = """\
TEST ID: CT-03 (Bug fixing)
MODEL: qwen2.5-coder:7b
TASK: Find and mend every fault of a small module.

EVALUATION:
Correctness: 6/10 - two of the faults are left
Completeness: 8/10 - every fault named is explained
Code Quality: 8/10 - clear names

OVERALL SCORE: 7.2/10
QUALITY RATING: GOOD

DETAILED ASSESSMENT:
The off-by-one is gone.
Correctness: words about it here are words.

STRENGTHS:
- finds the shared default

WEAKNESSES:
- leaves the file open

VERDICT: Good work on half of the faults.
"""


def read(text: str) -> list[Imported]:
    return read_evaluations(text, file="report.txt")


def only(text: str) -> Imported:
    (found,) = read(text)
    return found


def points_of(found: Imported) -> list[int]:
    return [score.score for score in found.judgement.scores]


def messages(text: str) -> list[str]:
    return [str(finding) for one in read(text) for finding in one.findings]


def changed(old: str, new: str) -> str:
    assert WRITTEN_BY_HAND.count(old) == 1
    return WRITTEN_BY_HAND.replace(old, new)


# ------------------------------------------------------------------------------------------ written


def test_a_scored_verdict_has_the_lines_and_labels_of_the_format_to_the_letter():
    one = verdict(
        "CT-01", (8, 7, 9), shown=evidence(9, 12), reasons={"correctness": "right but for one case"}
    )
    assert evaluation_text(one, model="llama3.2:3b") == (
        "TEST ID: CT-01 (Binary search)\n"
        "MODEL: llama3.2:3b\n"
        "TASK: Write what was asked for.\n"
        "\n"
        "EVALUATION:\n"
        "Correctness: 7/10 - 9 of 12 checks passed; the judge, for 8/10: right but for one case\n"
        "Completeness: 7/10 - the reason for completeness\n"
        "Code Quality: 9/10 - the reason for code quality\n"
        "\n"
        "OVERALL SCORE: 7.6/10\n"
        "QUALITY RATING: GOOD\n"
        "\n"
        "DETAILED ASSESSMENT:\n"
        "- GOOD: good work, of which small things could be better.\n"
        "- Evidence: 9 of 12 checks passed, by itself 7.5/10.\n"
        "- Check failed: case 10: case 10 gives another result\n"
        "- Check failed: case 11: case 11 gives another result\n"
        "- Check failed: case 12: case 12 gives another result\n"
        "- Judge-only overall: 8.0/10 (GOOD).\n"
        "- Confidence: high: all judgements lie within a point\n"
        "- Judge: ollama:judge:7b, reasons, then scores\n"
        "\n"
        "STRENGTHS:\n"
        "- States the complexity.\n"
        "\n"
        "WEAKNESSES:\n"
        "- No example of use.\n"
        "\n"
        "VERDICT: GOOD with 7.6 of 10, because the checks changed the judge's scores. "
        "The judge gave 8.0, GOOD, and says: A sound answer with a gap.\n"
    )


def test_what_the_checks_found_wrong_is_a_weakness_whatever_the_judge_praises():
    one = replace(
        verdict("CT-01", (8, 7, 9), shown=evidence(9, 12)),
        weaknesses=tuple(f"case {number} gives another result" for number in range(10, 22)),
    )
    block = evaluation_text(one, model="m").partition("WEAKNESSES:\n")[2].partition("\n\n")[0]
    assert block.splitlines()[0] == "- case 10 gives another result"
    assert block.splitlines()[-1] == "- No example of use."
    assert len(block.splitlines()) == 7


def test_what_a_judge_could_not_see_or_measure_stands_beside_its_name():
    told = replace(judgement("coding", (6, 6, 6)), explanation="Not calibrated.")
    text = evaluation_text(verdict("CT-01", judgements=[told]), model="m")
    assert "- Judge: ollama:judge:7b, reasons, then scores. Not calibrated.\n" in text


def test_what_the_format_has_no_line_for_stands_in_the_assessment_in_a_fixed_order():
    panel = [
        replace(
            judgement("data", (9, 9, 9), judge="a", assessment="Reads well.\nOn two lines."),
            quotes=(
                Quote(text="total: 42", status="exact", start=0, end=9),
                Quote(text="total: 43", status="fabricated"),
            ),
            assumptions=("The currency is euro.",),
            unusual=("It answers in verse.",),
        ),
        judgement("data", (8, 9, 9), judge="b", repeat=1),
    ]
    one = verdict("DT-05", judgements=panel, borderline="0.1 below EXCELLENT")
    text = evaluation_text(replace(one, use_case="board papers", notes=("n.",)), model="m")
    block = text.partition("DETAILED ASSESSMENT:\n")[2].partition("\n\n")[0]
    assert [line.split(":")[0] for line in block.splitlines()] == [
        "- GOOD",
        "- Evidence",
        "- a writes",
        "- Quotes",
        "- Quoted",
        "- Not in the answer",
        "- Near a band's edge",
        "- Confidence",
        "- Assumed",
        "- Unusual",
        "- Note",
        "- Meant for",
        "- Judge",
        "- Judge",
    ]
    assert "Reads well. ⏎ On two lines." in block


def test_an_unscored_verdict_says_so_and_has_no_score():
    refused = Judgement(
        judge="j", fingerprint="f", form="reasoned", unscored_reason="refused",
        explanation="The judge would not.",
    )  # fmt: skip
    one = verdict("CT-02", unscored="refused", explanation="No judgement could be read.")
    text = evaluation_text(replace(one, judgements=(refused,)), model="m")
    assert "Unscored: refused\n" in text
    assert "Why there is no score: No judgement could be read." in text
    assert "unscored: The judge would not." in text
    assert not re.search(r"\d/10", text)
    assert "QUALITY RATING" not in text
    found = only(text)
    assert found.findings == ()
    said = found.judgement
    assert (said.unscored_reason, said.explanation, said.scores) == ("unreadable", "refused", ())


@pytest.mark.parametrize(("no_answer", "line"), [("", "Checks: 6 of 8"), ("empty", "No answer:"),
                                                 ("facts", "Not checked:")])  # fmt: skip
def test_what_the_evidence_alone_scores_has_no_criteria_and_reads_back_as_no_judgement(
    no_answer, line
):
    one = replace(verdict("CT-01", shown=evidence(6, 8)), no_answer=no_answer)
    text = evaluation_text(one, model="m")
    assert f"EVALUATION:\n{line}" in text
    overall = {"": "7.5/10", "empty": "0.0/10", "facts": "not checked"}[no_answer]
    assert f"OVERALL SCORE: {overall}\n" in text
    found = only(text)
    assert (found.findings, found.judgement.scores) == ((), ())


def test_without_a_judge_strengths_and_weaknesses_come_from_the_checks():
    checks = evidence(1, 2)
    final = make_final_judgement(CASE, CODING, checks, [])
    text = evaluation_text(final, model="m")
    assert "STRENGTHS:\n- passed: case 1\n" in text
    assert "WEAKNESSES:\n- failed: case 2 (case 2 gives another result)\n" in text


def test_an_answer_without_a_block_is_not_told_as_failed():
    fact = EvidenceCheck(name="total", passed=None, explanation="", fact="the total is 5")
    final = make_final_judgement(CASE, CODING, Evidence(checks=(fact,)), [])
    text = evaluation_text(final, model="m")
    assert "FAILED" not in text
    assert "VERDICT: no block: nothing could be checked" in text
    assert "No answer" not in text
    assert "- Facts that could not be read from a block, for a judge to read: 1.\n" in text
    assert "could not be made" not in text


@pytest.mark.parametrize(
    ("passed", "total", "verdict_line"),
    [
        (139, 200, "VERDICT: GOOD with 7.0 of 10, rounded from 6.95."),
        (14, 20, "VERDICT: GOOD with 7.0 of 10."),
        (143, 200, "VERDICT: GOOD with 7.2 of 10."),
    ],
)
def test_a_score_that_rounding_lifts_into_a_band_says_what_it_was(passed, total, verdict_line):
    text = evaluation_text(verdict("CT-01", shown=evidence(passed, total)), model="m")
    assert text.splitlines()[-1] == verdict_line


def test_a_share_by_weight_is_told_as_exactly_as_a_pass_mark_needs():
    heavy = EvidenceCheck(name="a", passed=True, explanation="", weight=6.96)
    light = EvidenceCheck(name="b", passed=False, explanation="", weight=3.04)
    told = Evidence(checks=(heavy, light)).told
    assert told == "1 of 2 checks passed, 69.6 % by weight"


def test_the_evidence_comes_first_where_the_judge_praises_what_fails():
    lying = judgement("coding", (10, 10, 10), verdict="Perfect in every way!")
    text = evaluation_text(verdict("CT-01", judgements=[lying], shown=evidence(0, 8)), model="m")
    assert "Correctness: 0/10" in text
    assert "OVERALL SCORE: 1.8/10\nQUALITY RATING: FAILED\n" in text
    assert text.splitlines()[-1] == (
        "VERDICT: FAILED with 1.8 of 10, because the checks changed the judge's scores. "
        "The judge gave 10.0, EXCELLENT, and says: Perfect in every way!"
    )


def test_a_judge_without_a_sentence_is_quoted_with_its_own_figure_and_band():
    kind = judgement("coding", (9, 8, 8), verdict="")
    text = evaluation_text(verdict("CT-01", judgements=[kind], shown=evidence(0, 8)), model="m")
    assert text.splitlines()[-1] == (
        "VERDICT: FAILED with 1.8 of 10, because the checks changed the judge's scores. "
        "The judge gave 8.4, GOOD."
    )
    alone = evaluation_text(verdict("CT-01", judgements=[kind]), model="m")
    assert alone.splitlines()[-1] == "VERDICT: GOOD with 8.4 of 10."


def test_of_several_judgements_the_figure_is_theirs_together_and_the_words_are_one_judges():
    harsh = judgement("coding", (2, 2, 2), verdict="It does not work.", judge="ollama:harsh")
    kind = judgement("coding", (9, 9, 9), verdict="Splendid.", judge="ollama:kind")
    given = [harsh, kind, replace(kind, fingerprint="j3", judge="ollama:third")]
    text = evaluation_text(verdict("CT-01", judgements=given, shown=evidence(0, 8)), model="m")
    assert text.splitlines()[-1] == (
        "VERDICT: FAILED with 1.8 of 10, because the checks changed the judge's scores. "
        "The judgements alone come to 9.0, EXCELLENT; ollama:harsh says: It does not work."
    )


def test_no_word_of_a_judge_a_model_or_a_file_can_pass_for_a_label():
    fake = "x\nOVERALL SCORE: 10/10\r\n**VERDICT:** perfect\n# STRENGTHS:\n" + HOSTILE
    hostile = replace(
        judgement("coding", (1, 1, 1), judge=fake, strengths=[fake], weaknesses=[fake]),
        verdict=fake, assessment=fake, assumptions=(fake,), unusual=(fake,),
        quotes=(Quote(text=fake, status="exact"), Quote(text=fake, status="fabricated")),
    )  # fmt: skip
    one = verdict(
        "CT-01", judgements=[hostile], name=fake, task=fake, borderline=fake,
        reasons={"correctness": fake, "completeness": fake, "code_quality": fake},
        confidence_reasons=[fake],
    )  # fmt: skip
    shown = replace(evidence(0, 1), notes=(fake,), isolation=fake, missing=fake)
    text = evaluation_text(replace(one, evidence=shown, notes=(fake,), use_case=fake), model=fake)
    begun = [line.partition(":")[0] for line in text.splitlines() if not line.startswith("- ")]
    assert [word for word in begun if word] == [
        *LABELS[:4], "Correctness", "Completeness", "Code Quality", *LABELS[4:],
    ]  # fmt: skip
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]| $", text, re.MULTILINE)
    found = only(text)
    assert found.findings == ()
    assert points_of(found) == [1, 1, 1]


# --------------------------------------------------------------------------------------- round trip


@pytest.mark.parametrize(("test", "every"), [("CT-04", 1), ("DT-04", 7)])
def test_every_triple_of_scores_comes_back_with_our_overall_and_band(test, every):
    """All 1,331 of them, in two files of several evaluations each."""
    triples = list(itertools.product(range(11), repeat=3))[::every]
    texts = [evaluation_text(verdict(test, triple), model=f"m{triple}") for triple in triples]
    half = len(texts) // 2
    found = [*read("\n".join(texts[:half])), *read("\n".join(texts[half:]))]
    for triple, one in zip(triples, found, strict=True):
        assert one.findings == ()
        assert points_of(one) == list(triple)


any_text = st.text(st.characters(exclude_categories=()), max_size=40)
points = st.tuples(*[st.integers(0, 10)] * 3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["CT-01", "DT-06"]), st.lists(points, min_size=1, max_size=3), any_text,
       any_text, st.lists(any_text, max_size=3), st.integers(0, 7))  # fmt: skip
def test_a_text_read_back_has_the_figures_it_was_written_from(
    test, triples, said, model, strengths, passed
):
    domain = "coding" if test.startswith("CT") else "data"
    told = [
        judgement(domain, triple, repeat=n, strengths=strengths, verdict=said, assessment=said)
        for n, triple in enumerate(triples)
    ]
    one = verdict(
        test, judgements=told, shown=evidence(passed, 7), name=said, task=said,
        reasons=dict.fromkeys((key for key, _, _ in CRITERIA[domain]), said),
    )  # fmt: skip
    found = only(evaluation_text(one, model=model))
    assert found.findings == ()
    assert found.test_id == test
    expected = [one_line(text) for text in strengths if one_line(text)]
    assert list(found.judgement.strengths) == [
        e for e in dict.fromkeys(expected) if e != "none named"
    ]
    counted = found.judgement
    assert counted.judge == "imported:report.txt"
    assert counted.score_of("correctness") == one.criteria[0].score
    assert overall_tenths(
        [(c.weight, counted.score_of(c.criterion) or 0) for c in one.criteria]
    ) == (one.tenths)


# ---------------------------------------------------------------------------------- written by hand


def test_a_right_evaluation_of_somebody_elses_has_no_finding():
    found = only(WRITTEN_BY_HAND)
    assert found.findings == ()
    assert (found.test_id, found.model) == ("CT-03", "qwen2.5-coder:7b")
    said = found.judgement
    assert said.assessment == (
        "The off-by-one is gone.\nCorrectness: words about it here are words."
    )
    assert said.strengths == ("finds the shared default",)
    assert said.weaknesses == ("leaves the file open",)
    assert said.verdict == "Good work on half of the faults."


@pytest.mark.parametrize(
    "marked",
    [
        WRITTEN_BY_HAND.replace("\n", "\r\n"),
        f"```text\n{WRITTEN_BY_HAND}```\n",
        f"\ufeff~~~~\n{WRITTEN_BY_HAND}~~~~\n",
        re.sub(r"^([A-Z][A-Za-z ]+):", r"**\1:**", WRITTEN_BY_HAND, flags=re.MULTILINE),
        re.sub(r"^([A-Z][A-Za-z ]+):", r"**\1**:", WRITTEN_BY_HAND, flags=re.MULTILINE),
        re.sub(r"^([A-Z][A-Z ]+):", r"### \1:", WRITTEN_BY_HAND, flags=re.MULTILINE),
        re.sub(
            r"^([A-Z][a-z]+(?: [A-Z][a-z]+)?): (?=\d)",
            r"- **\1:** ",
            WRITTEN_BY_HAND,
            flags=re.MULTILINE,
        ),
        re.sub(
            r"^([A-Z][a-z]+(?: [A-Z][a-z]+)?): (?=\d)",
            r"* \1: ",
            WRITTEN_BY_HAND,
            flags=re.MULTILINE,
        ),
        re.sub(r"^([A-Z][A-Z ]+: .*)$", r"## __\1__", WRITTEN_BY_HAND, flags=re.MULTILINE),
    ],
)
def test_the_marks_that_language_models_put_around_labels_are_forgiven(marked):
    found = only(marked)
    assert found.findings == ()
    assert (points_of(found), found.test_id) == ([6, 8, 8], "CT-03")
    assert len(found.judgement.strengths) == len(found.judgement.weaknesses) == 1


@pytest.mark.parametrize(
    ("triple", "test", "printed", "rating", "said"),
    [
        ((6, 8, 8), "CT-03", "6.9", "ACCEPTABLE", ["come to 7.2", "7.2 is GOOD"]),
        ((9, 9, 9), "CT-04", "8.7", "GOOD", ["come to 9.0", "9.0 is EXCELLENT"]),
        ((9, 9, 9), "DT-01", "9.0", "GOOD", ["9.0 is EXCELLENT"]),
        ((8, 8, 8), "DT-02", "8.1", "GOOD", ["8, 8, 8 come to 8.0"]),
        ((5, 5, 4), "DT-03", "5.0", "ACCEPTABLE", ["come to 4.7", "4.7 is POOR"]),
        ((0, 0, 10), "CT-01", "3.3", "POOR", ["come to 3.0"]),
        ((3, 3, 2), "CT-02", "2.7", "POOR", ["2.7 is FAILED"]),
        ((10, 10, 7), "CT-05", "8.95", "GOOD",
         ["come to 9.1", "is EXCELL"]),
        ((7, 7, 6), "DT-04", "6.67", "ACCEPTABLE", ["come to 6.7"]),
        ((7, 7, 7), "DT-05", "11", "GOOD", ["come to 7.0"]),
        ((7, 7, 7), "DT-06", "7.0", "VERY GOOD", ["printed as VERY GOOD, but 7.0 is GOOD"]),
        ((0, 9, 1), "CT-06", "2.9", "FAILED", ["come to 3.0", "3.0 is POOR"]),
    ],
)  # fmt: skip
def test_planted_errors_of_arithmetic_are_all_caught_and_never_count(
    triple, test, printed, rating, said
):
    right = evaluation_text(verdict(test, triple), model="m")
    wrong = re.sub(r"OVERALL SCORE: .*", f"OVERALL SCORE: {printed}/10", right)
    wrong = re.sub(r"QUALITY RATING: .*", f"QUALITY RATING: {rating}", wrong)
    found = only(wrong)
    for finding, words in zip(found.findings, said, strict=True):
        assert words in finding.message
        assert finding.test_id == test
        line = wrong.splitlines()[finding.line - 1]
        assert line in (f"OVERALL SCORE: {printed}/10", f"QUALITY RATING: {rating}")
    assert points_of(found) == list(triple)


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("Correctness: 6/10 ", "Correctness: 11/10 ", "6:1: CT-03: error: Correctness is between"),
        ("Correctness: 6/10 ", "Correctness: -1/10 ", "6:1: CT-03: error: Correctness is between"),
        ("Correctness: 6/10 ", "**Correctness:** 6,5/10 ", "6:1: CT-03: error: Correctness is b"),
        ("Correctness: 6/10 ", "Correctness: 60/100 ", "6:1: CT-03: error: Correctness is betwee"),
        ("Correctness: 6/10 ", "Correctness: six ", "6:1: CT-03: error: Correctness is between"),
        ("Correctness: 6/10 - two of the faults are left\n", "",
         "1:1: CT-03: error: Correctness is missing"),
        ("Code Quality: 8/10 ", "Style: 8/10 ",
         "1:1: CT-03: error: Code Quality or Insight Quality is missing"),
        ("OVERALL SCORE: 7.2/10\n", "", "1:1: CT-03: error: OVERALL SCORE is missing"),
        ("OVERALL SCORE: 7.2/10", "OVERALL SCORE: 7,2/10",
         "10:1: CT-03: error: the overall score is printed as 7,2, but 6, 8, 8 come to 7.2"),
        ("VERDICT: Good", "VERDICT: Fair.\nVERDICT: Good",
         "24:1: CT-03: error: VERDICT is here twice; the first counts"),
    ],
)  # fmt: skip
def test_every_deviation_is_a_finding_at_its_place(old, new, finding):
    found = messages(changed(old, new))
    assert [one for one in found if one.startswith(f"report.txt:{finding}")], found


def test_a_criterion_that_cannot_be_read_leaves_the_evaluation_unscored():
    found = only(changed("Correctness: 6/10", "Correctness: 6.5/10"))
    counted = found.judgement
    assert counted.scores == ()
    assert counted.unscored_reason == "unreadable"
    assert "whole points" in counted.explanation


def test_several_evaluations_in_one_file_are_read_and_repeated_ones_found():
    first, second = read("Here you are:\n\n" + WRITTEN_BY_HAND + "\n" + WRITTEN_BY_HAND)
    assert [first.duplicate, second.duplicate] == [False, True]
    assert [str(one) for one in second.findings] == [
        "report.txt:27:1: CT-03: error: this test and model were evaluated above already",
    ]
    assert first.judgement.fingerprint == second.judgement.fingerprint


# ------------------------------------------------------------------------------------ hostile input


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00" * 1000,
        HOSTILE * 100,
        "TEST ID:" * 50_000,
        "TEST ID:\n" * 1_500,
        "TEST ID: a (" + "(" * 200_000,
        "TEST ID: CT-01 (x)\n" + "**" * 400_000,
        "TEST ID: CT-01 (x)\n" + "Correctnes: 1/10\n" * 3_000,
        "TEST ID: CT-01 (x)\nEVALUATION:\n" + "Correctness: 1/10 - x\n" * 3_000,
        "TEST ID: CT-01 (x)\nEVALUATION:\nCorrectness: " + "9" * 300_000 + "/10",
        "TEST ID: CT-01 (x)\nOVERALL SCORE: " + "9" * 300_000 + "." + "9" * 9 + "/10",
        "TEST ID: CT-01 (x)\nSTRENGTHS:\n" + "- \ud800\n" * 9_000,
        "#" * 500_000 + " TEST ID: CT-01 (x)",
        "x" * 1_000_005,
    ],
)
def test_huge_and_hostile_texts_are_read_within_bounds(text):
    for one in read(text):
        assert one.judgement.scores == ()
        assert one.findings
        stays_within_bounds(one)


def stays_within_bounds(one):
    assert len(one.findings) <= 30
    assert len(str(one)) < 1_000_000
    for finding in one.findings:
        assert len(str(finding)) < 1000
        assert str(finding).isprintable()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([
    *(f"{label}:" for label in LABELS), "TEST ID: CT-01 (x)", "**", "```", "# ", "\n", "\r\n", "\n",
    " 7/10", " - ", "Correctness:", "Completeness: 3/10 - x", "Code Quality: 2/10 - y", "- a",
    "7.2/10", "GOOD", "\ud800", "\x00", ":", "Unscored: x",
]), max_size=60).map("".join))  # fmt: skip
def test_no_mixture_of_its_own_words_breaks_the_reader(text):
    for one in read(text):
        stays_within_bounds(one)
        assert one.judgement.scores or one.findings, "what is not read is said"
