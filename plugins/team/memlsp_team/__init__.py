"""Exchanges beliefs with the machines of a team: what a person here stands behind goes out, what others say comes in.

It may import the floors of memlsp below the faces; memlsp finds it by its entry point. Begin with `team.py`, the part
`memory.team`; `signed_lines.py` signs and reads what travels, and `exchange/` carries it.
"""
