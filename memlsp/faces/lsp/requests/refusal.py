"""How a request of `wire` is refused: a JSON-RPC error with a sentence for a person, and what to do in `data.hint`."""

from __future__ import annotations

from pygls.exceptions import JsonRpcException

from memlsp.faces.lsp.requests.wire import Problem
from memlsp.faces.render.wording import plain
from memlsp.model.errors import MemlspError, NotFound, UsageError

INVALID_PARAMS = -32602
REQUEST_FAILED = -32803
"""LSP's code for a request that is well formed and cannot be done."""

_MOST = 1_000


class Refusal(JsonRpcException):
    """What could not be done, as the client is told it. Nothing failed, so nothing is logged as a failure."""

    def __init__(self, error: MemlspError) -> None:
        code = INVALID_PARAMS if isinstance(error, UsageError) else REQUEST_FAILED
        problem: Problem = {"hint": plain(error.hint, _MOST), "missing": isinstance(error, NotFound)}
        super().__init__(plain(str(error), _MOST), code, problem)
