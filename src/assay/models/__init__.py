"""Models: a spec such as `scripted:answers.json` in, something that can be asked out.

`spec` reads the text a user typed, `opening` turns it into a Model, one module per kind of model
does the asking, and `reasoning` splits thinking from answers for all of them.
"""
