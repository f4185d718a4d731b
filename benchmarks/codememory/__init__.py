"""CodeMemory asks any memory which earlier work a task needs: tasks, systems that answer, and their scores.

It may import memlsp to mine histories and for memlsp's own system; `serve`, which adapters import, needs the standard
library alone. Begin with `records` and `replay`; docs/how-to/measure-a-memory.md tells how to plug a memory in.
"""
