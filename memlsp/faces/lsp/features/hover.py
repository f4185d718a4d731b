"""Hover: the beliefs about a symbol, its open threads and episodes, then the commits that changed its meaning. It
answers at a symbol's definition (doc comment, decorators, the line of the name) and at uses of a name of this file.
Other words, and symbols of which nothing is known, give null."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from attrs import define, field, frozen
from lsprotocol import types

from memlsp.faces.lsp.features.history import SHOWN, SymbolHistories
from memlsp.faces.lsp.features.links import links_line
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.positions import DocumentText
from memlsp.faces.lsp.server.settings import EditorSettings
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render import wording
from memlsp.faces.render.threads import episodes_hover, threads_hover
from memlsp.model.check import DocumentLine
from memlsp.model.episode import Episode, SymbolHistory
from memlsp.model.standing import Judgement
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.model.thread import Thread

if TYPE_CHECKING:
    from memlsp.memory import Memory

MOST_CHARACTERS = 1200
MOST_BELIEFS = 3
_SAMPLED = 3_600.0  # seconds in which one receipt is written for a place
_MOST_PLACES = 1_000
_MOST_MENTIONS = 2

log = logging.getLogger(__name__)

_SELF = frozenset({"self", "cls", "this", "Self", "super"})
_CHAIN = re.compile(r"(?:[^\W\d]\w*(?:\.|::))+\Z")


@frozen
class HoverTarget:
    """The hovered symbol by its dotted name ("" for the file), and the beliefs there."""

    path: str
    symbol: str
    beliefs: tuple[Judgement, ...]
    range: types.Range | None


@frozen
class SymbolWork:
    """The work at a symbol: open threads, newest first; the number of episodes that changed it, and the last one."""

    threads: tuple[Thread, ...] = ()
    episodes: int = 0
    last: Episode | None = None
    mentions: tuple[DocumentLine, ...] = ()


_PATIENCE = 6
"""Factor for the wait for the history when there is no belief to show."""


@define(eq=False)
class Hover:
    """Answers textDocument/hover; a newer request for a document drops waiting older ones."""

    _documents: Documents
    _histories: SymbolHistories
    _settings: Callable[[], EditorSettings]
    _commands: Callable[[], frozenset[str]]
    _root_of: Callable[[EditorWorkspace], str]
    _latest: dict[str, int] = field(factory=dict[str, int], init=False)
    _asked: int = field(default=0, init=False)
    _recorded: dict[str, float] = field(factory=dict[str, float], init=False)

    async def at(self, uri: str, position: types.Position, kind: types.MarkupKind) -> types.Hover | None:
        """The hover at a position; None when nothing is known or a newer request came."""
        settings = self._settings()
        if not settings.hover_enabled:
            return None
        self._asked += 1
        ticket = self._latest[uri] = self._asked
        placed = await self._documents.locate(uri)
        if placed is None:
            return None
        document, where = placed
        text = document.text()

        def look() -> tuple[HoverTarget | None, SymbolWork]:
            if self._latest.get(uri) != ticket:
                return None, SymbolWork()
            target = find_target(where.workspace, where.path, text, position)
            return target, _work_at(where.workspace, target) if target and settings.hover_work else SymbolWork()

        target, work = await where.workspace.run(look)
        if target is None:
            return None
        history: SymbolHistory | None = SymbolHistory()
        if target.symbol and settings.hover_history:
            # with nothing else to show, waiting longer for the history pays
            wait = settings.history_wait / 1000 * (1 if target.beliefs or work.episodes else _PATIENCE)
            history = await self._histories.of(where.workspace, target.path, target.symbol, wait=wait)
        markdown = kind is types.MarkupKind.Markdown
        commands = self._commands() if markdown else frozenset[str]()
        root = self._root_of(where.workspace) if commands else ""
        content = render(target.beliefs, history, datetime.now(UTC), work, commands, root, markdown=markdown)
        if not content:
            return None
        self._record(where.workspace, target, content)
        return types.Hover(types.MarkupContent(kind, content), target.range)

    def _record(self, workspace: EditorWorkspace, target: HoverTarget, content: str) -> None:
        """Write a receipt in the background: at most one for a place in an hour, since a pointer passes often."""
        place, now = f"{target.path}#{target.symbol}".rstrip("#"), monotonic()
        if not target.beliefs or now - self._recorded.get(place, -_SAMPLED) < _SAMPLED:
            return
        if len(self._recorded) >= _MOST_PLACES:
            self._recorded.clear()
        self._recorded[place] = now
        ids = [judgement.belief.id for judgement in target.beliefs[:MOST_BELIEFS]]
        memory = workspace.memory
        workspace.note(lambda: memory.record_telling("hover", ids, content, asker="lsp", about=place))


def find_target(
    workspace: EditorWorkspace, path: str, text: DocumentText, position: types.Position
) -> HoverTarget | None:
    """The symbol or file at a position, with its beliefs. In the worker thread."""
    memory = workspace.memory
    number = position.line
    if not text.line(number).strip():
        return None
    here = memory.symbol_at(path, number + 1)
    if here is None:
        return None
    if here.name and number <= here.name_span.end_line and here.kind is not SymbolKind.REGION:
        range_ = text.span(here.name_span.start_line, *_columns(here)) if number == here.name_span.start_line else None
        return HoverTarget(path, here.name, memory.applying(path, number + 1), range_)
    found = text.word_at(position)
    name = _used_name(here, text.line(number), *found) if found else None
    spot = memory.symbol_named(path, name) if name else None
    if found and name and spot is not None and spot.name == name:
        return HoverTarget(path, name, memory.applying(path, spot.line + 1), text.range_of(number, found[1], found[2]))
    return _lens_target(memory, path, number)


def _lens_target(memory: Memory, path: str, number: int) -> HoverTarget | None:
    """The beliefs about the file, or about some lines, whose lens is on this line."""
    ids = {each for lens in memory.lenses(path) if lens.spot.line == number for each in lens.ids}
    beliefs = tuple(judgement for judgement in memory.applying(path, number + 1) if judgement.belief.id in ids)
    missing = ids - {judgement.belief.id for judgement in beliefs}
    beliefs += tuple(memory.belief(each) for each in sorted(missing))
    return HoverTarget(path, "", beliefs, None) if beliefs else None


def _work_at(workspace: EditorWorkspace, target: HoverTarget) -> SymbolWork:
    """The work at a target; empty when reading it fails, so that beliefs still show. In the worker thread."""
    memory, symbol = workspace.memory, target.symbol
    if not symbol:
        return SymbolWork()
    held = f"{symbol}."
    try:
        threads = tuple(each for each in memory.threads.open(target.path) if f"{each.symbol}.".startswith(held))
        number = memory.episodes.number_touching(target.path, symbol)
        last = memory.episodes.touching(target.path, symbol, limit=1) if number else ()
        return SymbolWork(threads, number, last[0] if last else None, memory.documents.at(target.path, symbol))
    except Exception:
        log.exception("the work at %s could not be read", target.path)
        return SymbolWork()


def _columns(symbol: Symbol) -> tuple[int, int]:
    span = symbol.name_span
    return span.start_column, span.start_column + span.end_byte - span.start_byte


def _used_name(here: Symbol, line: str, word: str, start: int, _end: int) -> str | None:
    """The dotted name that a word in a body refers to: `helper`, `Courier.deliver`, `self.deliver` in Courier. None for
    a method of an unknown object."""
    chain = _CHAIN.search(line[:start])
    if chain is None:
        return None if line[:start].rstrip().endswith((".", "->")) else word
    receiver = chain[0].replace("::", ".").rstrip(".")
    if receiver in _SELF:
        container = here.name if here.kind.is_container else here.container
        return f"{container}.{word}" if container else None
    return f"{receiver}.{word}"


def render(
    beliefs: Sequence[Judgement],
    history: SymbolHistory | None,
    now: datetime,
    work: SymbolWork | None = None,
    commands: frozenset[str] = frozenset(),
    root: str = "",
    *,
    markdown: bool,
) -> str:
    """Beliefs, work and history as one short text; "" when there is nothing. `history` is None while it is being read.
    `commands` are the editor's commands that links below a belief may run, `root` is the workspace's uri for them.
    Beliefs come first; the more beliefs and work, the fewer past changes."""
    shown = beliefs[:MOST_BELIEFS]
    statement = wording.STATEMENT_LIMIT if len(shown) == 1 else wording.STATEMENT_LIMIT // 2
    belief = wording.belief_markdown if markdown else wording.belief_text
    blocks = [belief(judgement, now, limit=statement) for judgement in shown]
    if len(beliefs) > len(shown):
        blocks.append(_rest(beliefs[len(shown) :], markdown=markdown))
    work = work or SymbolWork()
    said = [
        threads_hover(work.threads, now, markdown=markdown),
        episodes_hover(work.last, work.episodes, now, markdown=markdown),
    ]
    escape = wording.escape_markdown if markdown else wording.plain
    said += [f"{each.document}:{each.line} says: {escape(each.text)}" for each in work.mentions[:_MOST_MENTIONS]]
    lines = [line for line in said if line]
    if lines:
        blocks.append(("  \n" if markdown else "\n").join(lines))
    used = sum(len(block) + 2 for block in blocks)
    most = max(1, (SHOWN + 1 - len(shown) if shown else SHOWN) - len(lines))
    commits = _history(history, now, most, MOST_CHARACTERS - used, markdown=markdown)
    if commits:
        blocks.append(commits)
    for number, judgement in enumerate(shown):  # last, since the address of a link takes no room on the screen
        links = links_line(judgement, commands, root)
        if links:
            blocks[number] += f"  \n{links}"
    return "\n\n".join(blocks)


def _rest(beliefs: Sequence[Judgement], *, markdown: bool) -> str:
    fallen = sum(not judgement.standing.holds for judgement in beliefs)
    line = f"and {wording.count_of(len(beliefs), 'more belief')}"
    if fallen:
        line += f", {fallen} of them in doubt"
    return f"_{line}_" if markdown else line


def _history(history: SymbolHistory | None, now: datetime, most: int, room: int, *, markdown: bool) -> str:
    if history is None:
        return "_history: reading…_" if markdown else "history: reading…"
    write = wording.history_markdown if markdown else wording.history_text
    for full in (True, False):
        for count in range(min(most, len(history.changes)), 0, -1):
            lines = write(history, now, count, full=full)
            if len(lines) <= room:
                return lines
    return ""
