"""Talking to a server that may be slow, broken or hostile."""
