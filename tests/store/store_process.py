"""What the processes of test_store_processes.py do: `store_process.py ROLE PATH NAME [COUNT]`."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from statements import belief_of, revision_of

from memlsp.store.store import open_store
from memlsp.store.tables.acts import FoundBy


def main(role: str, path: Path, name: str, number: int) -> None:
    """Wait for a line on standard input, so that all start at once; then write or read. An id is printed when the store
    has acknowledged it."""
    say("ready")
    sys.stdin.readline()
    with open_store(path) as store:
        for each in range(number) if role == "writer" else count():
            if role == "reader":
                found = store.search([["statement"]], limit=5)
                assert all(store.belief(hit.id) is not None for hit in found)
                counts = store.counts()  # a belief, its anchor and its revision are there together or not at all
                assert counts["beliefs"] == counts["anchors"] == counts["revisions"]
                if store.workspace_info("done"):
                    break
                continue
            belief = belief_of(f"{name}-{each}", f"statement {each} by {name}")
            store.add(belief, revision_of(belief), FoundBy("fetch src/net.py"))
            say(belief.id)


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
