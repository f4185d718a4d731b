"""Suites about finding: `recall` (CodeMemory, LoCoMo, BEAM) and `encoder`; and the training of the embedded encoder.

They may import `memlsp.recall` and `Memory`; training needs torch in an environment of its own. Begin with `recall`.
"""
