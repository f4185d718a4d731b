"""Finds two statements that contradict each other where both apply. Fixed rules read statements into facts and slots.
Begin reading in contradiction.py, then facts.py, exclusion.py and slots.py."""
