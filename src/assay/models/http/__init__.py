"""Talking to a server that may be slow, broken or hostile.

`connection` sends and receives within a deadline, `faults` says what went wrong in one vocabulary
and tries again where that helps, `served` keeps several requests under way.
"""
