"""The stages put together; only here do they meet. Start with `evaluate/evaluation.py`."""
