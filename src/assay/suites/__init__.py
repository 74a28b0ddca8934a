"""LOAD: test files in; a Suite out, or every mistake with its place. Knows no model and no score.

From a name on the command line to tests: load, suite_reader, test_format. Files are read
and checked by `assay.files`.
"""
