"""MEASURE: one file a figure of a model, from what it asks for to its advice.

Each registers in `plugins.measures`; the stages go through that registry and import none of them.
`types/measures.py` says what a measure can do, `limits.py` has what the limits of a gate share.
"""
