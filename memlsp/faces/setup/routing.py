"""The text that tells an agent when to use its memory; short, because it is read in every session."""

from __future__ import annotations

from pathlib import Path

from memlsp.faces.setup.file_edits import MarkedBlock, OwnFile

TEXT = Path(__file__).with_name("routing.md").read_text("utf-8")

_ABOUT = "when to ask the memory"
_SIGN = "## Memory (memlsp)"


def block(path: Path) -> MarkedBlock:
    """The text as a marked block in a file that others write too."""
    return MarkedBlock(path, _ABOUT, TEXT)


def rule(path: Path, front: str) -> OwnFile:
    """The text as a rule file of its own, with its agent's front matter (YAML)."""
    return OwnFile(path, _ABOUT, f"---\n{front}\n---\n\n{TEXT}", _SIGN)
