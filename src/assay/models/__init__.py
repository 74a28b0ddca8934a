"""Models: a spec such as `ollama:llama3.2:3b` in, something that can be asked out.

`opening` opens a spec by its scheme. A scheme is a file or folder that registers itself with
`plugins.model`: `local` (hf), `ollama`, `openai`, `scripted`; to add one, add a file. `home_made`
asks objects of a user's own class.
"""
