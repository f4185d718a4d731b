from pathlib import Path

from memlsp import Memory

with Memory.open(".") as memory:
    text = Path("client.py").read_text()
    Path("client.py").write_text(text.replace("import time\n", "import time\n\n# TODO: honour Retry-After\n"))
    memory.events.saved("client.py")
    memory.events.settle()
    for thread in memory.threads.open():
        print(thread.kind, thread.path, thread.text)
        # -> todo client.py TODO: honour Retry-After
