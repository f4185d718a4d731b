"""The requests `memlsp/...` of `wire`, and the handler of each. A request that cannot be served is answered with a
JSON-RPC error that holds a sentence and a hint. That is no failure of the server: it is not logged as one, and the
editor shows no box."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.wire import REQUESTS
from memlsp.faces.lsp.server.protocol import RequestRefused
from memlsp.model.errors import MemlspError

Handler = Callable[[RequestContext, Arguments], Awaitable[Mapping[str, object]]]


log = logging.getLogger(__name__)


def handler_of(name: str) -> Handler:
    """The function `module.function` of this room, which is imported now: no start needs it."""
    module, _, function = name.partition(".")
    handler: Handler = getattr(import_module(f"memlsp.faces.lsp.requests.{module}"), function)
    return handler


def request_feature(
    context: RequestContext, method: str
) -> Callable[[Mapping[str, object]], Awaitable[Mapping[str, object]]]:
    """The handler of a method as a pygls feature: it reads the parameters and refuses with an error."""

    # with parameters of type `object` pygls would pass the server
    async def answer(params: Mapping[str, object]) -> Mapping[str, object]:
        arguments: Arguments | None = None
        try:
            arguments = Arguments(params)
            return await handler_of(REQUESTS[method][2])(context, arguments)
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
