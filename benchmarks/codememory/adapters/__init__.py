"""Adapters that let other memories take part in CodeMemory, each run by the Python that the memory is installed in.

They import the memory and `benchmarks.codememory.serve`, nothing else of ours. Begin with `chunks_adapter`.
"""
