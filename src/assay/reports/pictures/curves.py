"""The pictures of a model folder, each one SVG.

In: an `EvaluatedFolder`. Out: SVG text that stands alone: no script, no link, no font of its own.

    step_picture    over_steps             perplexity, suites and weighted score over training steps
    speed_picture   speed_against_quality  a dot a checkpoint, the limits, the front of the best
    step_panels     which figures the first one has
    picture         what both are made of: document, lines, marks, words, the palette
    label_places    texts made harmless, measured, and put where nothing else lies
    scales          where a number lies, and how it is written

The same figures as text: `curves_csv`, `tensorboard`, `checkpoint_table`.
"""

from assay.reports.pictures.speed import speed_against_quality
from assay.reports.pictures.steps import over_steps

__all__ = ["over_steps", "speed_against_quality"]
