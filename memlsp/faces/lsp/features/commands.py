"""The commands `memlsp.server.*`: what a lens, an action or a user's key runs.

Each takes positional arguments, answers with a JSON object (`ok`, and `error` with `hint` when it is false), and says
plainly in the editor what went wrong. LSP has no input box, so a client that has one asks for the missing text itself
and sends it. Where two workspaces may know the same id, the root of the one that is meant comes last.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features.history import Past
from memlsp.faces.lsp.features.hover import find_target
from memlsp.faces.lsp.features.links import without_links
from memlsp.faces.lsp.requests.addresses import Addresses, Spot, conditions_of, names_folder, text_of
from memlsp.faces.lsp.server.refresh import Refreshing
from memlsp.faces.lsp.server.workspaces import Desk
from memlsp.faces.render import wording
from memlsp.faces.render.belief_json import Json, belief_shape, change_shape
from memlsp.faces.render.conflicts import conflict_shape
from memlsp.faces.render.thread_json import thread_shape
from memlsp.faces.render.threads import thread_line
from memlsp.model.audit import ErasureReceipt, Selector, SelectorKind
from memlsp.model.belief import BeliefKind, RevisionAction
from memlsp.model.episode import SymbolHistory
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.place import Place
from memlsp.model.review import Conflict, Settlement
from memlsp.model.standing import Judgement
from memlsp.model.thread import Thread

Arguments = Sequence[object]

PREFIX = "memlsp.server."
_MOST_SHOWN = 10
_HISTORY_WAIT = 2.0

log = logging.getLogger(__name__)


_ABOUT = {
    RevisionAction.CONFIRM.value: "[id, note?, root?]: still true, for the code as it is now.",
    RevisionAction.SUPERSEDE.value: "[id, text, root?]: another statement takes its place.",
    RevisionAction.RETIRE.value: "[id, note?, root?]: no longer true; of a proposal: not wanted.",
    RevisionAction.LOCK.value: "[id, note?, root?]: only persons may change it.",
    RevisionAction.UNLOCK.value: "[id, note?, root?]: everybody may again.",
    RevisionAction.REANCHOR.value: (
        "[id, place?, root?]: tie it to `PATH`, `PATH:LINE` or `PATH#NAME`, or the only candidate."
    ),
    RevisionAction.SCOPE.value: "[id, conditions, root?]: `KEY=VALUE`, more with commas, an empty text for everywhere.",
    RevisionAction.WORKED.value: "[id, note?, root?]: somebody followed it, and it held.",
    RevisionAction.FAILED.value: "[id, note?, root?]: somebody followed it, and it did not hold.",
    RevisionAction.ROLLBACK.value: "[id, number?, root?]: take back a revision, the last without a number.",
}
"""What the commands take that revise; the others say it themselves."""

_NOT_REVISING = {RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.ADMIT}


class Commands:
    """What each command does."""

    def __init__(
        self,
        server: LanguageServer,
        addresses: Addresses,
        past: Past,
        refreshing: Refreshing,
        source: Callable[[], str],
    ) -> None:
        self._server = server
        self._addresses = addresses
        self._past = past
        self._refreshing = refreshing
        self._source = source

    def table(self) -> dict[str, Callable[[Arguments], Awaitable[Json]]]:
        """Every command by its full name."""
        return {PREFIX + name: self._answering(name, work) for name, work in self._works().items()}

    def about(self) -> dict[str, str]:
        """Every command by its short name, with its arguments and what it does in a sentence."""
        return {name: _ABOUT.get(name) or inspect.getdoc(work) or "" for name, work in self._works().items()}

    def _works(self) -> dict[str, Callable[[Arguments], Awaitable[Json]]]:
        table: dict[str, Callable[[Arguments], Awaitable[Json]]] = {
            "remember": self.remember,
            "why": self.why,
            "show": self.show,
            "status": self.status,
            "recall": self.recall,
            "threads": self.threads,
            "closeThread": self.close_thread,
            "conflicts": self.conflicts,
            "settle": self.settle,
            "forget": self.forget,
        }
        for action in RevisionAction:
            if action not in _NOT_REVISING:
                table[action.value] = self._revision(action)
        return table

    def _answering(
        self, name: str, work: Callable[[Arguments], Awaitable[Json]]
    ) -> Callable[[Arguments], Awaitable[Json]]:
        async def answer(arguments: Arguments) -> Json:
            try:
                return {"ok": True, **await work(arguments)}
            except MemlspError as error:
                return self._refuse(str(error), error.hint)
            except Exception as error:
                log.exception("command %s failed", name)
                return self._refuse(f"memlsp could not {name}: {type(error).__name__}", "the log says more")

        return answer

    def _refuse(self, message: str, hint: str) -> Json:
        said = without_links(wording.plain(f"{message}. {hint}" if hint else message))
        self._server.window_show_message(types.ShowMessageParams(types.MessageType.Error, said))
        return {"ok": False, "error": message, "hint": hint}

    # --- writing ---------------------------------------------------------------------------------------------------

    async def remember(self, arguments: Arguments) -> Json:
        """[uri, line from 1 or symbol, text, kind?]: hold a statement true."""
        uri, where, text, kind = _take(arguments, 4)
        spot = await self._addresses.spot(uri, where)
        if text is None:
            at = f"{spot.place}"
            raise BadValue(
                "remember needs the statement", f'send it as third argument, or: memlsp remember "..." --at {at}'
            )
        chosen = _kind(kind)

        def write() -> Judgement:
            return spot.desk.memory.remember(
                text_of(text), at=(spot.place,), kind=chosen, source=self._source(), base=spot.desk.root
            )

        return await self._written(spot.desk, write)

    def _revision(self, action: RevisionAction) -> Callable[[Arguments], Awaitable[Json]]:
        async def revise(arguments: Arguments) -> Json:
            """[id] and for supersede the new text, for reanchor the place, for scope KEY=VALUE (more with commas, an
            empty text for everywhere), for rollback the number of a revision; then the workspace's root."""
            known, extra, root = _take(arguments, 3)
            belief = text_of(known, "the belief's id")
            text = at = conditions = None
            note = ""
            if action is RevisionAction.SUPERSEDE:
                if extra is None:
                    hint = f'send it as second argument, or: memlsp revise {belief} supersede --text "..."'
                    raise BadValue("supersede needs the statement that replaces the old one", hint)
                text = text_of(extra)
            elif action is RevisionAction.REANCHOR and extra is not None:
                at = Place.parse(text_of(extra, "a place"))
            elif action is RevisionAction.SCOPE:
                everywhere = isinstance(extra, str) and not extra.strip()
                conditions = [] if everywhere else conditions_of(text_of(extra, "a condition such as env=staging"))
            elif extra is not None:
                note = str(extra)
            desk = await self._desk_of(belief, root)

            def write() -> Judgement:
                return desk.memory.revise(
                    belief,
                    action,
                    text=text,
                    at=at,
                    note=note,
                    conditions=conditions,
                    source=self._source(),
                    base=desk.root,
                )

            return await self._written(desk, write)

        return revise

    async def _desk_of(self, belief: str, root: object) -> Desk:
        """The workspace with that root, else the first that knows the belief: what was imported or restored may have
        its id in another one, too."""
        return await (self._addresses.desk_of_belief(belief) if root is None else self._addresses.desk_in(root))

    async def _written(self, desk: Desk, write: Callable[[], Judgement]) -> Json:
        judgement = await desk.run(write)
        self._refreshing.now()
        return {"id": judgement.belief.id, "belief": belief_shape(judgement)}

    async def forget(self, arguments: Arguments) -> Json:
        """[id, root?]: take a belief away for good, with all that was derived from it. Nothing brings it back."""
        known, root = _take(arguments, 2)
        belief = text_of(known, "the belief's id")
        desk = await self._desk_of(belief, root)

        def forget() -> ErasureReceipt:
            return desk.memory.forgetting.forget(Selector(SelectorKind.BELIEF, belief), source=self._source())

        receipt = await desk.answer(forget)
        self._refreshing.now()
        return {
            "id": belief,
            "removed": dict(receipt.removed),
            "searched": receipt.searched,
            "left": list(receipt.left),
        }

    # --- reading ---------------------------------------------------------------------------------------------------

    async def show(self, arguments: Arguments) -> Json:
        """[uri, line from 1 or symbol]: what is remembered there, as a message, so that a lens does something in every
        editor."""
        answer = await self.why(arguments)
        said = without_links(str(answer["text"]))
        self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))
        return answer

    async def why(self, arguments: Arguments) -> Json:
        """[uri, line from 1 or symbol]: beliefs and history as data, and as text."""
        uri, where = _take(arguments, 2)
        spot = await self._addresses.spot(uri, where)
        beliefs, symbol = await spot.desk.run(lambda: _beliefs_at(spot))
        open_ = await spot.desk.run(lambda: _threads_at(spot, symbol))
        history: SymbolHistory | None = SymbolHistory()
        if symbol:
            history = await self._past.of(spot.desk, spot.path, symbol, wait=_HISTORY_WAIT)
        now = datetime.now(UTC)
        blocks = [wording.belief_text(judgement, now) for judgement in beliefs[:_MOST_SHOWN]]
        blocks += [thread_line(thread, now) for thread in open_[:_MOST_SHOWN]]
        if history and history.changes:
            blocks.append(wording.history_text(history, now))
        return {
            "place": str(Place(spot.path, symbol=symbol) if symbol else spot.place),
            "beliefs": [belief_shape(judgement) for judgement in beliefs],
            "history": [change_shape(change) for change in (history.changes if history else ())],
            "threads": [thread_shape(thread) for thread in open_],
            "text": "\n\n".join(blocks) or f"Nothing is remembered about {spot.place}.",
        }

    async def recall(self, arguments: Arguments) -> Json:
        """[query, uri?, line from 1 or symbol?, true while it is being typed?]: what answers a question, best first.
        The uri of a folder only says which workspace is asked. Of a question that is being typed no receipt is left:
        nobody has asked it yet."""
        query, uri, where, typing = _take(arguments, 4)
        question = text_of(query, "a question")
        folder = names_folder(uri)
        spot = await self._addresses.spot(uri, where) if uri is not None and not folder else None
        desk = spot.desk if spot else await self._addresses.desk(str(uri) if folder else None)
        answer = await desk.answer(  # the first one may load a model, and another comes with each pause in typing
            lambda: desk.memory.recall(
                question,
                at=spot.place if spot else None,
                base=desk.root,
                asker=self._source(),
                receipt=typing is not True,
            )
        )
        return {
            "hits": [
                {**belief_shape(hit.judgement), "score": round(hit.score, 4), "why": list(hit.why)}
                for hit in answer.hits
            ],
            "tokens": answer.tokens,
            "left_out": [{"id": each.id, "reason": each.reason} for each in answer.left_out],
        }

    async def threads(self, arguments: Arguments) -> Json:
        """[uri?]: what is left open in a file, or in its whole workspace without one; newest first."""
        (uri,) = _take(arguments, 1)
        spot = await self._addresses.spot(uri, None) if uri is not None else None
        desk = spot.desk if spot else await self._addresses.any_desk()
        found = await desk.run(lambda: desk.memory.threads.open(spot.path if spot else None))
        return {"threads": [thread_shape(thread) for thread in found]}

    async def close_thread(self, arguments: Arguments) -> Json:
        """[id, why?]: close work left open by hand."""
        known, why = _take(arguments, 2)
        thread = text_of(known, "the thread's id")
        reason = "" if why is None else text_of(why)
        desk = await self._addresses.desk_where(lambda memory: memory.threads.get(thread), f"no thread {thread!r}")
        closed = await desk.run(lambda: desk.memory.threads.close(thread, reason))
        self._refreshing.now()
        return {"id": closed.id, "thread": thread_shape(closed)}

    async def conflicts(self, arguments: Arguments) -> Json:
        """[uri?]: the open contradictions, of a workspace."""
        (uri,) = _take(arguments, 1)
        desk = (await self._addresses.spot(uri, None)).desk if uri is not None else await self._addresses.any_desk()
        found = await desk.run(desk.memory.conflicts.open)
        return {"conflicts": [conflict_shape(conflict) for conflict in found]}

    async def settle(self, arguments: Arguments) -> Json:
        """[conflict, `superseded`, `retired` or `kept`, id of the side that stays], or [conflict, `scoped`, id of a
        side, KEY=VALUE that it applies under, more of these with commas]; fifth the workspace's root, if need be."""
        known, decided, side, under, root = _take(arguments, 5)
        conflict, settlement = text_of(known, "a conflict's id"), text_of(decided, "what is decided")
        keep = None if side is None else text_of(side, "the id of a side")
        conditions: dict[str, list[tuple[str, str]]] = {}
        if settlement == Settlement.SCOPED.value and keep is not None:
            if under is None:
                hint = f"send KEY=VALUE as fourth argument, or: memlsp conflicts {conflict} --scope {keep}:env=staging"
                raise BadValue("which condition does it apply under?", hint)
            conditions[keep] = conditions_of(text_of(under, "a condition"))
        if root is not None:
            desk = await self._addresses.desk_in(root)
        else:
            desk = await self._addresses.desk_where(
                lambda memory: memory.conflicts.get(conflict), f"no conflict {conflict!r}"
            )

        def write() -> Conflict:
            return desk.memory.conflicts.settle(
                conflict, settlement, keep=keep, conditions=conditions, source=self._source()
            )

        settled = await desk.run(write)
        self._refreshing.now()
        return {"id": settled.id, "conflict": conflict_shape(settled)}

    async def status(self, arguments: Arguments) -> Json:
        """[uri?]: the workspace's memory in numbers."""
        (uri,) = _take(arguments, 1)
        desk = (await self._addresses.spot(uri, None)).desk if uri is not None else await self._addresses.any_desk()
        status = await desk.run(desk.memory.status)
        return {
            "version": status.version,
            "workspace": status.workspace.name,
            "root": str(status.workspace.root),
            "branch": status.branch,
            "counts": dict(status.counts),
            "standings": {standing.value: count for standing, count in status.standings},
            "notices": list(status.notices),
        }


def _beliefs_at(spot: Spot) -> tuple[tuple[Judgement, ...], str]:
    """The beliefs at a spot and the symbol there. In the worker thread."""
    memory = spot.desk.memory
    if spot.symbol is None and spot.line is not None:
        if spot.document is not None:
            position = types.Position(spot.line - 1, 0)
            target = find_target(spot.desk, spot.path, spot.document.text(), position)
            if target is not None:
                return target.beliefs, target.symbol
        symbol = memory.symbol_at(spot.path, spot.line)
        return memory.applying(spot.path, spot.line), symbol.name if symbol else ""
    why = memory.why(spot.place, base=spot.desk.root, history_limit=1, history_deadline=0.01)
    return why.beliefs, why.symbol.name if why.symbol else ""


def _threads_at(spot: Spot, symbol: str) -> list[Thread]:
    """What is left open at a spot. In the worker thread."""
    open_ = spot.desk.memory.threads.open(spot.path)
    if symbol:
        return [each for each in open_ if f"{each.symbol}.".startswith(f"{symbol}.")]
    return [each for each in open_ if spot.line is None or not each.symbol]


def _take(arguments: Arguments, most: int) -> list[object]:
    if len(arguments) > most:
        raise BadValue(f"{len(arguments)} arguments, at most {most} are understood")
    return [*arguments, *[None] * (most - len(arguments))]


def _kind(value: object) -> BeliefKind | None:
    if value is None:
        return None
    try:
        return BeliefKind(str(value))
    except ValueError:
        raise BadValue(f"not a kind: {value!r:.60}", f"one of {', '.join(BeliefKind)}") from None
