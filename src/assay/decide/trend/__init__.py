"""How figures change over the training steps of one model folder."""
