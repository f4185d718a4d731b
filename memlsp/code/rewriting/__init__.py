"""Tells whether two texts of code do the same, by a form in which rewritings that keep the meaning are equal.

It may import code/{languages,syntax}. Begin with `normal_form.py`; `code_terms.py` reads the terms that it orders.
"""
