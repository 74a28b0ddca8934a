"""A run: what was asked for, all it needs, its models asked, its answers judged."""
