from pathlib import Path

from memlsp import Memory

with Memory.open(".") as memory:
    text = Path("client.py").read_text()
    Path("client.py").write_text(text.replace("timeout=30", "timeout=60"))
    memory.events.saved("client.py")
    memory.events.settle()
    for event in memory.events.list():
        print(event.kind, event.paths, event.changes[0].sentence)
        # -> edit ('client.py',) `fetch` changed the default of `timeout` from 30 to 60.
