"""DECIDE: from what was measured to what to do.

In: `Measured` checkpoints and a `Gate`. Out: `Acceptance`, `Selection`, `Recommendation`.

    Measured x Gate     -> accept      good enough? criterion by criterion, with reasons
    Measured            -> weigh       one score out of four parts, and which of them are missing
    Measured...         -> rank        the parts all candidates have, brought to one scale
    Measured x Measured -> difference  how much the one is ahead of the other, and how surely
    Measured... x Gate  -> select      the gate first, then the highest score; ties; what is lacking
    Measured...         -> trend       over the steps: still falling, flat, unstable, overfitting
    Measured, Acceptance, trend -> advise   what to change next, each with its figures

`figures` writes numbers as people read them. Why it is decided this way:
`docs/decisions/060-selection.md`.
"""
