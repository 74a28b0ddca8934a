"""What can be asked on this machine: `servers` that answer, and, of all that is found, what is
`near` to a name that was mistyped. Looked for where nothing is named yet, and after a mistake.
"""
