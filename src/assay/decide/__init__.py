"""DECIDE: from what was measured to what to do. Values only; `reports.checkpoints` has the words.

In: measured checkpoints and a `Gate`. Out: `Acceptance`, `Selection`, `Recommendation`.

    accept       a checkpoint against the gate, criterion by criterion
    scores       one score out of four parts, and the parts on which candidates are ranked
    difference   how much one candidate is ahead of another, and how surely
    select       the gate first, then the highest score; ties; what is lacking
    trend/       over the steps: still falling, flat, unstable, overfitting
    advice/      what to change next, each with its figures

Why it is decided this way: `docs/decisions/060-selection.md`.
"""
