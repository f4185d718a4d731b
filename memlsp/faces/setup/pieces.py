"""What goes into one file for one client: put in, taken out, and never anything else.

A piece is text in, text out. `put("")` is what a new file gets; `take` gives "" when nothing but ours was there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import field, frozen

from memlsp.faces.setup import programs
from memlsp.faces.setup.edits import json_edits, marked_block, toml_edits
from memlsp.faces.setup.edits.jsonc import JsonValue, parse
from memlsp.model.errors import Refused, UnreadableSource


class Piece(Protocol):
    """Something of ours in one file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def about(self) -> str:
        """What it is, in a few words."""
        ...

    def put(self, text: str) -> str:
        """The text with our entries as they should be. Raises UnreadableSource or Refused."""
        ...

    def take(self, text: str, former: str) -> str:
        """The text without our entries. `former` is the text from before they came, "" if unknown or none."""
        ...


@frozen
class HookEntries:
    """Entries in the arrays of a JSON file, one for each event; `also` is what the file must have beside them."""

    path: Path
    about: str
    items: Mapping[tuple[str, ...], Sequence[JsonValue]]
    also: Mapping[str, JsonValue] = field(factory=dict[str, JsonValue])

    def put(self, text: str) -> str:
        """Entries that are there already stay where they stand; others of ours are replaced."""
        new = not text.strip()
        for path, wanted in self.items.items():
            present = json_edits.lookup(text, path)
            found = [item for item in present if programs.starts_our_hook(item)] if isinstance(present, list) else []
            if found == list(wanted):
                continue
            text = json_edits.without_items(text, path, programs.starts_our_hook, lambda _: True)
            for item in wanted:
                text = json_edits.with_item(text, path, item)
        text = self._without_others(text)
        for key, value in self.also.items():
            if json_edits.lookup(text, (key,)) is None:
                text = _first(text, key, value) if new else json_edits.with_member(text, (key,), value)
        return text

    def take(self, text: str, former: str) -> str:
        """All hook entries of ours, also under events that this version does not use."""
        taken = text
        events = json_edits.lookup(text, ("hooks",))
        for event in list(events) if isinstance(events, dict) else []:
            taken = json_edits.without_items(taken, ("hooks", event), programs.starts_our_hook, _there(former))
        return text if taken == text else _bare(taken, former, self.also)

    def _without_others(self, text: str) -> str:
        events = json_edits.lookup(text, ("hooks",))
        for event in list(events) if isinstance(events, dict) else []:
            if ("hooks", event) not in self.items:
                text = json_edits.without_items(text, ("hooks", event), programs.starts_our_hook, lambda _: False)
        return text


@frozen
class ServerEntry:
    """One named server in a JSON file. What a person added to the entry (an `env`, a time-out) stays."""

    path: Path
    about: str
    at: tuple[str, ...]
    value: Mapping[str, JsonValue]
    also: Mapping[str, JsonValue] = field(factory=dict[str, JsonValue])

    def put(self, text: str) -> str:
        """An entry that somebody wrote by hand is left as it is; ours is brought up to date."""
        present = json_edits.lookup(text, self.at)
        if present is None:
            new = not text.strip()
            text = json_edits.with_member(text, self.at, dict(self.value))
            for key, value in self.also.items() if new else ():
                text = _first(text, key, value)
            return text
        if not isinstance(present, dict) or not programs.starts_memlsp(present):
            raise Refused(f"{'.'.join(self.at)} is there and starts something else")
        if not _is_written_by_us(present):
            return text
        for key in ("command", "args"):
            if key in self.value and present.get(key) != self.value[key]:
                text = json_edits.with_member(text, (*self.at, key), self.value[key])
        return text

    def take(self, text: str, former: str) -> str:
        """The entry goes unless it was there before us, or starts something else."""
        present = json_edits.lookup(text, self.at)
        if present is None or not programs.starts_memlsp(present) or _there(former)(self.at):
            return text
        return _bare(json_edits.without_member(text, self.at, _there(former)), former, self.also)


@frozen
class ServerTable:
    """The same in TOML."""

    path: Path
    about: str
    at: tuple[str, ...]
    value: Mapping[str, toml_edits.TomlValue]

    def put(self, text: str) -> str:
        """As in JSON."""
        present = toml_edits.table(text, self.at)
        if present is not None and not programs.starts_memlsp(present):
            raise Refused(f"{'.'.join(self.at)} is there and starts something else")
        if present is not None and not _is_written_by_us(present):
            return text
        return toml_edits.with_table(text, self.at, self.value)

    def take(self, text: str, former: str) -> str:
        """As in JSON."""
        present = toml_edits.table(text, self.at)
        if present is None or not programs.starts_memlsp(present) or toml_edits.table(former, self.at) is not None:
            return text
        return toml_edits.without_table(text, self.at)


@frozen
class Block:
    """A marked block in a text for people and agents."""

    path: Path
    about: str
    text: str
    marks: marked_block.Marks = marked_block.Marks.MARKDOWN

    def put(self, text: str) -> str:
        """At the end, or renewed where it stands."""
        return marked_block.with_block(text, self.text, self.marks)

    def take(self, text: str, former: str) -> str:  # noqa: ARG002  (the marks say what is ours)
        """What stands between the marks, and the marks."""
        return marked_block.without_block(text, self.marks)


@frozen
class Whole:
    """A file that is ours from the first line to the last; `sign` is in every version of it."""

    path: Path
    about: str
    text: str
    sign: str

    def put(self, text: str) -> str:
        """Only over nothing, or over an older one of ours."""
        if text.strip() and self.sign not in text:
            raise Refused("a file of that name is there and is not ours")
        return self.text

    def take(self, text: str, former: str) -> str:  # noqa: ARG002  (the sign says whose it is)
        """Nothing is left of it."""
        return "" if self.sign in text else text


def _is_written_by_us(entry: Mapping[str, JsonValue]) -> bool:
    """`PYTHON -P -m memlsp mcp`, which nobody writes by hand."""
    command, args = entry.get("command"), entry.get("args")
    words = [*command] if isinstance(command, list) else [command, *args] if isinstance(args, list) else []
    return words[1:4] == ["-P", "-m", "memlsp"]


def _there(former: str) -> json_edits.Kept:
    """Whether a path of keys was there in a former text."""
    try:
        root = parse(former).value if former.strip() else None
    except UnreadableSource:
        root = None

    def kept(path: json_edits.Path) -> bool:
        at: JsonValue = root
        for key in path:
            if not isinstance(at, dict) or key not in at:
                return False
            at = at[key]
        return root is not None

    return kept


def _first(text: str, key: str, value: JsonValue) -> str:
    """A member in front of the others, for a new file that people will read."""
    return text.replace("{", "{\n  " + json.dumps({key: value})[1:-1] + ",", 1)


def _bare(text: str, former: str, also: Mapping[str, JsonValue]) -> str:
    """The text, or nothing when only what a new file of ours begins with is left."""
    if former.strip() or not text.strip():
        return text
    try:
        left: Any = json.loads(text)
    except ValueError:
        return text  # a comment of somebody's
    return "" if isinstance(left, dict) and left == {key: also[key] for key in also if key in left} else text
