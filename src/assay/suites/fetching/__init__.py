"""Benchmarks made by others, as tests in our format: files in, tests out. Nothing is written here.

Prompts are those of lm-evaluation-harness 0.4.13, to the letter: a space or a capital more, and
scores cannot be compared with anybody's.
"""
