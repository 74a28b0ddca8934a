"""The version, which everything may name."""

__version__ = "0.1.0"
