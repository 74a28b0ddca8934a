"""`openai:NAME[@URL]`: models behind any OpenAI-compatible server.

`address` and `key` say where and as whom, `listing` reads the list of models, `dialect` is what a
server turned out to take, `bodies` writes requests in it and `reading` reads answers, `client`
sends both, `probe` finds the dialect out, `echo` scores texts where that is proved right, `asking`
keeps trying, and `model` puts them together.
"""
