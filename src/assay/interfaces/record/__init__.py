"""`assay record`: a proxy on this machine that passes on what an application and its server say.

`proxy.py` passes on and keeps a copy, `access.py` refuses strangers, `server.py` listens.
"""
