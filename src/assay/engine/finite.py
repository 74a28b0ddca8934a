"""What is raised where a model answers with something that is no number."""

from __future__ import annotations


class NotFinite(ArithmeticError):
    """A likelihood or a logit is NaN or infinite: the weights are broken, or overflowed."""
