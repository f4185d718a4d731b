"""The process that reads the history: `python -m memlsp.capture.history.history_worker`.

Its own interpreter lock and a low priority keep the editor responsive. It reads its order from stdin and writes the
episodes to stdout, a frame each, the newest commit first; their heads are JSON, which cannot run anything: the contents
of a repository were written by strangers. It ends when stdin is closed, and so with the process that started it.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from memlsp.capture.child_process import be_modest, read_frame, write_frame
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.commits import CommitReader, episode_of
from memlsp.model.episode import CommitEpisode
from memlsp.store.core.rows import converter

PATIENCE = 60.0
"""Seconds for one commit; then the process ends itself, and its starter passes that commit over."""

_NICENESS = 10

_TURN = 25
"""Commits in a row that one reader takes: neighbours share most of their text, so they are read together."""


def work(order: dict[str, Any], out: BinaryIO) -> None:
    """Read at most `order["most"]` commits from HEAD of `order["root"]`, except `order["known"]`; write `total` and
    `present`, then `begun` and `episode` for each, then `end`. `order["share"]` is the number of this reader and how
    many there are; they take turns."""
    ancestry = Ancestry.at(Path(order["root"]))
    commits = [] if ancestry is None else list(ancestry.newest(order["most"]))
    known = set(order["known"])
    head = str(commits[0].id) if commits else ""
    present = sum(str(commit.id) in known for commit in commits)
    write_frame(out, {"total": len(commits), "present": present, "head": head})
    if ancestry is not None:
        personal = order.get("personal", ())
        reader = CommitReader(ancestry, personal)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
            number, readers = order.get("share", (0, 1))
            for place, commit in enumerate(commits):
                if str(commit.id) in known or place // _TURN % readers != number:
                    continue
                write_frame(out, {"begun": _packed(episode_of(commit, personal))})
                faulthandler.dump_traceback_later(order.get("patience", PATIENCE), exit=True, file=nowhere)
                write_frame(out, {"episode": _packed(reader.read(commit))})
            faulthandler.cancel_dump_traceback_later()
    write_frame(out, {"end": True})


def _packed(episode: CommitEpisode) -> dict[str, Any]:
    value: dict[str, Any] = converter().unstructure(episode)
    for change in value["changes"]:
        change["kinds"] = sorted(change["kinds"])
    return value


def main() -> None:
    """Carry out the order on stdin."""
    be_modest(_NICENESS)
    order = read_frame(sys.stdin.buffer)
    threading.Thread(target=_end_with_starter, daemon=True).start()
    with suppress(BrokenPipeError):
        if order is not None:
            work(order[0], sys.stdout.buffer)
    os._exit(0)  # the thread that waits on stdin cannot be ended otherwise


def _end_with_starter() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    main()
