"""Commands in answers: found (reading), parsed (syntax), compared by what they do (meaning).

Nothing is ever executed. `docs/reference/shell.md` has the rules.
"""
