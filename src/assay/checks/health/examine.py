"""Every health check of one answer.

In: a sample prompt and what a model wrote after it; whether the model was stopped, and how unsure
it was. Out: a Health. Pure and deterministic, never raises on any text, and bounded in time: a
megabyte of anything takes no longer than the 20,000 characters that are read of it.
"""

from assay.checks.health.loop import loop
from assay.checks.health.nonsense import nonsense
from assay.checks.health.notes import coherence, length, technical_terms, truncation
from assay.checks.health.repetition import repetition
from assay.checks.health.ticks import accuracy, relevance
from assay.types.samples import Health, SamplePrompt


def examine(
    sample: SamplePrompt, text: str, *, truncated: bool = False, uncertainty: float | None = None
) -> Health:
    """Examine one answer; the three failures come first, then the notes, then the tick list."""
    about = relevance(sample, text)
    readable = nonsense(sample.prompt, text, uncertainty, on_subject=about.passed is True)
    coherent = coherence(text, readable)
    return Health(
        checks=(
            loop(text),
            repetition(text, truncated=truncated),
            readable,
            length(text),
            coherent,
            technical_terms(text),
            about,
            truncation(text, truncated=truncated),
            *accuracy(sample, text, coherent),
        )
    )
