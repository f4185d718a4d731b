"""Edits of other programs' files that leave every other character where it was. Pure functions from text to text,
beside `files.py`, which reads and writes the disk. Begin with `json_edits.py`."""
