"""Suites about what must not be stored: `forget` (nothing forgotten is left) and `secrets` (no secret comes in).

They search the files of the data folder with code of their own and otherwise use `Memory`. Begin with `forgetting`.
"""
