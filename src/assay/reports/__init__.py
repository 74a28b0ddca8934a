"""REPORT: values become a Document of blocks, a Document becomes text. Nothing is computed here,
and nothing imported: `assay --help` must not load rich or jinja2.
"""
