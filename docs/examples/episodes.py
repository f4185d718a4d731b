from pathlib import Path

from memlsp import Memory

with Memory.open(".") as memory:
    text = Path("client.py").read_text()
    Path("client.py").write_text(text.replace("timeout=30", "timeout=60"))
    memory.events.saved("client.py")
    memory.events.settle()
    for episode in memory.episodes.list(path="client.py"):
        print(episode.title)
        # -> Change fetch
