"""The reports on checkpoints: what was measured, what was decided, and why."""
