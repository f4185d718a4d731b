"""StaleCode: can a memory of code still be trusted after the code changed?

A benchmark of its own, for any memory that can speak the line protocol of PROTOCOL.md. It needs the standard library
and git, and knows nothing of memlsp, whose adapter is one among others. Begin with `parts`, then `process`.
"""
