"""`assay.TrainerCallback`: evaluates every checkpoint that transformers' Trainer saves."""
