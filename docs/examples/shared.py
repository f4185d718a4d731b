from pathlib import Path

from memlsp import Memory, Place

with Memory.open(".") as memory:
    memory.remember("fetch tries three times", at=[Place.parse("client.py#fetch")])
    print(len(memory.shared.share().written))
    # -> 1
    (file,) = Path(".memlsp/beliefs").glob("*.md")
    print(file.read_text().splitlines()[-1])
    # -> fetch tries three times
