from pathlib import Path

from memlsp import Memory

with Memory.open(".") as memory:
    belief = memory.remember("fetch tries three times").belief
    written = memory.copies.export(Path("memory.jsonl"))
    print(written.beliefs, written.revisions)
    # -> 1 1

    memory.revise(belief.id, "confirm")
    print(memory.copies.take(Path("memory.jsonl")).known)  # an earlier state of what is here
    # -> 1
