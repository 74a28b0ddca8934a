"""`gguf:FILE` and `gguf:ollama/NAME`: a GGUF file as a checkpoint of this engine.

`stores` finds files, `header` reads what one says of itself, `families` makes a config of it and
`weights` the tensors under the names that transformers gives them; `place` makes the tokenizer. All
else is shared with checkpoints.
"""
