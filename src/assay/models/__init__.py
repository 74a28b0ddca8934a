"""Models: a spec such as `ollama:llama3.2:3b` in, something that can be asked out. A scheme is a
file or folder here that registers itself with `plugins.model`.
"""
