"""DECIDE: from what was measured to what to do. Values only; `reports.checkpoints` has the words.

Why it is decided this way: `docs/decisions/intervals.md`.
"""
