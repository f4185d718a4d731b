"""Suites about episodes: `episodes` and the training of its weights; and replays of real work on a clone.

They may import `memlsp.episodes` and `Memory`. Begin with `episodes`.
"""
