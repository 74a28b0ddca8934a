"""`assay serve`: a checkpoint, adapter or GGUF file behind the OpenAI protocol, on this machine.

`fields.py` reads what a client sends, `documents.py` writes what it gets, `app.py` has the
addresses, `server.py` listens.
"""
