"""Suites about standing: `edits`, `drift`, `contradictions`; and the training of the weights of drift.

They may import `memlsp.beliefs` and `Memory`. Begin with `edits`, whose cases `grid` reads from `fixtures/edits`.
"""
