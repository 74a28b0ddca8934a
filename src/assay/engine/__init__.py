"""The engine: token ids in, likelihoods, texts as token ids and speeds out (docs/engine.md)."""
