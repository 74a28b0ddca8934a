"""Commands in answers: found (reading), parsed (syntax), compared by what they do (meaning).

Nothing is ever executed. `docs/shell.md` has the rules.
"""
