"""Adapters for other memories. Each is run by the Python of the environment that its memory is installed in."""
