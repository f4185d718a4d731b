from memlsp import Memory

with Memory.open(".") as memory:
    old = memory.remember("The server listens on port 8080")
    memory.remember("The server listens on port 9090")
    (conflict,) = memory.conflicts.open()
    print(conflict.subject, sorted(conflict.values))
    # -> server ['8080', '9090']
    memory.conflicts.settle(conflict.id, "scoped", conditions={old.belief.id: [("env", "staging")]})
    print(len(memory.conflicts.open()))
    # -> 0
