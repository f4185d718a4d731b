"""Statements found in instructions, decision records, comments, commit messages, prompts and commands.

Pure: text in, statements out, and rather a few that a person will admit than all that could be meant. The room imports
`beliefs.claims` and `lifecycle.admission`; begin reading in worth.py and documents.py.
"""
