"""From a statement to a belief, and every later state of it: admission, anchors, guards, proposals, revisions,
confidence.

Pure functions, which may import code, capture's redaction and the rooms beside it. Begin reading in admission.py and
revisions.py.
"""
