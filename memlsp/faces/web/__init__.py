"""The page of `memlsp web`: it shows a person with a browser what the memory holds.

It may import `memory` and `faces.render`, and serves nothing but its own templates and static files.
Begin with `server.py`.
"""
