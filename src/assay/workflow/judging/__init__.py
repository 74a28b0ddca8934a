"""Answers judged by an LLM: the panel, its questions, and what is stored of its judgements."""
