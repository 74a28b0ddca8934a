"""Answers judged by an LLM: the panel, its scales, and the stage after the asking."""
