"""SCORE: a test and a reply in, a Score out. Start at `scoring.score_reply`.

One file per eval_method, with its fields, its description, `score`, the answer of a worked example
and its baselines. To add one, add a file; nothing else has to know it (`plugins.checks` finds it).
The folders have what several of them read: letters, shell commands, Ewe.
Nothing is imported here, and readers are imported when an answer is scored, so that loading a suite
stays quick.
"""
