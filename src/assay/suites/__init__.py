"""LOAD: test files in; a Suite out, or every mistake with its place. Knows no model and no score.

    catalogue        a name on the command line -> the files that it means
    load             files -> Suites, or the findings of all of them at once; some of their tests
    suite_reader     one suite, file by file: repeated ids, examples for few-shot prompts
    suite_file         suite.json -> SuiteSettings
    test_format        one test object -> Case

    gate_file        a TOML file -> Gate
    sample_prompts   the prompts of the generation check
    held_out_text    plain text, JSON lines or token ids -> documents with their digests
    fetching         benchmarks made by others -> test files

Files are read and checked by `assay.files`.
"""
