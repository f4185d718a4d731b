from pathlib import Path

from memlsp import Memory, Place

with Memory.open(".") as memory:
    place = Place.parse("client.py#fetch")
    told = memory.remember("fetch tries three times: the API drops one call in ten", at=[place])
    print(told.standing)
    # -> current

    Path("client.py").write_text(Path("client.py").read_text().replace("retries=3", "retries=5"))
    memory.files_changed(["client.py"])
    for hit in memory.recall("how often does fetch try").hits:
        print(hit.judgement.standing, "-", hit.judgement.reasons[0].message)
        # -> contradicted - `fetch` changed the default of `retries` from 3 to 5; the statement says “three”
