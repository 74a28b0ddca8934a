"""Runs code that nobody vouches for, in confinement: see docs/explanation/sandbox.md.

    ran = open_sandbox().run(Program(files={"hello.py": "print(6 * 7)"}, arguments=("hello.py",)))

It limits damage; it does not make hostile code harmless. Importing it works everywhere, also where
nothing can be confined.
"""

from assay.sandbox.running import Found, Sandbox, find_isolation, open_sandbox
from assay.sandbox.shapes import Ended, Isolation, Limits, Program, Ran
