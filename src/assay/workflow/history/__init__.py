"""What the store already holds: reports, comparisons, leaderboards, new scores, exports."""
