"""Entries about what is shown of a run of two scripted models: every report, in every format."""

from __future__ import annotations

from tests.oracle.registry import Collection

FORMATS = Collection("scored")
_add = FORMATS.add

_add(
    "run-text",
    "A run of two models prints scores, then the decision card, and exits 3 for a failed request.",
    "assay run scripted:good.json scripted:weak.json -s little --fresh",
)
_add(
    "run-json",
    "`run --json` is one document with the keys of the contract.",
    "assay run scripted:good.json scripted:weak.json -s little --json -c words -c tools",
)
_add(
    "run-verbose",
    "`-v` shows every answer before the scores.",
    "assay run scripted:weak.json -s little -c words -c sums -v",
)
_add("report-text", "The report of a stored run in the terminal.", "assay report latest")
_add("report-failed", "`--failed` shows every failed test.", "assay report latest --failed")
_add("report-verbose", "`-v` adds all details.", "assay report latest -v", scene="pair")
_add("report-md", "The Markdown report.", "assay report latest --format md")
_add("report-json", "The report as JSON.", "assay report latest --format json", scene="pair")
_add(
    "report-html",
    "The HTML report, as a reader sees it.",
    "assay report latest --format html",
    scene="pair",
)
_add(
    "report-pr-comment",
    "The decision card as a comment for a pull request.",
    "assay report latest --format pr-comment",
)
_add(
    "report-against",
    "`--against` pairs a run with an earlier one and names the tests that flipped.",
    "assay run scripted:weak.json -s little",
    "call report_against 1 0",
    "assay report latest --against latest",
)
_add(
    "report-fr",
    "`--lang fr`: the report in French, numbers too.",
    "assay report latest --lang fr --format md",
    scene="pair",
)
_add(
    "files-of-a-run",
    "What a run leaves in its folder.",
    "ls assay-out/runs",
    "cat assay-out/runs/*/outputs/good-*/words_001.txt",
    "cat assay-out/runs/*/test-plans/tools_001.md",
)
_add("file-performance", "performance.md.", "cat assay-out/runs/*/performance.md")
_add(
    "export-jsonl",
    "One record an answer.",
    "assay export latest --format jsonl | drop null",
    scene="pair",
)
_add("export-csv", "The same as a table.", "assay export latest --format csv | csv", scene="pair")
_add(
    "leaderboard",
    "All models of a store, best first, in each format.",
    "assay leaderboard",
    "assay leaderboard --format md",
    "assay leaderboard --json",
    "assay leaderboard --format html",
    "assay leaderboard --max-memory 8GB --min-speed 10",
)
_add(
    "compare-text",
    "Two models of one run, paired by test: difference, interval, flips.",
    "assay compare latest",
    "assay compare scripted:good.json scripted:weak.json",
)
_add("compare-md", "The comparison in Markdown.", "assay compare latest --format md")
_add("compare-json", "The comparison as JSON.", "assay compare latest --json")
_add("compare-html", "The comparison as a page.", "assay compare latest --format html")
_add(
    "compare-max-drop",
    "`--max-drop`: exit 1 when a suite is worse by more, 0 when it is not.",
    "assay compare scripted:good.json scripted:weak.json --max-drop 0.05",
    "assay compare scripted:weak.json scripted:good.json --max-drop 0.05",
    "assay compare scripted:good.json scripted:absent.json",
)
_add(
    "runs",
    "All runs; a hidden one is in no leaderboard; what pruning would free.",
    "assay runs",
    "assay runs --hide latest",
    "assay runs --json",
    "assay leaderboard",
    "assay runs --prune",
)
_add(
    "rescore",
    "A corrected test counts without a model being asked.",
    'sh -c "sed -i \'s/\\"expected\\": \\"4\\"/\\"expected\\": \\"five\\"/\' little/sums.json"',
    "assay rescore latest --json | pick models.1.suites.0.categories",
    "sql SELECT count(*) FROM replies",
)
_add(
    "suite-stats",
    "`stats SUITE`: which tests need attention.",
    "assay suites little --stats",
    "assay suites little --stats --json | keys",
)
_add(
    "agent-answers",
    "The agent tools about a stored run.",
    "call tool explain_result latest sums_004",
    "call tool review_failures latest",
    "call compared scripted:good.json scripted:weak.json",
)
