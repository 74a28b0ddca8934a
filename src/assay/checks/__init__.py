"""SCORE: a test and a reply in, a mark with its reasons out. Start at `mark.mark`.

    text      exact_match, keywords          numbers, normalise
    choice/   multiple_choice                letters in free text, likelihoods
    format    format, composite              prose, structured (JSON, function calls)
    shell/    top_k, command_sequence        tree-sitter, what a command means
    ewe/      ewe_quality, ewebench-1.0      the language model and what it reads

Nothing is imported here, so that a suite loads only the scorers it uses.
"""
