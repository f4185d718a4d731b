"""Hover: what is known of a symbol, worded by `render.surfaces`. It answers at a symbol's definition (doc comment,
decorators, the line of the name) and at uses of a name of this file. Other words, and symbols of which nothing is
known, give null."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen
from lsprotocol import types

from memlsp.faces.lsp.features.diagnostics import CONFLICT, Diagnostics
from memlsp.faces.lsp.features.document_view import DocumentView, DocumentViews
from memlsp.faces.lsp.features.history import SymbolHistories
from memlsp.faces.lsp.features.links import links_line, peek_address
from memlsp.faces.lsp.server.documents import Documents
from memlsp.faces.lsp.server.positions import DocumentText
from memlsp.faces.lsp.server.settings import EditorSettings, object_of
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.faces.render.surfaces import MOST_BELIEFS, HoverFacts, hover_text
from memlsp.model.standing import Judgement
from memlsp.model.symbol import Symbol, SymbolKind

if TYPE_CHECKING:
    from memlsp.memory import Memory
    from memlsp.model.belief import Belief

_SAMPLED = 3_600.0  # seconds in which one receipt is written for a place
_MOST_PLACES = 1_000

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


@define(eq=False)
class Hover:
    """Answers textDocument/hover; a newer request for a document drops waiting older ones."""

    _documents: Documents
    _views: DocumentViews
    _diagnostics: Diagnostics
    _histories: SymbolHistories
    _settings: Callable[[], EditorSettings]
    _commands: Callable[[], frozenset[str]]
    _root_of: Callable[[EditorWorkspace], str]
    _latest: dict[str, int] = field(factory=dict[str, int], init=False)
    _asked: int = field(default=0, init=False)
    _recorded: dict[str, float] = field(factory=dict[str, float], init=False)

    async def at(self, uri: str, position: types.Position, kind: types.MarkupKind) -> types.Hover | None:
        """The hover at a position; None when nothing is known or a newer request came. What is not known in
        `history_wait` is left out: some editors show no server's answer before they have all."""
        settings, begun = self._settings(), monotonic()
        if not settings.hover_enabled:
            return None
        self._asked += 1
        ticket = self._latest[uri] = self._asked
        placed = await self._documents.locate(uri)
        if placed is None:
            return None
        document, where = placed
        text = document.text()

        def look() -> HoverTarget | None:
            return find_target(where.workspace, where.path, text, position) if self._latest.get(uri) == ticket else None

        target = await where.workspace.run(look)
        if target is None:
            return None
        reading = None
        if target.symbol and settings.hover_history:
            wait = max(settings.history_wait / 1000 - (monotonic() - begun), 0)
            reading = self._histories.of(where.workspace, target.path, target.symbol, wait=wait)
        history = await reading if reading else None
        facts = HoverFacts(target.symbol, target.beliefs)
        if view := await self._views.of(uri) if target.beliefs else None:
            facts = self._with_view(facts, view, position.line)
        markdown = kind is types.MarkupKind.Markdown
        commands = self._commands() if markdown else frozenset[str]()
        root = self._root_of(where.workspace) if commands else ""
        facts = await where.workspace.run(
            lambda: _with_work(where.workspace, target, facts) if settings.hover_work else facts
        )
        actions = {
            each.belief.id: links_line(each, commands, root, clashing=each.belief.id in facts.rivals)
            for each in target.beliefs[:MOST_BELIEFS]
        }
        facts = evolve(facts, actions=actions, peek=peek_address(uri, position.line + 1, commands))
        content = hover_text(facts, history, datetime.now(UTC), markdown=markdown)
        where.workspace.answered.set()
        if not content:
            return None
        self._record(where.workspace, target, content)
        return types.Hover(types.MarkupContent(kind, content), target.range)

    def _with_view(self, facts: HoverFacts, view: DocumentView, line: int) -> HoverFacts:
        """With what the document shows already: a diagnostic on the hovered line is not said again."""
        told = [each for each in self._diagnostics.items(view) if each.range.start.line == line]
        rivals: dict[str, list[Belief]] = {}
        for clash in view.conflicts:
            rivals.setdefault(clash.here.id, []).append(clash.other)
        ids = {str(object_of(each.data).get("id")) for each in told}
        if any(each.code == CONFLICT for each in told):
            ids |= {each.here.id for each in view.conflicts if each.line == line}
        return evolve(
            facts,
            briefs={
                judgement.belief.id: brief
                for lens in view.lenses
                for judgement, brief in zip(lens.judgements, lens.briefs, strict=True)
            },
            told=frozenset(ids),
            rivals=rivals,
        )

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
    beliefs = tuple(each for lens in memory.lenses(path) if lens.spot.line == number for each in lens.judgements)
    return HoverTarget(path, "", beliefs, None) if beliefs else None


def _with_work(workspace: EditorWorkspace, target: HoverTarget, facts: HoverFacts) -> HoverFacts:
    """With the work at a target; without where reading it fails, so that beliefs still show. In the worker thread."""
    memory, symbol = workspace.memory, target.symbol
    if not symbol:
        return facts
    held = f"{symbol}."
    try:
        facts = evolve(facts, page=memory.commit_page)
        threads = tuple(each for each in memory.threads.open(target.path) if f"{each.symbol}.".startswith(held))
        number = memory.episodes.number_touching(target.path, symbol)
        last = memory.episodes.touching(target.path, symbol, limit=1) if number else ()
        mentions = memory.documents.at(target.path, symbol) if memory.documents.is_read else ()
        return evolve(facts, threads=threads, episodes=number, last=last[0] if last else None, mentions=mentions)
    except Exception:
        log.exception("the work at %s could not be read", target.path)
        return facts


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
