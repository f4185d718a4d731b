"""Holds the claims of a statement against one state of the code. Begin with `present_code.py`, the code as it is held
against; each other module is one class of claims."""
