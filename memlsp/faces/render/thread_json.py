"""The JSON of threads, the same in every face. Its keys are a contract, as in `shapes`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, moment
from memlsp.model.thread import Thread


def thread_shape(thread: Thread) -> Json:
    """One thread. `closed_by` says what resolved it; `note` what speaks for its being done while it is open."""
    return {
        "id": thread.id,
        "kind": thread.kind.value,
        "text": thread.text,
        "open": thread.is_open,
        "path": thread.path,
        "symbol": thread.symbol,
        "line": thread.line,
        "source": thread.source,
        "session": thread.session,
        "episode": thread.episode,
        "opened_at": moment(thread.opened_at),
        "closed_at": moment(thread.closed_at) if thread.closed_at else None,
        "closed_by": thread.closed_by,
        "note": thread.note,
    }
