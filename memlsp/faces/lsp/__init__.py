"""The language server: the memory in an editor, beside whatever server the language already has."""

from __future__ import annotations

from pathlib import Path


def serve(*, log_file: Path | None = None, log_level: str = "warning") -> None:
    """Serve one editor on stdin and stdout until it leaves."""
    # loaded here: pygls takes a third of a second, which only a language server should pay
    from memlsp.faces.lsp.server.server import serve as serve_editor

    serve_editor(log_file=log_file, log_level=log_level)
