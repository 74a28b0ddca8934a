"""`openai:NAME[@URL]`: models behind any OpenAI-compatible server.

`address` and `key` say where and as whom, `listing` reads the list of models, `dialect` is what a
server turned out to take, `bodies` writes requests in it, `events` and `reading` read answers,
`client` sends and receives, `probe` finds the dialect out, `echo` scores texts where that is proved
right, `asking` keeps trying, `unavailable` says why none of it can be, and `model` puts them
together.
"""
