"""Server processes that stand for real ones in the tests. Standard library only."""
