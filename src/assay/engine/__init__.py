"""The engine: token ids in, likelihoods, token ids and speeds out (docs/explanation/engine.md)."""
