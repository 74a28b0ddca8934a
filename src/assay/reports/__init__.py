"""REPORT: values become a Document of blocks, a Document becomes text. Nothing is computed here.

Builders (one a file, and those of judged/ and checkpoints/) make Documents, `formats/` renders
them, and `json_documents` has what `--json` prints.
This file imports nothing: `assay --help` must not load rich or jinja2.
"""
