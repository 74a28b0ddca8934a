"""Judged tests in reports."""
