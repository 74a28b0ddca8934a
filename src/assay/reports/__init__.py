"""REPORT: values become a Document of blocks, a Document becomes text. Nothing is computed here.

In: a Report, a Comparison, a Leaderboard, a Case, or the events of a run. Out: text.

    run_report, comparison, leaderboard, performance, suite_card, catalogue, doctor, side_by_side,
    test_plan       one builder each: values -> types.documents.Document
    judged/         builders for judged tests, and the standard evaluation format
    checkpoints/    builders for checkpoints, and the two files of a decision
    sentences, quantities                 words that several builders share
    formats/        one renderer each: terminal, Markdown, HTML, JSON; plugins add more
    json_documents, json_values           the documents that `--json` prints
    pictures/       SVG
    progress        live bar, plain lines, or nothing, while a run goes on

This file imports nothing: `assay --help` must not load rich or jinja2.
"""
