"""Checkpoints: which a path means, and what is measured of each."""
