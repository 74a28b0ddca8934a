"""The stages put together. Each room is one job, its steps in order; only here do stages meet.

    evaluate/      ask every test of the chosen suites, score the answers, report
    checkpoints/   find, measure, accept and select checkpoints
    judging/       have an LLM judge the answers that no check can score
    discover/      what is here to evaluate, and what a run will take
    history/       read runs back from the store: report, compare, rank, rescore, export
    authoring      for makers of tests: check their files, write one to begin with
    benchmarks     write benchmarks made by others as suites
    demo           all of it on what ships

Start with `evaluate/evaluation.py`.
"""
