"""Entries about judging: an existing run, its files, prompts to paste, and qualifying a judge."""

from __future__ import annotations

from tests.oracle.registry import Collection

JUDGED = Collection("judged")
_add = JUDGED.add

_add("judged-report", "The report of a judged run.", "assay report latest")
_add("judged-report-md", "The same in Markdown.", "assay report latest --format md")
_add(
    "judged-json",
    "The judged part of the JSON.",
    "assay report latest --json | pick judged | lines 1 200",
)
_add(
    "judged-files",
    "The evaluation of one answer in the standard format.",
    "ls assay-out/runs",
    "cat assay-out/runs/*/reports/evaluations/able-*/talk_001.txt",
    "cat assay-out/runs/*/reports/evaluations/able-*/talk_003.txt",
)
_add(
    "judged-analysis",
    "comparative_analysis.md and final_summary.md.",
    "cat assay-out/runs/*/reports/comparative_analysis.md",
    "cat assay-out/runs/*/reports/final_summary.md",
)
_add(
    "judge-again",
    "`assay judge` asks a second judge about an existing run, and no model.",
    "assay judge latest --judge scripted:judge.json --judge scripted:mild.json",
    "sql SELECT test_id, count(*) FROM requests GROUP BY test_id ORDER BY test_id",
)
_add(
    "judge-prompts",
    "`--write-prompts`: one complete prompt per answer.",
    "assay judge latest --write-prompts paste",
    "ls paste",
    "cat paste/talk.talk_001.candidate-1.prompt.md",
)
_add(
    "judge-import",
    "An evaluation written by hand counts like a judge; wrong arithmetic is corrected and said.",
    "cat evaluation.txt",
    "assay judge latest --import evaluation.txt",
    "cat assay-out/runs/*/reports/evaluations/poor-*/talk_001.txt",
    "assay judge latest --undo-import",
)
_add(
    "judge-requests",
    "What a judge is sent: the answer as data, never the model's name.",
    "sql SELECT body FROM requests WHERE test_id LIKE 'judge:%talk_001' ORDER BY id LIMIT 1",
)
_add(
    "judge-self",
    "A model may not judge itself unless it is allowed.",
    "assay run scripted:able.json -s talk --judge scripted:able.json",
    "assay judge latest --judge scripted:absent.json",
)
_add(
    "judge-check",
    "A judge that gives every answer the same score is not qualified: exit 1.",
    "assay judge --check scripted:mild.json",
    "assay judge --check scripted:mild.json --json | keys",
)
_add("view-judged", "A judged run in the viewer.", "get /runs/{run}")
