"""Reports on terminals, wide and narrow, and with hostile text."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from assay.reports.comparison import comparison_document
from assay.reports.formats.terminal import console_for, draw
from assay.reports.leaderboard import leaderboard_document, leaderboard_headline
from assay.reports.run_report import run_document
from assay.types.documents import Document
from assay.types.results import Comparison, Leaderboard, Report


def document_of(of: Report | Comparison | Leaderboard, *, verbose: bool = False) -> Document:
    if isinstance(of, Report):
        return run_document(of)
    return comparison_document(of) if isinstance(of, Comparison) else leaderboard_document(of)


def shown(of: Report | Comparison | Leaderboard, *, width: int = 100, verbose: bool = False) -> str:
    stream = io.StringIO()
    draw(document_of(of, verbose=verbose), console_for(stream, width=width), verbose=verbose)
    return stream.getvalue()


def with_answer(document: Report, answer: str | None) -> Report:
    (model,) = document.models
    (suite,) = model.suites
    tests = tuple(replace(test, answer=answer) for test in suite.tests)
    return replace(document, models=(replace(model, suites=(replace(suite, tests=tests),)),))


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_a_report_says_every_figure_with_interval_n_and_unscored(report: Report) -> None:
    lines = lines_of(shown(report, verbose=True))
    for line in (
        "good scores 72.5 points [61.0–81.4] n=38, 2 unscored on demo.",
        "demo: guessing 25.0 [15.0–40.0] n=38",
        "Run 20260102T030405Z-abc123, 2026-01-02T03:04:05Z to 2026-01-02T03:05:00Z",
        "scripted:good.json",
        "demo – A small suite",
        "demo 72.5 points [61.0–81.4] 38 2",
        "facts 0.800 [0.490–0.943] 10 0",
        "letters 0.650 [0.500–0.780] 28 2 incomplete",
        "judged not measured – 0 5 incomplete",
        "baseline: an empty answer 0.0 points [0.0–8.8] 38 0",
        "baseline: the prompt echoed 12.5 points [6.0–22.0] 38 0",
        "baseline: always “B” 25.0 points [15.0–40.0] 38 0",
        "3 tests: 1 pass · 1 fail · 1 request failed",
        "A test passes with a score of 0.7 or more.",
        "seconds per answer 1.250 s [0.500–2.000] 9 0",
        "9 answers",
        "Note: 1 request failed.",
        "→ assay report latest -v",
    ):
        assert line in lines


def test_machine_model_memory_and_speed_are_a_line_each(served_report: Report) -> None:
    lines = lines_of(shown(served_report, width=140, verbose=True))
    for line in (
        "Machine: Linux 6.1 · Some CPU · 8 cores · 16.0 GiB · Some GPU, 24 GiB · python 3.11.9 · "
        "assay 0.2.0",
        "server: Ollama 0.17.4 · quantisation: Q4_K_M",
        "memory: 4.0 GiB · on the GPU: 75 %, the rest on the CPU · context length: 4,096 tokens",
        "9 answers",
        "decoding 41.5 tokens/s [37.4–45.7] n=8, by the server's figures; "
        "39.9 tokens/s [35.9–43.9] n=8, by the client's clock",
        "Note: The context was cut to 4,096 tokens.",
    ):
        assert line in lines


def test_a_terminal_shows_the_scores_and_ends_in_the_decision(report: Report) -> None:
    """The failures that matter, like everything else, come before it with -v."""
    lines = lines_of(shown(report))
    assert "Failures that matter most" not in lines
    decision = lines.index("good scores 72.5 points [61.0–81.4] n=38, 2 unscored on demo.")
    assert "good 72.5 [61.0–81.4] n=38, 2 unscored" in lines[:decision]
    assert lines[-2:] == ["Next", "assay report latest -v"]
    whole = lines_of(shown(report, verbose=True))
    assert whole[-len(lines) :] == lines
    failures, first, asked, answered, why = whole[:5]
    assert failures == "Failures that matter most"
    assert first == "1. facts_002 of demo, facts"
    assert (asked, answered, why) == ("asked: a question", "answered: an answer", "why: why")


def test_several_models_stand_side_by_side_above_the_baselines(
    report: Report,
) -> None:
    other = replace(report.models[0], spec="scripted:other.json", name="other")
    both = replace(report, models=(*report.models, other))
    lines = lines_of(shown(both))
    assert "good 72.5 [61.0–81.4] n=38, 2 unscored" in lines
    assert "other 72.5 [61.0–81.4] n=38, 2 unscored" in lines
    assert lines.count("baseline: always “B” 25.0 [15.0–40.0] n=38") == 1
    assert "demo 72.5 points [61.0–81.4] 38 2" not in lines  # folded away
    whole = lines_of(shown(both, verbose=True))
    assert any("2 of 2 models did not pass" in line for line in whole)


def test_of_selected_checkpoints_only_the_failures_of_the_one_to_ship_are_shown(
    report: Report,
) -> None:
    (model,) = report.models
    (suite,) = model.suites
    sound = replace(suite, tests=suite.tests[:1])
    other = replace(model, spec="scripted:other.json", name="other", suites=(sound,))
    both = replace(report, models=(model, other))
    assert "Failures that matter most" in shown(both, verbose=True)
    selected = replace(both, selected=other.spec)
    assert "Failures that matter most" not in shown(selected, verbose=True)


def test_a_choice_by_likelihood_is_shown_as_its_letter(report: Report) -> None:
    (model,) = report.models
    (suite,) = model.suites
    row = replace(suite.tests[1], answer=None, extracted="D")
    chosen = replace(model, suites=(replace(suite, tests=(row,)),))
    assert "answered: D" in lines_of(shown(replace(report, models=(chosen,)), verbose=True))


def test_every_failed_test_is_shown_where_that_is_asked_for(report: Report) -> None:
    (model,) = report.models
    (suite,) = model.suites
    row = suite.tests[1]
    many = tuple(replace(row, id=f"facts_{number:03d}") for number in range(2, 9))
    changed = replace(report, models=(replace(model, suites=(replace(suite, tests=many),)),))
    more = "2 more failed tests: assay report 20260102T030405Z-abc123 --failed"
    assert more in shown(changed, verbose=True)
    every = shown(replace(changed, every_failure=True))
    assert "7. facts_008 of demo, facts" in lines_of(every)
    assert "more failed" not in every
    passed = replace(suite, tests=suite.tests[:1])
    none = replace(report, models=(replace(model, suites=(passed,)),))
    assert "No scored answer failed." in shown(replace(none, every_failure=True))
    assert "No scored answer failed." not in shown(none)


def test_nothing_is_said_of_a_machine_or_a_server_that_is_not_known(report: Report) -> None:
    text = shown(report, verbose=True)
    assert "Machine:" not in text
    assert "decoding" not in text


def test_a_measurement_of_several_suites_keeps_the_suites_name(report: Report) -> None:
    model = report.models[0]
    named = {"demo/answer_s": model.measurements["answer_s"]}
    changed = replace(report, models=(replace(model, measurements=named),))
    assert "demo/seconds per answer 1.250 s [0.500–2.000] 9 0" in lines_of(
        shown(changed, verbose=True)
    )


def test_single_tests_are_shown_only_when_asked_for(report: Report) -> None:
    assert "the texts are equal" not in shown(report)
    assert "the texts are equal" in shown(report, verbose=True)


def test_every_reason_of_tests_without_a_score_is_named_with_its_count(report: Report) -> None:
    (model,) = report.models
    (suite,) = model.suites
    also = replace(suite.tests[2], id="facts_004", explanation="connection reset")
    tests = (*suite.tests, also, replace(also, id="facts_005"))
    both = replace(model, suites=(replace(suite, tests=tests),))
    text = " ".join(shown(replace(report, models=(both,)), verbose=True).split())
    why = "connection reset (2), timed out after 120 s (1)"
    assert f"demo: 2 of 40 tests have no score: {why}." in text


def test_every_test_is_below_the_scores_with_its_whole_answer(report: Report) -> None:
    text = shown(with_answer(report, "first\n\n[b]last\u2028"), verbose=True)
    assert "facts_001  facts  pass  1.00  the texts are equal\n" in text
    assert "  answer\n    | first\n    | \n    | [b]last\\u2028\n" in text
    assert text.rindex("facts_003") > text.index("3 tests: 1 pass")
    assert "    | (empty)\n" in shown(with_answer(report, ""), verbose=True)
    assert "  answer\n" not in shown(with_answer(report, None), verbose=True)


def test_every_try_of_a_repeated_test_is_shown_when_asked_for(repeated_report: Report) -> None:
    text = shown(repeated_report, verbose=True)
    assert re.search(r"^  try 1: pass 1\.00  try 0\n +\| .+$", text, re.MULTILINE)
    assert re.search(r"^  try 2: fail 0\.00  try 1\n +\| .+$", text, re.MULTILINE)


@pytest.mark.parametrize("width", [60, 70, 80, 120])
def test_tables_fit_the_terminal_and_lose_no_figure(
    report: Report,
    served_report: Report,
    comparison: Comparison,
    leaderboard: Leaderboard,
    width: int,
) -> None:
    for document in (report, served_report, comparison, leaderboard):
        text = shown(document, width=width)
        assert all(len(line) <= width for line in text.splitlines() if "/out/" not in line)
    assert "[61.0–81.4]" in shown(report, width=width)
    assert "[0.490–0.943]" in shown(report, width=width, verbose=True)
    assert "[−1.0 to +24.0]" in shown(comparison, width=width)
    assert "[−0.010 to +0.240]" in shown(comparison, width=width, verbose=True)
    assert "[81.0–99.0]" in shown(leaderboard, width=width)


def test_a_stream_that_is_no_terminal_gets_no_colour(report: Report) -> None:
    assert "\x1b" not in shown(report)


def test_an_old_windows_console_gets_question_marks_and_no_crash(report: Report) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    draw(run_document(report), console_for(stream, width=100))
    stream.flush()
    assert "baseline: an empty answer" in raw.getvalue().decode("cp1252")


def test_a_weak_fingerprint_and_an_incomplete_score_are_said(report: Report) -> None:
    model = report.models[0]
    incomplete = replace(model.suites[0].score, unscored=12)
    suite = replace(model.suites[0], score=incomplete)
    changed = replace(report, models=(replace(model, suites=(suite,)),))
    text = " ".join(shown(changed, verbose=True).split())
    assert "weights of scripted:good.json cannot be verified" in text
    assert "12 of 50 tests have no score: timed out after 120 s (1)." in text
    assert "So the score is incomplete, and no gate passes on it." in text
    assert "n=38, 12 unscored, incomplete" in text


def test_an_unfinished_run_is_called_so(report: Report) -> None:
    going_on = replace(report, finished=None)
    assert "The run is not finished: nothing is decided yet." in shown(going_on)
    assert "unfinished" in shown(going_on, verbose=True)
    assert "unfinished" not in shown(report, verbose=True)


def test_a_comparison_names_differences_significance_and_flips(comparison: Comparison) -> None:
    lines = lines_of(shown(comparison, verbose=True))
    for line in (
        "first: scripted:weak.json run-a",
        "scripted:good.json is better than scripted:weak.json (p = 0.039).",
        "facts 0.600 0.725 +0.125 [−0.010 to +0.240] 40 0.040",
        "points 60.0 72.5 +12.5 [−1.0 to +24.0] 40 < 0.001",
        "- Exact McNemar over 40 pairs: 10 higher, 2 lower; p < 0.001, 0.039 after Holm's "
        "correction.",
        "- A true difference of about 22 points is found four times in five (n = 40).",
        "- Left out: 1 test not scored on one side (facts_003).",
        "+ facts_002 facts fail 0.25 pass 1.00",
        "− facts_009 facts pass 1.00 no answer 0.00",
    ):
        assert line in lines


def test_many_flips_are_cut_and_counted(comparison: Comparison) -> None:
    pair = comparison.pairs[0]
    suite = replace(pair.suites[0], flips=pair.suites[0].flips[:1] * 25)
    changed = Comparison(pairs=(replace(pair, suites=(suite,)),))
    assert "see the 25 tests that flipped" in shown(changed)
    assert shown(changed, verbose=True).count("fail 0.25") == 25


def test_a_leaderboard_marks_ties_and_does_not_rank_the_incomplete(
    leaderboard: Leaderboard,
) -> None:
    lines = lines_of(shown(leaderboard))
    assert "1 good 72.5 [63.5–81.5] 40 0 2026-01-02" in lines
    assert "=2 fair 70.0 [61.0–79.0] 40 0 2026-01-02" in lines
    assert "– broken 90.0 [81.0–99.0] 40 10 2026-01-02" in lines
    assert any("no significant difference" in line for line in lines)
    assert any("not ranked" in line for line in lines)


def test_two_versions_of_one_suite_are_told_apart_in_the_headline(
    leaderboard: Leaderboard,
) -> None:
    (suite,) = leaderboard.suites
    assert "is first on demo with" in leaderboard_headline(leaderboard)
    both = tuple(replace(suite, content=digest) for digest in ("38b02e2f", "21378d57"))
    headline = leaderboard_headline(replace(leaderboard, suites=both))
    for digest in ("38b02e2f", "21378d57"):
        assert f"is first on demo (content {digest}) with" in headline


def test_an_empty_leaderboard_says_what_to_do(leaderboard: Leaderboard) -> None:
    assert "assay run" in shown(replace(leaderboard, suites=()))


@pytest.mark.parametrize("which", ["hostile_report", "hostile_comparison", "hostile_leaderboard"])
def test_hostile_text_sends_no_escape_sequence_and_opens_no_markup(
    which: str, request: pytest.FixtureRequest
) -> None:
    document = request.getfixturevalue(which)
    text = shown(document, width=400, verbose=True)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)
    assert "[red]markup[/red]" in text
    assert "\\x1b[2J" in text


def test_hostile_text_is_harmless_on_a_console_that_takes_markup(hostile_report: Report) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=400, force_terminal=True, markup=True)
    draw(run_document(hostile_report), console, verbose=True)
    assert "[red]markup[/red]" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()
