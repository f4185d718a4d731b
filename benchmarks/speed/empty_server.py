"""The floor: a pygls server that answers every hover with one word and does nothing else.

Run by the suite `latency` as `python -m benchmarks.speed.empty_server`, over stdio, in the same run as our own.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer


def create_server() -> LanguageServer:
    """The server, not yet started."""
    server = LanguageServer("empty", "0")  # pyright: ignore[reportUnknownMemberType] - pygls leaves its arguments untyped

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(_: types.HoverParams) -> types.Hover:
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, "nothing"))

    return server


if __name__ == "__main__":
    create_server().start_io()
