"""Render a belief as a markdown note, and parse a note that a person may have edited.

A note has properties between `---`, the statement, and below a marker line the part that memlsp writes. The properties
are a subset of YAML: names with a text or a list of texts; anchors, aliases, tags and nesting are not interpreted.
Statements are untrusted, so markdown that an editor would run, embed or link is escaped; reading a note removes the
escapes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from attrs import field, frozen

from memlsp.model.belief import Belief, Revision
from memlsp.model.errors import BadValue
from memlsp.model.one_line import plain

LARGEST_NOTE = 256 * 1024
"""Bytes."""

MARKER = "%% memlsp writes what stands below this line %%"
INDEX = "Memory"

_PROPERTIES = (
    "id", "revision", "kind", "standing", "status", "authority", "by", "said", "locked", "confirm", "places", "when",
    "until", "because_of", "tags",
)  # fmt: skip
_TAG = "memlsp/"
_LONGEST_PROPERTIES = 64 * 1024
_MOST_KEYS = 200
_NAME_LENGTH = 60

_ESCAPED = re.compile(
    r"\\"  # the escape character
    r"|`(?=``|[=$])|~(?=~~)"  # fenced and inline code that plug-ins run
    r"|<(?=[\w/!%?])"  # html, templates
    r"|(?<=\])\(|!(?=\[)|\[(?=\[)"  # links, pictures, embedded notes
    r"|%(?=%)"  # comments and our marker line
)
_ESCAPABLE = frozenset("\\(![<%`~")


@frozen
class Note:
    """A parsed note. `statement` is unescaped; `properties` holds ours as texts or lists of texts; `extra` the
    unchanged lines of all other properties; `tags` the person's own tags; `has_marker` is False when the marker line is
    missing."""

    statement: str
    properties: dict[str, str | list[str]] = field(factory=dict[str, str | list[str]])
    extra: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    has_marker: bool = True

    @property
    def id(self) -> str:
        """The belief's id; "" for a note without one."""
        return self.text("id")

    def text(self, name: str) -> str:
        """A property as text; "" for a list."""
        value = self.properties.get(name, "")
        return value if isinstance(value, str) else ""

    def list(self, name: str) -> tuple[str, ...]:
        """A property as a list; a text becomes a list of one."""
        value = self.properties.get(name, [])
        return tuple(value) if isinstance(value, list) else (value,) if value else ()


@frozen
class NoteContent:
    """The content of a note. `links` maps belief ids to note names."""

    belief: Belief
    history: Sequence[Revision]
    standing: str
    reasons: Sequence[str]
    links: dict[str, str]
    supersedes: Sequence[Belief] = ()


def render(content: NoteContent, *, extra: Iterable[str] = (), tags: Iterable[str] = ()) -> str:
    """Render a belief's note. `extra` are property lines to keep, `tags` the person's own tags."""
    belief = content.belief
    lines = ["---", f"id: {belief.id}", f"revision: {len(content.history)}", f"kind: {belief.kind}"]
    lines += [f"standing: {content.standing}", f"status: {belief.status}", f"authority: {belief.authority}"]
    lines += [f"by: {_quoted(belief.author.name)}", f"said: {belief.created_at:%Y-%m-%d}"]
    lines += [f"locked: {str(belief.locked).lower()}", "confirm: false"]
    lines += _list_lines("places", [str(anchor.place) for anchor in belief.anchors])
    lines += _list_lines("when", [f"{key}={value}" for key, value in belief.conditions])
    if belief.expires_at is not None:
        lines.append(f"until: {belief.expires_at.isoformat()}")
    lines += _list_lines("because_of", [_link(content.links, id) for id in belief.because_of])
    own = [f"{_TAG}{belief.kind}", f"{_TAG}{content.standing}"]
    lines += _list_lines("tags", [*own, *(tag for tag in tags if not tag.startswith(_TAG))])
    lines += [*extra, "---", escape(belief.text), "", MARKER, ""]
    lines += _footer(content)
    return "\n".join(lines).rstrip("\n") + "\n"


def _footer(content: NoteContent) -> list[str]:
    lines: list[str] = []
    if content.reasons:
        lines += ["## Why it is asked about", "", *(f"- {_escaped_line(reason)}" for reason in content.reasons), ""]
    if content.belief.because_of:
        lines += ["## Because of", "", *(f"- {_link(content.links, id)}" for id in content.belief.because_of), ""]
    if content.supersedes:
        lines += ["## Replaces", "", *(f"- {_escaped_line(each.text)} ({each.id})" for each in content.supersedes), ""]
    lines += ["## History", ""]
    for each in content.history[-20:]:
        note = f": {_escaped_line(each.note)}" if each.note else ""
        lines.append(f"- {each.at:%Y-%m-%d} {each.action} by {_escaped_line(each.author.name)}{note}")
    return lines


def read_note(data: bytes) -> Note:
    """Parse a note. Raises BadValue when it is not UTF-8 text, too large, or its properties have no end."""
    if len(data) > LARGEST_NOTE:
        raise BadValue(f"it has {len(data):,} bytes, and {LARGEST_NOTE:,} are the most")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadValue("it is not UTF-8") from error
    if "\0" in text:
        raise BadValue("it holds a NUL")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    properties: dict[str, str | list[str]] = {}
    extra: list[str] = []
    if lines and lines[0].rstrip() == "---":
        end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
        if end is None or sum(map(len, lines[1:end])) > _LONGEST_PROPERTIES:
            raise BadValue("its properties have no end")
        properties, extra = _parse_properties(lines[1:end])
        lines = lines[end + 1 :]
    below = next((number for number, line in enumerate(lines) if line.strip() == MARKER), None)
    statement = unescape("\n".join(lines[:below] if below is not None else lines)).strip()
    note = Note(statement, properties, tuple(extra), (), below is not None)
    tags = tuple(tag for tag in note.list("tags") if not tag.startswith(_TAG))
    return Note(statement, properties, tuple(extra), tags, below is not None)


def name_of(belief: Belief) -> str:
    """A belief's file name without suffix: its first words in ASCII, and its id."""
    words = unicodedata.normalize("NFKD", belief.text).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:_NAME_LENGTH].strip("-")
    return f"{slug}-{belief.id}" if slug else belief.id


def digest_of(text: str) -> str:
    """The digest of a statement; white space does not count."""
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=12).hexdigest()


def escape(text: str) -> str:
    """Escape a statement so that a markdown editor shows it as plain text."""
    return _ESCAPED.sub(lambda found: f"\\{found[0]}", text)


def unescape(text: str) -> str:
    """Undo `escape`."""
    return re.sub(r"\\(.)", lambda found: found[1] if found[1] in _ESCAPABLE else found[0], text)


# -- properties -------------------------------------------------------------------------------------------------------

_KEY = re.compile(r"^([A-Za-z_][\w -]{0,60}):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"^\s*-(?:[ \t]+(.*))?$")


def _parse_properties(lines: Sequence[str]) -> tuple[dict[str, str | list[str]], list[str]]:
    """The values of our properties, and the lines of all others."""
    properties: dict[str, str | list[str]] = {}
    extra: list[str] = []
    name = ""
    for line in lines:
        found = _KEY.match(line)
        if found:
            name = found[1]
            if len(properties) > _MOST_KEYS:
                raise BadValue("it has too many properties")
            if name in _PROPERTIES:
                if name in properties:
                    raise BadValue(f"it has two properties {name!r}")
                properties[name] = _parse_value((found[2] or "").strip())
        elif name in _PROPERTIES and (item := _ITEM.match(line)):
            known = properties[name]
            items = known if isinstance(known, list) else []
            properties[name] = [*items, _parse_scalar((item[1] or "").strip())]
        if name not in _PROPERTIES and line.strip():
            extra.append(line)
    return properties, extra


def _parse_value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,]+', text[1:-1])
        return [value for part in parts if (value := _parse_scalar(part.strip()))]
    return _parse_scalar(text)


def _parse_scalar(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r'\\(["\\/])', r"\1", text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    text = re.sub(r"\s#.*$", "", text)
    return "" if text in {"null", "~"} else text


def _list_lines(name: str, values: Sequence[str]) -> list[str]:
    return [f"{name}:", *(f"  - {_quoted(value)}" for value in values)] if values else []


def _quoted(text: str) -> str:
    line = plain(text, 500)
    if re.fullmatch(r"[A-Za-z][\w./-]*", line) and line not in {"true", "false", "null", "yes", "no", "on", "off"}:
        return line
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _link(links: dict[str, str], id: str) -> str:
    return f"[[{links[id]}]]" if id in links else id


def _escaped_line(text: str) -> str:
    return escape(plain(text, 300))
