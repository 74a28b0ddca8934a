"""Models of a user's own class: `adapter` asks them, `logits` computes likelihoods and texts."""
