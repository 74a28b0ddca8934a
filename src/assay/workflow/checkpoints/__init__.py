"""Checkpoints on disk: which there are, what is measured of them, and what is decided."""
