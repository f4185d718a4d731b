"""A question to a ranked, explained, budgeted answer."""
