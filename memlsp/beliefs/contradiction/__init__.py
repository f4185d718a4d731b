"""Finds two statements that contradict each other where both apply. Statements are read into slots by fixed rules; the
room imports model and `beliefs.claims` alone. Begin reading in contradiction.py, then slots.py and slot_clauses.py."""
