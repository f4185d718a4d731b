from memlsp import Memory

with Memory.open(".") as memory:
    memory.remember("fetch tries three times: the API drops one call in ten")
    print(memory.vectors.waiting())  # they are made in the background, or when a question needs them
    # -> 1
