"""Texts as token ids: the checkpoint's tokenizer, and encoding by lm-evaluation-harness's rules."""
