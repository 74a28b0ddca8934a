"""Report formats, one file each: a renderer knows blocks, not runs, judges or checkpoints."""
