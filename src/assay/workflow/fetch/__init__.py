"""Benchmarks made by others, written as suites."""
