"""Holds the claims of a statement against one state of the code.

It may import `code`, `model` and the claims of `beliefs.claims`. Begin with `present_code.py`, the code as it is held
against; each other module is one class of claims.
"""
