"""A belief as a Markdown file of the repository: front matter in YAML, and the statement with its why as the body.

The file is text that anybody may have written: it has no authority of its own, and nothing in it is executed. Keys that
are not known are kept; the order of keys is fixed, so that two writers make the same file.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import yaml
from attrs import field, frozen

from memlsp.beliefs.lifecycle.admission import checked_conditions, checked_statement
from memlsp.model.belief import Belief, BeliefKind, BeliefStatus, ScopeKind
from memlsp.model.errors import BadValue
from memlsp.model.one_line import plain

LARGEST = 64 * 1024
"""Bytes of a file that is read."""

_PARTS = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_ID = re.compile(r"[a-z][0-9a-z]{3,31}")
_MARKS = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)|^={7}$", re.MULTILINE)
_MOST = 64  # entries of a list
_LONGEST = 1_000  # characters of an entry
_MOST_BRACKETS = 400  # of a front matter: reading nested ones takes the square of their number
_SLUG = 48  # characters


@frozen
class FileAnchor:
    """A place: `fingerprint` is the meaning of the symbol as it was verified at `commit` (full hash); "" if unknown."""

    path: str
    symbol: str = ""
    fingerprint: str = ""
    commit: str = ""

    @property
    def place(self) -> str:
        """The place as people write it."""
        return f"{self.path}#{self.symbol}" if self.symbol else self.path


@frozen
class BeliefFile:
    """What a file says. `applies` has a path glob (or "") and conditions; `rest` the keys that are not known."""

    id: str
    text: str
    kind: BeliefKind
    pattern: str = ""
    conditions: tuple[tuple[str, str], ...] = ()
    anchors: tuple[FileAnchor, ...] = ()
    guards: tuple[str, ...] = ()
    retired: bool = False
    by: str = ""
    rest: Mapping[str, object] = field(factory=dict[str, object])

    @property
    def digest(self) -> str:
        """A hash of all that it says of the belief; neither its author nor where an anchor was verified."""
        places = [each.place for each in self.anchors]
        said = (self.text, self.kind.value, self.pattern, self.conditions, places, self.guards, self.retired)
        return hashlib.blake2b(repr(said).encode(), digest_size=16).hexdigest()

    @property
    def name(self) -> str:
        """The name of a new file for it: the id, and words of the statement for people."""
        words = re.sub(r"[^a-z0-9]+", "-", plain(self.text, 200).lower())[:_SLUG].strip("-")
        return f"{self.id}-{words}.md" if words else f"{self.id}.md"


def file_of(belief: Belief, rest: Mapping[str, object]) -> BeliefFile:
    """The file of a belief, with the unknown keys that it had."""
    anchors = (
        FileAnchor(each.path, each.symbol, each.verified.fingerprint.meaning, each.commit or "")
        for each in belief.anchors
    )
    return BeliefFile(
        belief.id,
        belief.text,
        belief.kind,
        belief.scope.pattern if belief.scope.kind is ScopeKind.GLOB else "",
        belief.conditions,
        tuple(anchors),
        tuple(str(guard) for guard in belief.guards),
        belief.status is not BeliefStatus.ACTIVE,
        belief.author.name,
        rest,
    )


def write_file(file: BeliefFile) -> str:
    """The text of a file. Lists that are empty are left out."""
    anchors = [{"at": each.place, "fingerprint": each.fingerprint, "verified": each.commit} for each in file.anchors]
    applies = [*([file.pattern] if file.pattern else ()), *(f"{key}={value}" for key, value in file.conditions)]
    known: dict[str, object] = {
        "id": file.id,
        "kind": file.kind.value,
        "applies": applies,
        "anchors": [{key: value for key, value in each.items() if value} for each in anchors],
        "guards": list(file.guards),
        "status": "retired" if file.retired else "active",
        "by": file.by,
    }
    head = {key: value for key, value in (*known.items(), *file.rest.items()) if value or key in file.rest}
    dumped = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100)
    return f"---\n{dumped}---\n\n{file.text}\n"


def read_file(text: str) -> BeliefFile:
    """Read a file. Raises BadValue with what is wrong, and what to do."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if _MARKS.search(text):
        raise BadValue("git left a conflict in it", "take one side, or write what is true now")
    parts = _PARTS.match(text if text.endswith("\n") else f"{text}\n")
    if parts is None:
        raise BadValue("it has no front matter", "`memlsp share ID` writes one: --- id, kind, anchors --- statement")
    head = _front_matter(parts["head"])
    id = _text(head.get("id", ""), "id")
    if not _ID.fullmatch(id):
        raise BadValue(f"not an id: {id[:40]!r}", "4 to 32 lower-case letters and digits, a letter first")
    kind, status = (_text(head.get(key, usual), key) for key, usual in (("kind", "fact"), ("status", "active")))
    if kind not in set(BeliefKind):
        raise BadValue(f"not a kind: {kind[:40]!r}", f"one of {', '.join(BeliefKind)}")
    if status not in {"active", "retired"}:
        raise BadValue(f"not a status: {status[:40]!r}", "active or retired")
    applies = _texts(head, "applies")
    globs = [each for each in applies if "=" not in each]
    if len(globs) > 1:
        raise BadValue("it has more than one path pattern", "make it several beliefs, or widen the pattern")
    pairs = [(key, value) for key, _, value in (each.partition("=") for each in applies if "=" in each)]
    known = {"id", "kind", "applies", "anchors", "guards", "status", "by"}
    return BeliefFile(
        id,
        checked_statement(parts["body"]),
        BeliefKind(kind),
        globs[0] if globs else "",
        checked_conditions(pairs),
        tuple(_anchor(each) for each in _list(head, "anchors")),
        tuple(_texts(head, "guards")),
        status == "retired",
        plain(_text(head.get("by", ""), "by"), 200),
        {key: value for key, value in head.items() if key not in known},
    )


def _front_matter(text: str) -> dict[str, object]:
    """The keys, whose values are texts, lists and tables of texts. An alias could grow without bound: it is refused."""
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise BadValue(f"its front matter has more than {_MOST_BRACKETS} brackets", "write lists on lines of their own")
    try:
        tokens = cast("Iterator[object]", yaml.scan(text, yaml.BaseLoader))  # pyright: ignore[reportUnknownMemberType]
        if any(isinstance(each, yaml.AliasToken) for each in tokens):
            raise BadValue("its front matter has an alias (`*name`)", "write the value out")
        found: object = yaml.load(text, yaml.BaseLoader)  # noqa: S506  makes texts, lists and tables only
    except (yaml.YAMLError, RecursionError) as error:
        raise BadValue(f"its front matter is no YAML: {plain(str(error), 200)}") from None
    if not isinstance(found, dict):
        raise BadValue("its front matter is no table of keys")
    return cast("dict[str, object]", found)


def _list(head: Mapping[str, object], key: str) -> Sequence[object]:
    value: object = head.get(key) or []
    if not isinstance(value, list) or len(cast("list[object]", value)) > _MOST:
        raise BadValue(f"{key} is no list of at most {_MOST} entries")
    return cast("list[object]", value)


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or "\0" in value:
        raise BadValue(f"{key} is no text of at most {_LONGEST} characters")
    return value.strip()


def _texts(head: Mapping[str, object], key: str) -> list[str]:
    return [_text(each, key) for each in _list(head, key)]


def _anchor(value: object) -> FileAnchor:
    """An anchor: a place, or a table with `at` and what was verified."""
    entry = cast("dict[str, object]", value) if isinstance(value, dict) else {"at": value}
    place, fingerprint, commit = (_text(entry.get(key, ""), key) for key in ("at", "fingerprint", "verified"))
    path, _, symbol = (part.strip() for part in place.partition("#"))
    if not path or posixpath.normpath(path) != path or path.startswith(("/", "..", "./")) or re.search(r"[\\:]", path):
        raise BadValue(f"not a place of this repository: {place[:100]!r}", "write path/in/repository#Symbol")
    if commit and not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise BadValue(f"not a commit: {commit[:60]!r}", "the full hash, or nothing")
    return FileAnchor(path, symbol, fingerprint, commit)
