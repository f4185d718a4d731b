"""The claims of a statement, held against the code that bore them out when the statement was verified.

The room may import code, model, `beliefs.files`, `beliefs.reasons` and `code.vocabulary`. Begin reading in claims.py
(what is read from a statement) and claim_check.py (what a change breaks).
"""
