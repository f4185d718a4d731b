"""The language server's protocol, documents, workspaces and settings. Only `server.py` and `editor_server.py` know all
parts; the others may import `faces.render` and `memlsp.model`. Begin with `server.py`, then `workspaces.py`."""
