"""Resources: pages that a person picks in a client and gives to an agent. Reading one changes nothing. They belong to
the project that the server was started for; the tools' `workspace` reaches another project."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from attrs import frozen
from mcp_types import Resource, ResourceTemplate

from memlsp.faces.mcp.answers import conflict_text
from memlsp.faces.mcp.quotes import belief_text, beliefs, page, quoted
from memlsp.faces.mcp.workspace import CallTarget, Workspaces
from memlsp.faces.render.belief_json import stats_shape
from memlsp.faces.render.wording import age, count_of, plain
from memlsp.model.belief import Revision
from memlsp.model.errors import BadValue
from memlsp.model.one_line import tagless

SCHEME = "memory://"
TIMELINE, STATS = f"{SCHEME}timeline", f"{SCHEME}stats"
_BELIEF, _FILE = f"{SCHEME}belief/", f"{SCHEME}file/"

TEXT, JSON = "text/plain", "application/json"

MOST_TOKENS = 4_000
"""Tokens of an agent's context that a page may take."""

MOST_JUDGED = 5_000
"""The numbers include standings up to this many beliefs; judging a million would take minutes."""

_ENTRIES = 60
_REVISIONS = 30
_LONGEST_URI = 4_096

_TEXTS: dict[str, list[dict[str, str]]] = tomllib.loads(Path(__file__).with_name("resources.toml").read_text("utf-8"))
RESOURCES = tuple(Resource.model_validate(each) for each in _TEXTS["resources"])
TEMPLATES = tuple(ResourceTemplate.model_validate(each) for each in _TEXTS["templates"])


@frozen
class ResourceContent:
    """The content of a resource now."""

    uri: str
    text: str
    mime_type: str = TEXT


def read(workspaces: Workspaces, uri: str) -> ResourceContent:
    """Read a resource. Blocks. Raises MemlspError for an unknown address or belief, or a path outside the project."""
    page_of, mime_type = _reader(uri)
    return ResourceContent(uri, page_of(workspaces.target(None)), mime_type)


def _reader(uri: str) -> tuple[Callable[[CallTarget], str], str]:
    if len(uri) <= _LONGEST_URI:
        if uri == TIMELINE:
            return _timeline, TEXT
        if uri == STATS:
            return _stats, JSON
        for beginning, reader in ((_BELIEF, _belief), (_FILE, _file)):
            named = unquote(uri.removeprefix(beginning)).strip()
            if uri.startswith(beginning) and named and "\0" not in named:
                return lambda target, reader=reader, named=named: reader(target, named), TEXT
    known = ", ".join([TIMELINE, STATS, *(template.uri_template for template in TEMPLATES)])
    raise BadValue(f"no such resource: {plain(uri, 120)}", f"there are {known}")


def _belief(target: CallTarget, id: str) -> str:
    now = _now()
    judgement = target.memory.belief(id)
    belief = judgement.belief
    more = [
        f"Kind {belief.kind}, scope {tagless(str(belief.scope))}, confidence {belief.confidence:.2f}.",
        f"It rests on {', '.join(belief.because_of)}." if belief.because_of else "",
        f"It ends on {belief.expires_at:%Y-%m-%d}." if belief.expires_at else "",
        f"{belief.superseded_by} took its place." if belief.superseded_by else "",
    ]
    done = [_revision(each, now) for each in target.memory.revisions(belief.id)]
    left_out = len(done) - _REVISIONS
    done = [*([f"({left_out} earlier ones)"] if left_out > 0 else []), *done[-_REVISIONS:]]
    against = [conflict_text(each) for each in target.open_conflicts([judgement])]
    return page([belief_text(judgement, now), *filter(None, more), *against], ["What was done to it:", *quoted(done)])


def _revision(revision: Revision, now: datetime) -> str:
    who = plain(revision.author.name, 60)
    said = f"{revision.number}. {revision.action}, {who} by {plain(revision.source, 60)}, {age(revision.at, now)}"
    return f"{said}: {plain(revision.note, 200)}" if revision.note else said


def _file(target: CallTarget, written: str) -> str:
    now, memory = _now(), target.memory
    # relative to the root, not to the server's working directory
    path = memory.path_of(written, memory.workspace.root)
    known = memory.about(path)
    number = count_of(len(known), "belief") if known else "No belief"
    head = f"{number} about {tagless(path)}."
    threads = memory.threads.open(path)
    left = [f"{each.kind}: {each.text}" + (f" ({each.symbol})" if each.symbol else "") for each in threads[:20]]
    return page([head, *beliefs(known, now, MOST_TOKENS)], ["Left open there:", *quoted(left)] if left else [])


def _timeline(target: CallTarget) -> str:
    now = _now()
    found = target.memory.episodes.timeline(limit=_ENTRIES)
    if not found:
        return "Nothing happened yet."
    lines: list[str] = []
    for entry in found:
        said = " ".join(part for part in (entry.what, entry.detail) if part)
        who = f", {plain(entry.source, 60)}" if entry.source else ""
        lines.append(f"{age(entry.at, now)}: {said} {entry.id[:10]}{who}: {plain(entry.title, 140)}")
    return page(["Latest first:", *quoted(lines)])


def _stats(target: CallTarget) -> str:
    return json.dumps(stats_shape(target.memory.stats(most_judged=MOST_JUDGED)), ensure_ascii=False, indent=1)


def _now() -> datetime:
    return datetime.now(UTC)
