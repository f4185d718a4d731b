from pathlib import Path

from memlsp import Memory

Path("AGENTS.md").write_text("# Shop\n\n- `fetch` in client.py is the only way to the network.\n")

with Memory.open(".") as memory:
    for line in memory.documents.at("client.py", "fetch"):
        print(f"{line.document}:{line.line} {line.text}")
        # -> AGENTS.md:3 `fetch` in client.py is the only way to the network.
