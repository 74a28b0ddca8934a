"""REPORT: the documents of `results`, drawn. No module here computes a figure.

In: a Report, a Comparison, a Leaderboard, a Case, or the events of a run. Out: text.

    safe_text     model output made harmless: terminal, Markdown
    numbers       the one place that formats a number
    sentences     what all renderers say in the same words; of speed and failures: quantities;
                  of machine, server and memory: surroundings
    quality_picture  where the dots of "quality against speed" lie
    decision      what a run decided, in the order in which people read it
    terminal      rich tables            report, comparison, leaderboard; decision_terminal,
                  terminal_blocks
    markdown      the same               report, comparison, leaderboard; decision_markdown,
                  markdown_blocks
    as_json       the same, for programs
    html          one self-contained file
    performance   performance.md
    test_plan     test-plans/TEST-ID.md
    evaluation_report, selection   the two files of a decision; evaluation_reading reads the first
                  back, verdict_schemas are the schemas of both
    evaluation_text  one verdict in the standard evaluation format; evaluation_text_reading reads
                  such texts, whoever wrote them
    comparative_analysis, final_summary   the two pages about judged tests; judge_section is their
                  block in a run's report, judged_as_json and judged_picture the same otherwise
    progress      live bar, plain lines, or nothing, while a run goes on

This file imports nothing: `assay --help` must not load rich or jinja2.
"""
