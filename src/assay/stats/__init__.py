"""Pure mathematics: numbers in, an `Estimate` with its 95 % interval out.

Which interval where, and why: `docs/explanation/statistics.md`,
`docs/decisions/intervals.md`. numpy and scipy are loaded inside the
functions, so that importing this package costs nothing.
"""
