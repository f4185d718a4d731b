"""Statements that stand somewhere already: in instructions, decisions, comments, commit messages, and what people said.

Pure: text in, what was found out. Better a few that a person will admit than all that could be meant.
"""
