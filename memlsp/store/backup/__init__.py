"""Backups of whole stores, copies of beliefs with their histories, and the seals that recognise our own files.

May import the model and the rest of the store. Begin with `backup`.
"""
