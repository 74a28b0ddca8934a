"""Forty small faults, to measure what the tests notice: `python -m tests.faults`, `make faults`."""
