"""Tests of what check.py may use, and of running it."""
