"""Assay decides whether a small language model is good enough, and shows why."""

__version__ = "0.1.0"
