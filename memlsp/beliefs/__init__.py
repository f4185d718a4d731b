"""Decides what deserves trust: beliefs are admitted, revised, held against the code and against each other.

The room may import episodes and everything below. Begin reading in standing/standing.py (`judge`) and
lifecycle/admission.py (`admit`).
"""
