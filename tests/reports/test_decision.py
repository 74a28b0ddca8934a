"""What a run decided, as people read it: terminal, Markdown, page."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from assay.reports.cards.run import run_card
from assay.reports.checkpoints.decision import decision_blocks
from assay.reports.formats.html import render_html
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import console_for, draw
from assay.reports.run_report import run_document
from assay.types import Health, HealthCheck
from assay.types.decisions import (
    DecisionFact,
    DecisionPlan,
    Gate,
    Measurements,
    PlannedCheckpoint,
    Recommendation,
    Sample,
    fact,
)
from assay.types.documents import Heading, Paragraph, Span, Table, plain_text
from assay.types.measures import kinds_by_default
from assay.types.results import ModelReport, Report
from assay.workflow.reporting.checkpoint_files import write_decisions
from assay.workflow.reporting.decision import decide
from tests.decide.candidates import GATE, WHEN, candidate, os_suite, sample, text
from tests.reports.conftest import HOSTILE, model_report, report_document

SCORES = "Weighted score: what each part adds"
SPECIFIED = "the specification's gate (operating systems; your own domain: --gate)"
HOSTILE_NAME = HOSTILE.replace("/", "∕")  # a folder's name has no slash


def deciding(
    measured: Sequence[Measurements],
    *,
    folders: bool = True,
    gate: Gate = GATE,
    selects: bool = True,
    top: str = "",
) -> DecisionPlan:
    return DecisionPlan(
        subjects=tuple(
            PlannedCheckpoint(
                spec=each.path,
                name=each.name,
                path=each.path,
                step=each.step,
                folder=each.name.rpartition("/")[0] if folders else "",
                failed=each.failed,
            )
            for each in measured
        ),
        measures=kinds_by_default(),
        gate=gate,
        selects=selects,
        top=top,
        write_back=False,
    )


def said(text: str) -> DecisionFact:
    return fact("text", text=text)


def decided(measured: Sequence[Measurements], asked: DecisionPlan | None = None) -> Report:
    """A report of these checkpoints, with what is really decided of them."""
    marked = [replace(each, fingerprint=f"f{n}") for n, each in enumerate(measured)]
    decision = decide(asked or deciding(marked), marked, timestamp=WHEN)
    models = tuple(_model(each) for each in marked if not each.failed)
    return replace(report_document(), models=models, decision=decision, notes=(), hints=())


def _model(measured: Measurements) -> ModelReport:
    return replace(
        model_report(),
        spec=measured.path,
        fingerprint=measured.fingerprint,
        fingerprint_is_weak=False,
    )


def weak(name: str) -> Measurements:
    return candidate(name, text=text(60.0, 58.0, 62.0), suites={"os": os_suite(20, 30, 10)})


def marginal(name: str) -> Measurements:
    return candidate(name, text=text(46.0, 42.0, 51.0))


def broken(name: str) -> Measurements:
    return Measurements(name=name, path=name, step=7, failed="the weights are not finite")


def three() -> list[Measurements]:
    return [weak("tiny/step_100"), broken("tiny/step_200"), marginal("tiny/step_300")]


def hostile() -> list[Measurements]:
    check = HealthCheck(
        name=HOSTILE, passed=False, passage=HOSTILE, explanation=HOSTILE, failure=True
    )
    written = Sample(id=HOSTILE, prompt=HOSTILE, text=HOSTILE, health=Health(checks=(check,)))
    return [
        candidate(f"{HOSTILE_NAME}/step_1", samples=(written,)),
        weak(f"{HOSTILE_NAME}/{HOSTILE_NAME}"),
        replace(broken(f"{HOSTILE_NAME}/step_2"), failed=HOSTILE),
    ]


def on_terminal(report: Report, *, width: int = 80, verbose: bool = False) -> str:
    stream = io.StringIO()
    draw(run_document(report), console_for(stream, width=width), verbose=verbose)
    return stream.getvalue()


def markdown_of(report: Report) -> str:
    return render_markdown(run_document(report))


def page_of(report: Report) -> str:
    return render_html(run_document(report))


def flat(shown: str) -> str:
    return " ".join(shown.split())


def headlines(report: Report) -> list[str]:
    return [plain_text(block.line) for block in headline_blocks(report)]


def headline_blocks(report: Report) -> list[Paragraph]:
    sentences = (block for block in decision_blocks(report) if isinstance(block, Paragraph))
    return [each for each in sentences if isinstance(each.line, Span)]


def told(report: Report) -> list[str]:
    """What is said of the selection, before the first table."""
    before = takewhile(lambda block: not isinstance(block, Table), decision_blocks(report))
    said = [str(block.line) for block in before if isinstance(block, Paragraph)]
    return [each for each in said if not each.startswith("Caveats for ")]


def headings(report: Report) -> list[str]:
    return [str(block.line) for block in decision_blocks(report) if isinstance(block, Heading)]


# --------------------------------------------------------------------------------- what is decided


def test_the_card_names_the_checkpoint_to_ship_with_its_criteria_and_what_is_unsure() -> None:
    report = decided(three())
    card = run_card(report)
    assert (card.decision, card.tone) == ("Ship tiny/step_300.", "good")
    assert card.reasons[0].startswith("Perplexity 46 is below 50. This is marginal")
    assert len(card.reasons) == 3
    assert card.caveats[0] == (
        "The pass is marginal, not clear: the interval of perplexity crosses the limit."
    )
    assert (len(card.caveats), card.more) == (3, 1)
    assert told(report)[0] == (
        "tiny/step_300 passes the gate. It is the only one of 3 that passes. Marginal: perplexity. "
        "Best of 2, not confirmed."
    )


def test_where_none_passes_the_card_ships_none_and_says_what_the_best_lacks() -> None:
    near = candidate("tiny/step_200", text=text(52.0, 48.0, 56.0))
    report = decided([weak("tiny/step_100"), near])
    card = run_card(report)
    assert card.decision == (
        "Ship none: tiny/step_200 comes closest and misses perplexity (marginal)."
    )
    assert card.tone == "bad"
    assert card.reasons[0].startswith("Perplexity 52 is not below 50.")
    assert card.gate == SPECIFIED
    assert headings(report) == [
        "tiny",
        SCORES,
        f"tiny/step_200 at {SPECIFIED}",
        "Advice",
        "Files",
    ]


def test_what_is_not_known_is_not_called_a_failure() -> None:
    unsure = candidate("tiny/step_1", text=text(60.0, 58.0, 62.0), speed=None)
    report = decided([unsure], deciding([unsure], folders=False))
    assert headlines(report) == ["tiny/step_1: not accepted (perplexity, speed (not known))."]
    said = "Ship none: tiny/step_1 misses perplexity, speed (not known)."
    assert run_card(report).decision == said


def test_where_nothing_could_be_evaluated_nothing_can_be_shipped() -> None:
    report = decided([broken("tiny/step_1"), broken("tiny/step_2")])
    assert run_card(report).decision == "Ship none: no checkpoint could be evaluated."
    assert headings(report) == ["tiny", "Files"]
    failed = Paragraph("tiny/step_1 could not be evaluated: the weights are not finite", "warning")
    assert failed in [*decision_blocks(report)]


def test_all_that_tie_are_named() -> None:
    alike = [candidate(f"tiny/step_{step}") for step in (100, 200, 300)]
    report = decided(alike)
    assert run_card(report).decision == (
        "Ship tiny/step_300; no significant difference from tiny/step_200, tiny/step_100."
    )
    assert told(report)[-1] == "No significant difference from tiny/step_200, tiny/step_100."


def test_a_tie_that_the_reason_names_is_not_named_twice() -> None:
    (reason,) = told(decided([candidate("tiny/step_100"), candidate("tiny/step_200")]))
    assert "This is a tie with tiny/step_100" in reason


def test_a_selection_over_all_folders_comes_before_those_of_each() -> None:
    checkpoints = [candidate("a/step_1"), candidate("b/step_1", text=text(30.0)), weak("c/step_1")]
    report = decided(checkpoints, deciding(checkpoints, top="models"))
    assert run_card(report).decision == "Ship b/step_1."
    assert headings(report)[:2] == ["All model folders", "Files"]
    assert [told.split(".")[0] for told in _reasons_of_folders(report)] == [
        "b/step_1 passes the gate",
        "a/step_1 passes the gate",
        "b/step_1 passes the gate",
        "The checkpoint does not pass the gate",
    ]


def _reasons_of_folders(report: Report) -> list[str]:
    said = [str(block.line) for block in decision_blocks(report) if isinstance(block, Paragraph)]
    return [each for each in said if "the gate." in each]


def test_each_that_was_named_singly_is_judged_by_itself() -> None:
    checkpoints = [
        weak("tiny/step_1"),
        marginal("tiny/step_2"),
        candidate("tiny/step_3"),
        candidate("tiny/step_4", samples=None),
    ]
    report = decided(checkpoints, deciding(checkpoints, folders=False))
    assert headlines(report) == [
        "tiny/step_1: not accepted (perplexity, os_benchmark).",
        "tiny/step_2: accepted (marginal: perplexity).",
        "tiny/step_3: accepted.",
        "tiny/step_4: undecided (not measured: generation).",
    ]
    at_gate = [each for each in headings(report) if f" at {SPECIFIED}" in each]
    assert at_gate == [f"{each.name} at {SPECIFIED}" for each in checkpoints]


def test_criteria_have_their_signs_their_reasons_and_whether_they_are_marginal() -> None:
    checkpoints = [candidate("tiny/step_1", text=text(52.0, 48.0, 56.0), samples=None, speed=None)]
    report = decided(checkpoints, deciding(checkpoints, folders=False))
    *_, criteria = (block for block in decision_blocks(report) if isinstance(block, Table))
    rows = [[plain_text(cell) for cell in row.cells] for row in criteria.rows]
    assert [row[:2] for row in rows] == [
        ["✗", "perplexity, marginal"],
        ["✓", "os_benchmark"],
        ["?", "speed"],
        ["?", "generation"],
        ["✓", "memory"],
    ]
    assert rows[0][2].startswith("Perplexity 52 is not below 50.")


def test_without_a_gate_there_are_figures_and_no_decision() -> None:
    checkpoints = [weak("tiny/step_1"), candidate("tiny/step_2")]
    report = decided(checkpoints, deciding(checkpoints, selects=False))
    assert headlines(report) == [
        "No gate decided: name one with --gate, or leave out -s and --no-gate."
    ]
    assert headings(report) == ["tiny", "Files"]
    shown = on_terminal(report)
    assert "60.0" in shown  # the perplexity of the first
    assert not re.search(
        r"\b(yes|no|Ship|Advice)\b",
        re.sub("no answer|--no-gate|no score|no gate passes", "", shown),
    )


def test_a_checkpoint_named_without_a_gate_has_no_verdict_either() -> None:
    checkpoints = [weak("tiny/step_1")]
    report = decided(checkpoints, deciding(checkpoints, folders=False))
    assert report.decision is not None
    undecided = replace(report, decision=replace(report.decision, gate_decides=False))
    assert headlines(undecided) == [
        "No gate decided: name one with --gate, or leave out -s and --no-gate."
    ]


def test_a_run_of_suites_alone_says_nothing_of_gates_but_names_what_failed() -> None:
    bare = {"text": None, "speed": None, "memory_mb": None, "samples": None}
    checkpoints = [candidate("tiny/step_1", **bare), candidate("tiny/step_2", **bare)]
    assert not [*decision_blocks(decided(checkpoints, deciding(checkpoints, selects=False)))]
    checkpoints.append(broken("tiny/step_3"))
    report = decided(checkpoints, deciding(checkpoints, selects=False))
    assert [*decision_blocks(report)][:2] == [
        Heading("tiny"),
        Paragraph("tiny/step_3 could not be evaluated: the weights are not finite", "warning"),
    ]


def test_a_run_that_is_not_finished_decides_nothing() -> None:
    report = replace(decided(three()), finished=None)
    assert headlines(report) == ["The run is not finished: nothing is decided yet."]
    assert headings(report) == ["tiny"]


def test_a_page_of_one_model_has_its_own_verdict_and_no_selection() -> None:
    report = decided(three())
    alone = replace(report, models=report.models[:1])
    assert headlines(alone) == ["tiny/step_100: not accepted (perplexity, os_benchmark)."]
    decision = "Ship none: tiny/step_100 misses perplexity, os_benchmark."
    assert run_card(alone).decision == decision
    assert "step_300" not in markdown_of(alone)


def test_a_folder_of_three_steps_shows_which_suites_carry_signal() -> None:
    learning = [
        candidate(f"tiny/step_{step}", suites={"os": os_suite(*counts)})
        for step, counts in ((1, (5, 5, 5)), (2, (80, 75, 82)), (3, (90, 85, 88)))
    ]
    shown = flat(markdown_of(decided(learning)))
    assert "Which suites are informative" in shown
    row = next(line for line in markdown_of(decided(learning)).splitlines() if line[:5] == "| os ")
    assert "82.7" in row
    assert row.endswith("| yes |")
    too_few = markdown_of(decided(learning[:2]))
    assert "cannot be said of fewer than three steps" in too_few


def test_what_is_left_open_is_said_and_the_score_has_its_parts() -> None:
    report = decided(three())
    shown = flat(markdown_of(report))
    open_point = (
        "mmlu_cs was not measured: missing part (weight 0.2) of the weighted score counts as 0."
    )
    assert "Caveats for tiny/step_300:" in shown
    assert open_point in flat(on_terminal(report, verbose=True))
    assert open_point in flat(page_of(report))
    scores = next(block for block in decision_blocks(report) if isinstance(block, Table))
    cells = [plain_text(cell).split()[0] for cell in scores.rows[-1].cells]
    # 0.4·10/46 + 0.3·0.85 + 0.1·31/50
    assert cells == ["step_300", "0.087", "0.255", "–", "0.062", "0.404"]


# ------------------------------------------------------------------------------------ on a terminal


def test_a_terminal_shows_gate_advice_files_suites_table_and_card_in_that_order() -> None:
    report = decided(three())
    shown = on_terminal(report, verbose=True)
    order = (
        "tiny/step_200 could not be evaluated: the weights are not finite",
        "tiny/step_300 at the specification's gate",
        "perplexity, ",
        "\nAdvice\n",
        "\nFiles\n",
        "best_checkpoint_selection.json",
        "\nSuites\n",
        "step_300 (selected)  yes, marginal  46.0 [42.0–51.0]",
        "Ship tiny/step_300.\n",
    )
    places = [shown.rindex(each) for each in order]
    assert places == sorted(places)
    card = shown[shown.index("Ship tiny/step_300.") :]
    brief = on_terminal(report)
    assert brief.endswith(card), "the card is the last thing, and -v changes nothing of it"
    assert "Advice" not in brief


def test_every_criterion_has_a_sign_that_needs_no_colour() -> None:
    near = candidate("tiny/step_1", text=text(52.0, 48.0, 56.0), samples=None)
    shown = on_terminal(decided([near], deciding([near], folders=False)), verbose=True)
    assert re.search(
        r"^✗ +perplexity, marginal +Perplexity 52 is not below 50\.", shown, re.MULTILINE
    )
    assert re.search(r"^✓ +memory ", shown, re.MULTILINE)
    assert re.search(r"^\? +generation +No sample was written\.", shown, re.MULTILINE)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_where_ticks_cannot_be_written_there_are_words(encoding: str) -> None:
    """A ✓ that becomes ? would say that nothing is known."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    near = candidate("tiny/step_1", text=text(52.0, 48.0, 56.0), samples=None)
    report = decided([near], deciding([near], folders=False))
    draw(run_document(report), console_for(stream, width=80), verbose=True)
    stream.flush()
    lines = raw.getvalue().decode(encoding).splitlines()
    signs = {
        line.split()[1].strip(","): line.split()[0]
        for line in lines
        if re.match(r"(yes|no|\?) ", line)
    }
    assert signs == {
        "perplexity": "no",
        "os_benchmark": "yes",
        "speed": "yes",
        "generation": "?",
        "memory": "yes",
    }


def test_advice_is_numbered_at_most_six_with_its_figures_indented() -> None:
    report = decided([weak("tiny/step_100")])
    assert report.decision is not None
    many = tuple(
        Recommendation("trend", said(f"Do this {n}."), (said(f"figure {n}"), said("n = 5")))
        for n in range(1, 9)
    )
    changed = replace(report.decision, advice=dict.fromkeys(report.decision.advice, many))
    shown = on_terminal(replace(report, decision=changed), verbose=True)
    lines = [line.rstrip() for line in shown.splitlines()]
    at = lines.index("1. Do this 1.")
    assert lines[at + 1 : at + 4] == ["     figure 1", "     n = 5", "2. Do this 2."]
    assert "6. Do this 6." in lines
    assert "Do this 7." not in shown


@pytest.mark.parametrize("width", [40, 60, 70, 80, 120])
def test_nothing_but_a_path_is_wider_than_the_terminal(width: int) -> None:
    shown = on_terminal(decided(three()), width=width)
    wide = [line for line in shown.splitlines() if len(line) > width and "/out/" not in line]
    wide = [line for line in wide if "assay run" not in line]
    assert wide == []
    assert "46.0" in shown
    assert flat("Perplexity 46 is below 50. This is marginal") in flat(
        re.sub(r"\n {3}marginal\b", "\n", shown)
    )


def test_files_are_named_as_seen_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = replace(decided(three()), out=str(tmp_path / "out"))
    away = f"  {tmp_path}/out/checkpoints/tiny/best_checkpoint_selection.json"
    assert away in on_terminal(report, verbose=True).splitlines()
    monkeypatch.chdir(tmp_path)
    lines = on_terminal(report, verbose=True).splitlines()
    assert "  out/checkpoints/tiny/best_checkpoint_selection.json" in lines
    assert "  out/checkpoints/tiny/step_300/evaluation_report.json" in lines


def test_suites_of_several_checkpoints_are_one_row_each_and_each_in_full() -> None:
    report = decided(three())
    whole = flat(on_terminal(report, verbose=True))
    assert "tiny/step_100 72.5 [61.0–81.4] n=38, 2 unscored" in whole
    assert "tiny/step_300 72.5 [61.0–81.4] n=38, 2 unscored" in whole
    assert "baseline: always “B” 25.0 [15.0–40.0] n=38" in whole
    assert whole.count("letters 0.650") == 2
    assert "letters" not in flat(on_terminal(report))


def test_what_is_to_be_known_of_a_model_is_said_where_suites_are_brief() -> None:
    report = decided(three())
    noted = replace(report.models[0], notes=("The context was cut.",))
    both = replace(report, models=(noted, *report.models[1:]))
    shown = flat(on_terminal(both, verbose=True))
    assert "Note: tiny/step_100: The context was cut." in shown


# ------------------------------------------------------------------------------- Markdown and page


def kinds(text: str) -> list[tuple[str, dict[str, str | int | float]]]:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    whole = [*tokens, *(child for token in tokens for child in token.children or [])]
    return [(token.type, token.attrs) for token in whole]


def test_every_file_that_a_report_names_is_where_a_run_leaves_it(tmp_path: Path) -> None:
    """From the page's own folder, as an editor and a web server of a repository follow links."""
    parent = "my (run) #1 100%"
    checkpoints = [
        weak(f"{parent}/step_100"),
        candidate(f"{parent}/step_200"),
        candidate("other/step_1"),
    ]
    asked = deciding(checkpoints, top="models")
    report = replace(decided(checkpoints, asked), out=str(tmp_path))
    list(write_decisions(report, tmp_path, asked))
    page = tmp_path / "runs" / report.run / "reports"
    page.mkdir(parents=True)
    named = [attrs for kind, attrs in kinds(markdown_of(report)) if kind in ("image", "link_open")]
    links = [unquote(str(attrs.get("src") or attrs.get("href"))) for attrs in named]
    assert len(links) == 1 + 4 + 4 + 1  # the picture of the first folder, files of both, the whole
    assert [link for link in links if not os.path.isfile(page / link)] == []


def test_markdown_holds_verdict_figures_pictures_criteria_advice_and_samples() -> None:
    shown = markdown_of(decided([weak("tiny/step_100"), *three()[1:]]))
    lines = shown.splitlines()
    assert "# Ship tiny/step_300." in lines
    row = "| **step_300 (selected)** | yes, marginal | 46.0 "
    assert any(line.startswith(row) for line in lines)
    assert "tiny/step_200 could not be evaluated: the weights are not finite" in lines
    assert any(line.startswith("| ✓ | perplexity, marginal | Perplexity 46 is") for line in lines)
    assert "### Advice" in lines
    assert "**Samples of tiny/step_300 after 12 prompts**" in lines
    assert "**sample_001**: PCI device 8086:10d3 is" in lines
    assert "- ✓ loop, repetition, nonsense" in lines


def test_samples_that_fail_are_counted_and_their_checks_say_why() -> None:
    one = candidate("tiny/step_1", samples=(sample(1, "loop"), sample(2, failed="timed out")))
    shown = markdown_of(decided([one]))
    assert "**Samples of tiny/step_1 after 2 prompts: 1 fail**" in shown
    assert "How sure the model was is not known of 1 of the samples" in shown
    assert "- ✗ loop: said so" in shown
    assert "- ? The request failed: timed out" in shown


def test_the_page_draws_the_steps_and_loads_nothing() -> None:
    checkpoints = [weak("tiny/step_100"), candidate("tiny/step_300")]
    source = page_of(decided(checkpoints))
    assert source.count('class="assay-picture"') == 1
    assert "Quality against speed" not in source  # of answers, which is another speed
    assert not re.search(r"https?:|@import|url\(|<link|<img| src=", source)
    assert re.search(r"<h1>\s*Ship tiny/step_300\.\s*</h1>", source)


def test_the_page_folds_the_samples_of_every_checkpoint() -> None:
    source = page_of(decided(three()))
    assert "<details><summary>Samples of tiny/step_100 after 12 prompts</summary>" in source
    assert "<details><summary>Samples of tiny/step_300 after 12 prompts</summary>" in source
    assert "<details open" not in source


def test_one_checkpoint_is_no_curve() -> None:
    report = decided([candidate("tiny/step_300"), broken("tiny/step_400")])
    assert "assay-picture" not in page_of(report)
    assert "image" not in [kind for kind, _ in kinds(markdown_of(report))]


def test_performance_and_reports_without_checkpoints_say_nothing_of_a_decision() -> None:
    report = report_document()
    assert not [*decision_blocks(report)]
    assert "Ship" not in on_terminal(report) + markdown_of(report) + page_of(report)


# ------------------------------------------------------------------------------------ hostile text


def test_hostile_names_and_texts_send_no_escape_sequence() -> None:
    shown = on_terminal(decided(hostile()), verbose=True)
    assert not set(shown) & {"\x1b", "\u202e", "\x07", "\x9b", "\ud800", "\r"}
    assert "[red]markup[/red]" in flat(shown)


def test_hostile_names_and_texts_stay_words_in_markdown() -> None:
    shown = markdown_of(decided(hostile()))
    found = kinds(shown)
    assert not {kind for kind, _ in found} & {"html_block", "html_inline"}
    targets = [str(a.get("src") or a.get("href")) for k, a in found if k in ("image", "link_open")]
    assert targets
    assert {target.split("/")[3] for target in targets} == {"checkpoints"}
    assert not set(shown) & {"\x1b", "\u202e", "\x07", "\ud800"}
    fences = [kind for kind, _ in found if kind == "fence"]
    assert len(fences) == 1  # the one sample of the one checkpoint that is shown


def test_hostile_names_and_texts_add_no_tag_to_the_page() -> None:
    source = page_of(decided(hostile()))
    tame = page_of(decided([candidate("a/step_1"), weak("a/step_2"), broken("a/step_3")]))
    tags = r"<([a-z]+)"
    assert set(re.findall(tags, source)) <= set(re.findall(tags, tame)) | {"br"}
    assert "&lt;script&gt;" in source
    assert not set(source) & {"\x1b", "\u202e", "\x07", "\x9b"}
    source.encode("utf-8")


def test_a_hostile_gate_and_hostile_advice_are_shown_and_not_obeyed() -> None:
    checkpoints = [candidate("a/step_1"), candidate("a/step_2")]
    report = decided(checkpoints, deciding(checkpoints, gate=replace(GATE, source=HOSTILE)))
    assert report.decision is not None
    advice = (Recommendation("trend", said(HOSTILE), (said(HOSTILE),)),)
    notes = {
        folder: replace(selection, notes=(said(HOSTILE),), reasons=(said(HOSTILE),))
        for folder, selection in report.decision.selections.items()
    }
    everywhere = dict.fromkeys(report.decision.advice, advice)
    changed = replace(report.decision, advice=everywhere, selections=notes)
    bad = replace(report, decision=changed)
    assert not set(on_terminal(bad)) & {"\x1b", "\u202e", "\x07"}
    found = {kind for kind, _ in kinds(markdown_of(bad))}
    assert not found & {"html_block", "html_inline"}
    assert page_of(bad).count("<script>") == 1, "its own"
