"""The edits that setup makes: each puts entries of ours into one file, and takes them out again. An edit maps text to
text. `put("")` gives the text of a new file; `take` gives "" when nothing but ours was there."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import field, frozen

from memlsp.faces.setup import programs
from memlsp.faces.setup.edits import json_edits, marked_block, toml_edits
from memlsp.faces.setup.edits.jsonc import JsonValue, parse
from memlsp.model.errors import Refused, UnreadableSource


class SetupEdit(Protocol):
    """Entries of ours in the file at `path`; `about` describes them in a few words."""

    @property
    def path(self) -> Path: ...  # noqa: D102

    @property
    def about(self) -> str: ...  # noqa: D102

    def put(self, text: str) -> str:
        """The text with our entries as they should be. Raises UnreadableSource or Refused."""
        ...

    def take(self, text: str, former: str) -> str:
        """The text without our entries. `former` is the text from before they came, "" if unknown or none."""
        ...


@frozen
class HookEntries:
    """Entries in arrays of a JSON file, one array for each event; `also` are members that the file must have."""

    path: Path
    about: str
    items: Mapping[tuple[str, ...], Sequence[JsonValue]]
    also: Mapping[str, JsonValue] = field(factory=dict[str, JsonValue])

    @classmethod
    def of(cls, path: Path, events: Iterable[str], entry: JsonValue, **also: JsonValue) -> HookEntries:
        """The same entry for each of the events."""
        return cls(path, "hooks", {("hooks", event): [entry] for event in events}, also)

    def put(self, text: str) -> str:
        """Present entries keep their places; outdated ones of ours are replaced."""
        new = not text.strip()
        for path, wanted in self.items.items():
            present = json_edits.lookup(text, path)
            found = [item for item in present if programs.starts_our_hook(item)] if isinstance(present, list) else []
            if found == list(wanted):
                continue
            text = json_edits.without_items(text, path, programs.starts_our_hook, lambda _: True)
            for item in wanted:
                text = json_edits.with_item(text, path, item)
        text = _without_hooks(text, lambda _: False, besides=self.items)
        for key, value in self.also.items():
            if json_edits.lookup(text, (key,)) is None:
                text = _first(text, key, value) if new else json_edits.with_member(text, (key,), value)
        return text

    def take(self, text: str, former: str) -> str:
        """Remove all our hook entries, also under events that this version does not use."""
        taken = _without_hooks(text, _there(former))
        return text if taken == text else _bare(taken, former, self.also)

    def missing(self, text: str) -> tuple[str, ...]:
        """The events that have no hook of ours."""
        return tuple(path[-1] for path in self.items if not programs.starts_our_hook(json_edits.lookup(text, path)))


@frozen
class ServerEntry:
    """One named server in a JSON file. Members that a person added to it (an `env`, a time-out) stay."""

    path: Path
    about: str
    at: tuple[str, ...]
    value: Mapping[str, JsonValue]
    also: Mapping[str, JsonValue] = field(factory=dict[str, JsonValue])

    @classmethod
    def mcp(cls, path: Path, value: Mapping[str, JsonValue], key: str = "mcpServers") -> ServerEntry:
        """Our MCP server among the servers under `key`."""
        return cls(path, "MCP server", (key, "memlsp"), value)

    def put(self, text: str) -> str:
        """Update an entry of ours; leave one that somebody wrote by hand."""
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
        """Remove the entry unless it was there before us or starts something else."""
        present = json_edits.lookup(text, self.at)
        if present is None or not programs.starts_memlsp(present) or _there(former)(self.at):
            return text
        return _bare(json_edits.without_member(text, self.at, _there(former)), former, self.also)


@frozen
class ServerTable:
    """One named server in a TOML file."""

    path: Path
    about: str
    at: tuple[str, ...]
    value: Mapping[str, toml_edits.TomlValue]

    def put(self, text: str) -> str:
        """As ServerEntry does."""
        present = toml_edits.table(text, self.at)
        if present is not None and not programs.starts_memlsp(present):
            raise Refused(f"{'.'.join(self.at)} is there and starts something else")
        if present is not None and not _is_written_by_us(present):
            return text
        return toml_edits.with_table(text, self.at, self.value)

    def take(self, text: str, former: str) -> str:
        """As ServerEntry does."""
        present = toml_edits.table(text, self.at)
        if present is None or not programs.starts_memlsp(present) or toml_edits.table(former, self.at) is not None:
            return text
        return toml_edits.without_table(text, self.at)


@frozen
class MarkedBlock:
    """A block between marks in a text for people and agents."""

    path: Path
    about: str
    text: str
    marks: marked_block.Marks = marked_block.Marks.MARKDOWN

    def put(self, text: str) -> str:
        """Add the block at the end, or renew it where it stands."""
        return marked_block.with_block(text, self.text, self.marks)

    def take(self, text: str, former: str) -> str:  # noqa: ARG002  (the marks say what is ours)
        """Remove the block and its marks."""
        return marked_block.without_block(text, self.marks)


@frozen
class OwnFile:
    """A file that is ours from the first line to the last; `sign` is in every version of it."""

    path: Path
    about: str
    text: str
    sign: str

    def put(self, text: str) -> str:
        """Replace nothing but an older file of ours."""
        if text.strip() and self.sign not in text:
            raise Refused("a file of that name is there and is not ours")
        return self.text

    def take(self, text: str, former: str) -> str:  # noqa: ARG002  (the sign says whose it is)
        """Remove all of a file of ours."""
        return "" if self.sign in text else text


def _is_written_by_us(entry: Mapping[str, JsonValue]) -> bool:
    """True for `PYTHON -P -m memlsp mcp`, which nobody writes by hand."""
    command, args = entry.get("command"), entry.get("args")
    words = [*command] if isinstance(command, list) else [command, *args] if isinstance(args, list) else []
    return words[1:4] == ["-P", "-m", "memlsp"]


def _there(former: str) -> json_edits.Kept:
    """A predicate: did this path of keys exist in a former text?"""
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


def _without_hooks(text: str, kept: json_edits.Kept, besides: Collection[tuple[str, ...]] = ()) -> str:
    """The text without our hook entries, besides those in these arrays."""
    events = json_edits.lookup(text, ("hooks",))
    for event in list(events) if isinstance(events, dict) else []:
        if ("hooks", event) not in besides:
            text = json_edits.without_items(text, ("hooks", event), programs.starts_our_hook, kept)
    return text


def _first(text: str, key: str, value: JsonValue) -> str:
    """Insert a member before the others, in a new file that people will read."""
    return text.replace("{", "{\n  " + json.dumps({key: value})[1:-1] + ",", 1)


def _bare(text: str, former: str, also: Mapping[str, JsonValue]) -> str:
    """The text, or "" when nothing is left but the members that a new file of ours begins with."""
    if former.strip() or not text.strip():
        return text
    try:
        left: Any = json.loads(text)
    except ValueError:
        return text  # somebody wrote a comment into it
    return "" if isinstance(left, dict) and left == {key: also[key] for key in also if key in left} else text
