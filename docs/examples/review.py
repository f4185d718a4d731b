from pathlib import Path

from memlsp import Memory, Place

with Memory.open(".") as memory:
    memory.remember("fetch tries three times", at=[Place.parse("client.py#fetch")])
    Path("client.py").write_text(Path("client.py").read_text().replace("retries=3", "retries=5"))
    memory.files_changed(["client.py"])
    (item,) = memory.review.queue()
    print(item.question)
    # -> Is this still true? It is contradicted.
    print(item.choices)
    # -> ('confirm', 'supersede', 'retire', 'reanchor', 'scope')
    memory.review.settle(item.id, "supersede", "fetch tries five times")
    print([each.belief.text for each in memory.beliefs()], len(memory.review.queue()))
    # -> ['fetch tries five times'] 0
