"""Calls of other programs, read as calls of a model. Apart from the schemes, since the clients
are slow to load.
"""
