"""What an answer is seen to do: its code is run, its claims are compared with what is known.

examine        an answer and its test -> Evidence, by the examiner of the test's name
code_answers   an answer -> the Python code in it
running        code and steps -> what came of them, in the sandbox (inside/ is what travels there)
trials         steps and what is expected of them -> checks; expectations never leave this process
"""

from assay.evidence.examine import examine

__all__ = ["examine"]
