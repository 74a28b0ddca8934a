"""The stages put together; only here do they meet. Start with `commands/evaluation.py`.

`commands`, what a user asks for, stand above `reporting`, which reads back what is stored, above
`running` (prepare, begin, ask, judge), above `checkpoints`. Nothing imports upwards.
"""
