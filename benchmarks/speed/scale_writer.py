"""Another program that writes while somebody reads: `python -m benchmarks.speed.scale_writer ROOT DATA SECONDS PACE`.

It remembers `PACE` statements a second through the door, as an agent does, says `ready` when it begins, and ends with a
line of JSON: how many milliseconds each took.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, sleep

from memlsp.memory import Memory
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place

_AUTHOR = Author("Writer", AuthorKind.AGENT)


def main(root: Path, data: Path, seconds: float, pace: float) -> None:
    """Write for this long."""
    took: list[float] = []
    with Memory.open(root, data_dir=data) as memory:
        path = next((root / "src").glob("*.py")).relative_to(root).as_posix()
        memory.remember("The writer begins", at=[Place(path)], by=Caller(author=_AUTHOR, folder=root))
        print("ready", flush=True)
        began = perf_counter()
        while (now := perf_counter()) - began < seconds:
            text = f"Statement {len(took)} of the writer at {now:.6f} holds while others read"
            memory.remember(
                text, at=[Place(path)], by=Caller(author=_AUTHOR, source="mcp:writer", session="writer", folder=root)
            )
            took.append(1000 * (perf_counter() - now))
            sleep(max(0.0, began + len(took) / pace - perf_counter()))
    print(json.dumps(took), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
