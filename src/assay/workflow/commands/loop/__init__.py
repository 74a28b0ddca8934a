"""Train, evaluate, review, adjust, again: `rounds` is the loop, the others are its steps."""
