"""The JSON of threads, the same in every face. Its keys are a contract, as in `belief_json`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.thread import Thread


def thread_shape(thread: Thread) -> Json:
    """One thread. `closed_by` names its resolution; `note` is a sign of completion while it is open."""
    return {
        **picked(thread, "id kind text"),
        "open": thread.is_open,
        **picked(thread, "path symbol line source session episode opened_at closed_at closed_by note"),
    }
