"""Adapters: programs that let a memory take part, each run by the Python (or Node) that the memory is installed in.

They import the memory and `stalecode`, nothing else. Begin with `simple`, then PROTOCOL.md for the requests.
"""
