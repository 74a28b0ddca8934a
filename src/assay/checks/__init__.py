"""SCORE: a test and a reply in, a Score out. Start at `scoring.score_reply`.

One file per eval_method, with its fields, its description, `score`, the answer of a worked example
and its baselines. To add one, add a file; nothing else has to know it (`plugins.checks` finds it).

    exact_match, keywords, format, composite
    multiple_choice              letters/   the letter that an answer means, or the likeliest one
    top_k, command_sequence      shell/     commands parsed by tree-sitter, and what they mean
    ewe_quality                  ewe/       the language model; the old rules of ewebench-1.0
    judge, own_prompt            scored by a judge, or not at all

Nothing is imported here, and readers are imported when an answer is scored, so that loading a suite
stays quick.
"""
