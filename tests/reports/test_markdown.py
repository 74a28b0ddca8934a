"""Reports as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from assay.reports.comparison import comparison_document
from assay.reports.formats.markdown import render_markdown
from assay.reports.leaderboard import leaderboard_document
from assay.reports.measured.quantities import performance_document
from assay.reports.run_report import run_document
from assay.types import Observed
from assay.types.results import Comparison, Leaderboard, Report
from tests.reports.conftest import machine


def run_page(of: Report) -> str:
    return render_markdown(run_document(of))


def comparison_page(of: Comparison) -> str:
    return render_markdown(comparison_document(of))


def leaderboard_page(of: Leaderboard) -> str:
    return render_markdown(leaderboard_document(of))


def performance(of: Report) -> str:
    return render_markdown(performance_document(of))


def test_a_report_has_every_figure_and_every_test(report: Report) -> None:
    text = run_page(report)
    for line in (
        r"# good scores 72.5 points \[61.0–81.4\] n=38, 2 unscored on demo.",
        r"- demo: guessing 25.0 \[15.0–40.0\] n=38",
        "## scripted:good.json",
        "### demo – A small suite",
        r"| demo | 72.5 points | \[61.0–81.4\] | 38 | 2 |  |",
        r"| facts | 0.800 | \[0.490–0.943\] | 10 | 0 |  |",
        "| judged | not measured | – | 0 | 5 | incomplete |",
        r"| baseline: always “B” | 25.0 points | \[15.0–40.0\] | 38 | 0 |  |",
        "| facts_003 | facts | request failed | – | timed out after 120 s |",
        "Reproduce: `assay run scripted:good.json -s demo`",
    ):
        assert line in text.splitlines()


def test_a_comparison_has_its_verdict_differences_and_flips(comparison: Comparison) -> None:
    text = comparison_page(comparison)
    for line in (
        "## scripted:good.json against scripted:weak.json",
        "scripted:good.json is better than scripted:weak.json (p = 0.039).",
        r"| points | 60.0 | 72.5 | \+12.5 \[−1.0 to +24.0\] | 40 | \< 0.001 |",
        "| − | facts_009 | facts | pass 1.00 | no answer 0.00 |",
    ):
        assert line in text.splitlines()


def test_a_leaderboard_is_a_table(leaderboard: Leaderboard) -> None:
    text = leaderboard_page(leaderboard)
    row = r"| \=2 | fair | 70.0 | \[61.0–79.0\] | 40 | 0 | 2026-01-02 |"
    assert row in text.splitlines()


def test_performance_says_what_was_not_measured(report: Report) -> None:
    text = performance(report)
    assert "9 answers, 1 failed." in text
    assert r"| seconds per answer, 95th percentile | 1.900 s | \[0.500–?\] | 9 | 0 |  |" in text
    assert "| tokens out per second of the whole request | not measured | – | 0 | 0 |  |" in text
    assert "| decode tokens per second, cold | not measured | – | 0 | 0 |  |" in text
    assert "clock." not in text, "nothing was decoded by any clock"


def test_performance_begins_with_the_machine_and_says_whose_it_is(served_report: Report) -> None:
    lines = performance(served_report).splitlines()
    said = "Machine: Linux 6.1 · Some CPU · 8 cores · 16.0 GiB · Some GPU, 24 GiB · "
    line = f"{said}python 3.11.9 · assay 0.2.0"
    assert lines.index(line) < lines.index("## ollama:small:1b")
    without = replace(served_report, machine=replace(machine(), gpus=()))
    assert "· no GPU found ·" in performance(without)


def test_performance_says_what_is_known_and_was_seen_of_a_model(served_report: Report) -> None:
    lines = performance(served_report).splitlines()
    for line in (
        "| server | Ollama 0.17.4 |",
        "| quantisation | Q4_K_M |",
        "| memory | 4.0 GiB |",
        "| on the GPU | 75 %, the rest on the CPU |",
        "| context length | 4,096 tokens |",
        "- The context was cut to 4,096 tokens.",
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("gpu_bytes", "said"),
    [
        (2**30, "| on the GPU | all |"),
        (0, "| on the GPU | nothing, all on the CPU |"),
        (2**30 - 1, "| on the GPU | 99 %, the rest on the CPU |"),
    ],
)
def test_performance_says_how_much_of_a_model_was_on_the_gpu(
    served_report: Report, gpu_bytes: int, said: str
) -> None:
    seen = Observed(memory_bytes=2**30, gpu_bytes=gpu_bytes)
    model = replace(served_report.models[0], observed=seen)
    assert said in performance(replace(served_report, models=(model,))).splitlines()


def test_performance_gives_mean_and_spread_speeds_ends_and_failures(served_report: Report) -> None:
    lines = performance(served_report).splitlines()
    for line in (
        "9 answers, 1 failed (timed out 1).",
        r"| seconds per answer, mean | 1.250 s | \[0.500–2.000\] | 9 | 0 |  |",
        r"| seconds per answer, standard deviation | 0.750 s | \[0.500–2.000\] | 9 | 0 |  |",
        r"| decode tokens per second, warm | 41.8 tokens/s | \[37.6–46.0\] | 7 | 0 |  |",
        r"| prefill tokens per second, cold | 120.0 tokens/s | \[108.0–132.0\] | 1 | 0 |  |",
        "- Requests were sent again 2 times after faults.",
        "- Why answers ended: stop 7, length 1, not reported 1.",
        "- Decode speeds are by the server's figures.",
    ):
        assert line in lines
    assert sum("upper bound" in line for line in lines) == 1


def test_performance_by_the_clients_clock_is_called_so(served_report: Report) -> None:
    model = served_report.models[0]
    measured = replace(model.performance, decode_clock="client", prefill_at_most=False)
    text = performance(replace(served_report, models=(replace(model, performance=measured),)))
    assert "by the client's clock" in text
    assert "by the server's figures" not in text
    assert "upper bound" not in text


def test_performance_has_a_row_for_every_try(served_report: Report) -> None:
    lines = performance(served_report).splitlines()
    for line in (
        "| demo | facts_001 | 1 | 4.250 | 0.310 | 3.500 | 0.010 | 120.0 | 40.0 | 1,034 | 12 | cold "
        "| stop | 1 | – |",
        "| demo | facts_002 | 2 | 0.500 | – | – | – | ≤ 9,500.0 | – | – | – | warm | length | 3 "
        "| – |",
        "| demo | facts_003 | 1 | 120.000 | – | – | – | – | – | – | – | – | – | 1 | timed out |",
    ):
        assert line in lines


def test_performance_shows_so_many_tries_and_says_where_the_rest_is(served_report: Report) -> None:
    model = served_report.models[0]
    trials = tuple(replace(model.trials[0], test=f"t_{n:04d}") for n in range(2003))
    text = performance(replace(served_report, models=(replace(model, trials=trials),)))
    assert "t_1999" in text
    assert "t_2000" not in text
    left = "Tries not shown here: 3; every one: `assay export {run} --format csv`"
    assert left.format(run=served_report.run) in text.splitlines()


def test_performance_says_the_notes_of_the_run_and_of_a_weak_fingerprint(report: Report) -> None:
    text = performance(report)
    assert "- 1 request failed." in text.splitlines()
    assert "weights of scripted:good.json cannot be verified" in text


def test_a_server_that_invents_ends_does_not_fill_the_page(served_report: Report) -> None:
    model = served_report.models[0]
    ends = {f"end {n}": 1 for n in range(100)}
    measured = replace(model.performance, finishes=ends)
    text = performance(replace(served_report, models=(replace(model, performance=measured),)))
    assert "end 7 1, others 92." in text


def test_a_report_names_machine_model_and_speed(served_report: Report) -> None:
    lines = run_page(served_report).splitlines()
    for line in (
        "Machine: Linux 6.1 · Some CPU · 8 cores · 16.0 GiB · Some GPU, 24 GiB · python 3.11.9 · "
        "assay 0.2.0",
        "server: Ollama 0.17.4 · quantisation: Q4_K_M",
        "memory: 4.0 GiB · on the GPU: 75 %, the rest on the CPU · context length: 4,096 tokens",
        r"| seconds per answer | 1.250 s | \[0.500–2.000\] | 9 | 0 |  |",
        r"decoding 41.5 tokens/s \[37.4–45.7\] n=8, by the server's figures; "
        r"39.9 tokens/s \[35.9–43.9\] n=8, by the client's clock",
        "- The context was cut to 4,096 tokens.",
    ):
        assert line in lines


def rendered_kinds(text: str) -> set[str]:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens}
    return kinds | {child.type for token in tokens for child in token.children or []}


@pytest.mark.parametrize(
    ("which", "render"),
    [
        ("hostile_report", run_page),
        ("hostile_report", performance),
        ("hostile_comparison", comparison_page),
        ("hostile_leaderboard", leaderboard_page),
    ],
)
def test_hostile_text_stays_words_in_its_place(
    which: str, render: object, request: pytest.FixtureRequest
) -> None:
    assert callable(render)
    text = render(request.getfixturevalue(which))
    assert not rendered_kinds(text) & {"html_block", "html_inline", "image", "link_open", "fence"}
    assert not set(text) & {"\x1b", "\u202e", "\x07", "\ud800"}


@pytest.mark.parametrize("render", [run_page, performance])
def test_hostile_text_adds_no_table_and_no_heading(
    hostile_report: Report, compared_report: Report, render: Callable[[Report], str]
) -> None:
    def blocks(of: Report) -> list[int]:
        page = MarkdownIt("commonmark").enable("table").parse(render(of))
        return [sum(t.type == kind for t in page) for kind in ("table_open", "h1", "heading_open")]

    assert blocks(hostile_report) == blocks(compared_report)


def test_hostile_text_adds_no_column(hostile_report: Report) -> None:
    for line in performance(hostile_report).splitlines():
        if line.startswith("| ") and "owned" in line:
            assert line.replace(r"\|", "").count("|") in (3, 16)
    for line in run_page(hostile_report).splitlines():
        if line.startswith("| ") and "owned" in line:
            assert line.replace(r"\|", "").count("|") in (3, 5, 6, 7)
