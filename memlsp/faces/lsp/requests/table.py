"""The requests `memlsp/...` of `wire`, and the handler of each. A request that cannot be served is answered with a
JSON-RPC error that holds a sentence and a hint. That is no failure of the server: it is not logged as one, and the
editor shows no box."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cache

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.server.protocol import RequestRefused
from memlsp.model.errors import MemlspError

Handler = Callable[[RequestContext, Arguments], Awaitable[Mapping[str, object]]]


@cache
def _handlers() -> dict[str, Handler]:
    from memlsp.faces.lsp.requests import beliefs, recall, remember, review, revise, timeline  # no start needs them

    return {
        "memlsp/beliefs": beliefs.list_beliefs,
        "memlsp/belief": beliefs.show_belief,
        "memlsp/review": review.list_review,
        "memlsp/reviewItem": review.show_item,
        "memlsp/decide": review.decide,
        "memlsp/undo": review.undo,
        "memlsp/revise": revise.revise,
        "memlsp/forget": revise.forget,
        "memlsp/timeline": timeline.list_timeline,
        "memlsp/episode": timeline.show_episode,
        "memlsp/closeThread": timeline.close_thread,
        "memlsp/place": remember.show_place,
        "memlsp/commit": remember.show_commit,
        "memlsp/remember": remember.remember,
        "memlsp/why": recall.explain,
        "memlsp/recall": recall.recall,
        "memlsp/doctor": recall.diagnose,
    }


log = logging.getLogger(__name__)


def request_feature(
    context: RequestContext, method: str
) -> Callable[[Mapping[str, object]], Awaitable[Mapping[str, object]]]:
    """The handler of a method as a pygls feature: it reads the parameters and refuses with an error."""

    # with parameters of type `object` pygls would pass the server
    async def answer(params: Mapping[str, object]) -> Mapping[str, object]:
        arguments: Arguments | None = None
        try:
            arguments = Arguments(params)
            return await _handlers()[method](context, arguments)
        except MemlspError as error:
            raise RequestRefused(error) from None
        except asyncio.CancelledError:
            if arguments is not None:
                arguments.cancelled.set()
            raise
        except Exception as error:
            log.exception("%s failed", method)
            failed = MemlspError(f"{method} failed: {type(error).__name__}", "the log says more")
            raise RequestRefused(failed) from None

    return answer
