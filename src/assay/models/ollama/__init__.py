"""`ollama:NAME[@URL]`: models behind Ollama's native API.

`address` finds the server, `client` speaks its protocol, `facts` reads what it says of a model,
`context` keeps prompts from being cut in silence, and `model` puts them together.
"""
