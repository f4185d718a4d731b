"""The plugin folder in the repository."""

from __future__ import annotations

from pathlib import Path

from docs.generate.claude_plugin import marketplace, plugin_files

ROOT = Path(__file__).resolve().parents[3]


def test_the_folder_is_as_the_program_would_write_it() -> None:
    folder = ROOT / "plugins" / "claude-code"
    there = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert there == plugin_files(), "python -m docs.generate.claude_plugin"
    assert (ROOT / ".claude-plugin" / "marketplace.json").read_text() == marketplace()
