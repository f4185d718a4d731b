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

BELOW = "%% memlsp writes what stands below this line %%"
INDEX = "Memory"

_OURS = (
    "id", "revision", "kind", "standing", "status", "authority", "by", "said", "locked", "confirm", "places", "when",
    "until", "because_of", "tags",
)  # fmt: skip
_TAG = "memlsp/"
_LONGEST_FRONT = 64 * 1024
_MOST_KEYS = 200
_NAME_LENGTH = 60

_ESCAPED = re.compile(
    r"\\"  # what escapes
    r"|`(?=``|[=$])|~(?=~~)"  # fenced code, which plug-ins run, and what they run inside a line
    r"|<(?=[\w/!%?])"  # html, templates
    r"|(?<=\])\(|!(?=\[)|\[(?=\[)"  # links, pictures, embedded notes
    r"|%(?=%)"  # comments, and the line of ours
)
_SIGNS = frozenset("\\(![<%`~")


@frozen
class Note:
    """A parsed note. `statement` is unescaped; `given` holds our properties as texts or lists of texts; `extra` the
    unchanged lines of all other properties; `tags` the person's own tags; `separated` is False when the marker line is
    missing."""

    statement: str
    given: dict[str, str | list[str]] = field(factory=dict[str, str | list[str]])
    extra: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    separated: bool = True

    @property
    def id(self) -> str:
        """The belief's id; "" for a note without one."""
        return self.text("id")

    def text(self, name: str) -> str:
        """A property as text; "" for a list."""
        value = self.given.get(name, "")
        return value if isinstance(value, str) else ""

    def list(self, name: str) -> tuple[str, ...]:
        """A property as a list; a text becomes a list of one."""
        value = self.given.get(name, [])
        return tuple(value) if isinstance(value, list) else (value,) if value else ()


@frozen
class Shown:
    """The content of a note. `links` maps belief ids to note names."""

    belief: Belief
    history: Sequence[Revision]
    standing: str
    reasons: Sequence[str]
    links: dict[str, str]
    supersedes: Sequence[Belief] = ()


def render(shown: Shown, *, extra: Iterable[str] = (), tags: Iterable[str] = ()) -> str:
    """Render a belief's note. `extra` are property lines to keep, `tags` the person's own tags."""
    belief = shown.belief
    lines = ["---", f"id: {belief.id}", f"revision: {len(shown.history)}", f"kind: {belief.kind}"]
    lines += [f"standing: {shown.standing}", f"status: {belief.status}", f"authority: {belief.authority}"]
    lines += [f"by: {_quoted(belief.author.name)}", f"said: {belief.created_at:%Y-%m-%d}"]
    lines += [f"locked: {str(belief.locked).lower()}", "confirm: false"]
    lines += _listed("places", [str(anchor.place) for anchor in belief.anchors])
    lines += _listed("when", [f"{key}={value}" for key, value in belief.conditions])
    if belief.expires_at is not None:
        lines.append(f"until: {belief.expires_at.isoformat()}")
    lines += _listed("because_of", [_link(shown.links, id) for id in belief.because_of])
    own = [f"{_TAG}{belief.kind}", f"{_TAG}{shown.standing}"]
    lines += _listed("tags", [*own, *(tag for tag in tags if not tag.startswith(_TAG))])
    lines += [*extra, "---", escape(belief.text), "", BELOW, ""]
    lines += _below(shown)
    return "\n".join(lines).rstrip("\n") + "\n"


def _below(shown: Shown) -> list[str]:
    lines: list[str] = []
    if shown.reasons:
        lines += ["## Why it is asked about", "", *(f"- {_shown(reason)}" for reason in shown.reasons), ""]
    if shown.belief.because_of:
        lines += ["## Because of", "", *(f"- {_link(shown.links, id)}" for id in shown.belief.because_of), ""]
    if shown.supersedes:
        lines += ["## Replaces", "", *(f"- {_shown(each.text)} ({each.id})" for each in shown.supersedes), ""]
    lines += ["## History", ""]
    for each in shown.history[-20:]:
        note = f": {_shown(each.note)}" if each.note else ""
        lines.append(f"- {each.at:%Y-%m-%d} {each.action} by {_shown(each.author.name)}{note}")
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
    given: dict[str, str | list[str]] = {}
    extra: list[str] = []
    if lines and lines[0].rstrip() == "---":
        end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
        if end is None or sum(map(len, lines[1:end])) > _LONGEST_FRONT:
            raise BadValue("its properties have no end")
        given, extra = _front(lines[1:end])
        lines = lines[end + 1 :]
    below = next((number for number, line in enumerate(lines) if line.strip() == BELOW), None)
    statement = unescape("\n".join(lines[:below] if below is not None else lines)).strip()
    note = Note(statement, given, tuple(extra), (), below is not None)
    tags = tuple(tag for tag in note.list("tags") if not tag.startswith(_TAG))
    return Note(statement, given, tuple(extra), tags, below is not None)


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
    return re.sub(r"\\(.)", lambda found: found[1] if found[1] in _SIGNS else found[0], text)


# -- properties -------------------------------------------------------------------------------------------------------

_KEY = re.compile(r"^([A-Za-z_][\w -]{0,60}):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"^\s*-(?:[ \t]+(.*))?$")


def _front(lines: Sequence[str]) -> tuple[dict[str, str | list[str]], list[str]]:
    """The values of our properties, and the lines of all others."""
    given: dict[str, str | list[str]] = {}
    extra: list[str] = []
    name = ""
    for line in lines:
        found = _KEY.match(line)
        if found:
            name = found[1]
            if len(given) > _MOST_KEYS:
                raise BadValue("it has too many properties")
            if name in _OURS:
                if name in given:
                    raise BadValue(f"it has two properties {name!r}")
                given[name] = _value((found[2] or "").strip())
        elif name in _OURS and (item := _ITEM.match(line)):
            known = given[name]
            items = known if isinstance(known, list) else []
            given[name] = [*items, _scalar((item[1] or "").strip())]
        if name not in _OURS and line.strip():
            extra.append(line)
    return given, extra


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,]+', text[1:-1])
        return [value for part in parts if (value := _scalar(part.strip()))]
    return _scalar(text)


def _scalar(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r'\\(["\\/])', r"\1", text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    text = re.sub(r"\s#.*$", "", text)
    return "" if text in {"null", "~"} else text


def _listed(name: str, values: Sequence[str]) -> list[str]:
    return [f"{name}:", *(f"  - {_quoted(value)}" for value in values)] if values else []


def _quoted(text: str) -> str:
    line = plain(text, 500)
    if re.fullmatch(r"[A-Za-z][\w./-]*", line) and line not in {"true", "false", "null", "yes", "no", "on", "off"}:
        return line
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _link(links: dict[str, str], id: str) -> str:
    return f"[[{links[id]}]]" if id in links else id


def _shown(text: str) -> str:
    return escape(plain(text, 300))
