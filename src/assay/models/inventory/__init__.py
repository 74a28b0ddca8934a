"""What can be asked on this machine: `servers` that answer, and which of all models is `near` to a
mistyped name.
"""
