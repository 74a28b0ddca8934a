"""Report formats, one file each: a renderer knows blocks, not runs, judges or checkpoints.

Each registers the format that `assay report --format NAME` looks up; a plugin adds others the same
way.
"""
