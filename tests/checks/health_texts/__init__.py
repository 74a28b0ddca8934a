"""Text made for the health checks: healthy passages, and generators that break them by a seed."""
