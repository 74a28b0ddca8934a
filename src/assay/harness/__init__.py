"""TASKS: tasks of an installed lm-evaluation-harness as suites, and its scores of the answers.

Prompts, filters, metrics and aggregation are the harness's, its faults included; intervals are
ours. It is imported when a task is named, never before: `needed.py`.
"""
