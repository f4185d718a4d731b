"""The language server: shows the memory in an editor, beside the language's own server. It may import `memlsp.memory`,
`memlsp.model` and `faces.render`, and no other face. Begin with `server/server.py`."""
