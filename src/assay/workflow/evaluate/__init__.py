"""The main job, step by step: what was asked for, what it needs, the run itself."""
