"""Benchmarks made by others, as tests in our format: files in, tests out. Nothing is written here.

    mmlu         subjects -> tests by letter, and beside them the cloze form
    hellaswag    passages -> tests by text
    made         what comes out: a benchmark's files, what was dropped from it and why
    hub          rows of the Hugging Face hub, by the library `datasets`
    layouts      a folder or an archive of a user's -> the files of a benchmark that are in it
    rows         the rows of one file, CSV, JSON Lines or Parquet; a place, an item, a mistake

Prompts are those of lm-evaluation-harness 0.4.13, to the letter: a space or a capital more, and
scores cannot be compared with anybody's.
"""
