"""`gguf:FILE` and `gguf:ollama/NAME`: a GGUF file as a checkpoint of this engine.

`header` reads what the file says of itself, `families` makes a config of it and `weights` the
tensors under the names that transformers gives them; `place` finds the file, and makes the
tokenizer. All else is shared with checkpoints.
"""
