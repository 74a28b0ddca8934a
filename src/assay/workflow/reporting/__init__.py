"""What the store holds, reported: results, comparisons, decisions, exports, and their files."""
