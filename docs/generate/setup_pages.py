"""Fills the pages of docs/how-to with the files that `memlsp init` writes: `python -m docs.generate.setup_pages`.

A page has a line `<!-- files of NAME for user -->` (or `for project`) and a line `<!-- end of files -->`; what stands
between them is written here. A test compares, so that no page can lag behind.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve

from memlsp.faces.setup import programs
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import ClientEdits, SetupClient
from memlsp.faces.setup.clients.shells import Shell
from memlsp.faces.setup.clients.shells import edits as shell_edits
from memlsp.faces.setup.file_edits import HookEntries, SetupEdit
from memlsp.faces.setup.machine import Extent, UserMachine

_SECTION = re.compile(r"(<!-- files of ([a-z-]+) for (user|project) -->\n).*?(<!-- end of files -->)", re.DOTALL)
_HOME, _PROJECT, _DATA = Path("/~"), Path("/project"), Path("/~/.local/share/memlsp")
_FENCES = {
    ".json": "json",
    ".toml": "toml",
    ".md": "markdown",
    ".mdc": "markdown",
    ".js": "js",
    ".lua": "lua",
    ".el": "elisp",
}


def stale(folder: Path) -> Iterator[Path]:
    """The pages that are not as they would be written now."""
    for page in sorted(folder.glob("*.md")):
        text = page.read_text("utf-8")
        if filled(text) != text:
            yield page


def filled(text: str) -> str:
    """The page with its sections as the program would write them."""
    return _SECTION.sub(lambda found: found[1] + _files(found[2], Extent(found[3])) + found[4], text)


def _files(name: str, extent: Extent) -> str:
    machine = UserMachine(_HOME, _PROJECT, {}, "linux")
    with programs.installed_at("/path/to/python", "/path/to/memlsp/faces/hooks/entry.py"):
        parts = _parts(name, machine, extent)
        edits: list[SetupEdit] = [*parts.all]
        texts: dict[Path, str] = {}
        for edit in edits:
            texts[edit.path] = edit.put(texts.get(edit.path, ""))
    shown = "".join(f"\n{_file(machine.shown(path), text)}" for path, text in texts.items())
    return shown + _deciding(parts, _parts(name, evolve(machine, enforces=True), extent)) + "\n"


def _deciding(parts: ClientEdits, enforcing: ClientEdits) -> str:
    """A line about the events that are set up only to ask or deny."""
    pairs = zip(parts.hooks, enforcing.hooks, strict=True)
    entries = [(a, b) for a, b in pairs if isinstance(a, HookEntries) and isinstance(b, HookEntries)]
    events = sorted(f"`{path[-1]}`" for usual, each in entries for path in each.items.keys() - usual.items.keys())
    if not events:
        return ""
    return (
        f'\nWhere your own settings say `enforce = "ask"` or `"deny"` ([settings](../reference/settings.md#agents)),'
        f"\n{' and '.join(events)} {'is' if len(events) == 1 else 'are'} set up too. Run `memlsp init` again after a"
        " change.\n"
    )


def _parts(name: str, machine: UserMachine, extent: Extent) -> ClientEdits:
    if name in set(Shell):
        return ClientEdits(hooks=tuple(shell_edits(machine, Shell(name), _DATA)))
    client: SetupClient = next(client for client in CLIENTS if client.name == name)
    return client.edits(machine, extent)


def _file(name: str, text: str) -> str:
    fence = "`````" if "```" in text else "```"
    language = _FENCES.get(Path(name).suffix, "sh")
    body = f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
    if len(text.splitlines()) < 25:
        return f"`{name}`\n\n{body}"
    return f"<details>\n<summary><code>{name}</code></summary>\n\n{body}\n</details>\n"


def main() -> None:
    """Write the pages of the checkout that is the working directory, or of the one named."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "docs" / "how-to"
    for page in stale(folder):
        page.write_text(filled(page.read_text("utf-8")), encoding="utf-8", newline="\n")
        print(page)


if __name__ == "__main__":
    main()
