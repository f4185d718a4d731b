"""Erasing beliefs, sessions and files, with every trace of their words, and checking that nothing is left.

May import the model and the rest of the store. Begin with `register.txt`, which has a rule for each column,
then `erasure`.
"""
