"""Forget beliefs with everything derived from them, and prove that nothing is left.

The steps: drain the spool; delete the rows in one transaction for each store, and the words in all other rows; erase
copies, caches and logs; compact the database files and empty their logs; search all files for the words; record a
receipt that does not contain them. Event settling is locked out meanwhile, so no process can write back data that it
read before.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from attrs import evolve, frozen

from memlsp.memory.context import Context
from memlsp.memory.erasure.exported_copies import erase_copies
from memlsp.memory.erasure.side_files import Searched, erase_files, search_files
from memlsp.memory.judging.places import Places
from memlsp.memory.recall.vectors import Vectors
from memlsp.memory.transfer import copies_in_progress
from memlsp.memory.transfer.backups import store_copy
from memlsp.model.audit import ErasureReceipt, Preview, Selector, SelectorKind
from memlsp.model.belief import Author, Authority, AuthorKind, Belief
from memlsp.model.errors import BadValue, MemlspError, NoSuchBelief, NotFound, Refused
from memlsp.model.place import Place
from memlsp.store import Store
from memlsp.store.core import spool
from memlsp.store.erase.erasure import ErasureAuthor, dry_run
from memlsp.store.erase.erasure_selection import ErasureScope
from memlsp.store.erase.search_patterns import SHORTEST, SearchPatterns, plain

_TURN = 10.0  # seconds to wait for whoever settles events
_WHOLE = frozenset({SelectorKind.WORKSPACE, SelectorKind.USER})
_ONLY_A_PERSON = _WHOLE | {SelectorKind.QUERY, SelectorKind.FILE, SelectorKind.PERSON}
_OF_AN_AGENT = frozenset({Authority.AGENT, Authority.MINED, Authority.PROPOSED})


class Forgetting:
    """Erases beliefs and everything derived from them, with a receipt.

    A person may forget anything. An agent may forget what agents said, one belief or its own session, as long as no
    person confirmed it; other requests are refused with the reason.
    """

    def __init__(self, context: Context, places: Places, vectors: Vectors) -> None:
        self._context = context
        self._places = places
        self._vectors = vectors
        self._stores = (context.store, context.user)

    def preview(self, selector: Selector, *, author: Author | None = None, session: str = "") -> Preview:
        """Show what `forget` would erase, without erasing. `author` (default: the person at this machine) and `session`
        are those of the later call.

        Raises NoSuchBelief, BadValue for a text that is too short to search for.
        """
        author = author or self._context.person()
        plan = self._plan(selector, author, session)
        removed = self._tried(plan)
        del removed["beliefs"]
        copies = [copy.path for store in self._stores for copy in store.copies.all() if copy.path.exists()]
        return Preview(
            selector,
            plan.beliefs,
            others=tuple(sorted(removed.items())),
            stays=plan.stays,
            copies=tuple(str(path) for path in copies),
            refused=plan.refused,
        )

    def forget(
        self,
        selector: Selector,
        *,
        author: Author | None = None,
        source: str = "python",
        session: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> ErasureReceipt:
        """Erase the selection and everything derived from it, and return the stored receipt, which contains none of it.

        `progress` is called with each step. Raises NoSuchBelief, NotFound when the selection is empty, Refused when
        only a person may forget it, BadValue as `preview` does.
        """
        tell = progress or _silent
        author = author or self._context.person()
        with self._turn() as alone:
            self._drain()
            plan, kind = self._plan(selector, author, session), SelectorKind(selector.kind)
            if plan.refused:
                raise Refused(plan.refused, "ask a person to run memlsp forget")
            tell("taking out rows")
            by = ErasureAuthor(author, source, session, self._context.clock())
            removed, scope = self._erased(plan.scope, by, kind)
            # whoever read the store before the rows went writes them where nobody would look for them
            copies_in_progress.wait([store.path for store in self._stores], tell)
            tell("going through copies, caches and logs")
            scope = self._spared(scope)
            removed += erase_copies(self._context, scope)
            afresh = bool(removed) and bool(scope.everything or scope.path)
            removed += erase_files(self._context, (scope.patterns, scope.name), afresh=afresh)
            if not removed:  # after the copies, so that one can end what was interrupted when its rows were gone
                raise NotFound("there is nothing of that kind to forget", "memlsp beliefs --all lists what is believed")
            if not alone:  # somebody settled events all the while, and may have written what he read before
                more, scope = self._erased(scope, by, kind)
                removed += more
            tell("writing the files anew")
            for store in self._stores:
                store.forgetting.compact()
            tell("searching the files")
            searched = self._searched(scope)
            return self._receipt(selector, author, removed, searched)

    def ids(self) -> frozenset[str]:
        """The ids that may not come back, of this workspace and of the user."""
        return frozenset(id for store in self._stores for id in store.forgetting.ids())

    def receipts(self, limit: int = 50) -> tuple[ErasureReceipt, ...]:
        """The receipts of past erasures, latest first."""
        found = [receipt for store in self._stores for receipt in store.forgetting.receipts(limit)]
        return tuple(sorted(found, key=lambda receipt: receipt.at, reverse=True)[:limit])

    # -- inside -------------------------------------------------------------------------------------------------------

    def _plan(self, selector: Selector, author: Author, session: str) -> _Plan:
        kind, value = SelectorKind(selector.kind), " ".join(selector.value.split())
        if kind in _WHOLE:
            return self._whole(kind, author)
        if not value:
            raise BadValue(f"nothing is named to forget by {kind}", "name an id, words, a session, a file or a person")
        if kind in {SelectorKind.QUERY, SelectorKind.PERSON} and len(plain(value).strip()) < SHORTEST:
            raise BadValue(f"{value!r} is too short to be looked for", f"at least {SHORTEST} letters or digits")
        if kind is SelectorKind.FILE:
            value = self._path(value)
        stays: tuple[tuple[str, str], ...] = ()
        scope = ErasureScope()
        if kind is SelectorKind.BELIEF:
            belief = self._belief(value)
            ids, stays = self._one(belief)
            scope = ErasureScope(ids, first=belief.id)
        elif kind is SelectorKind.QUERY:
            scope = ErasureScope(query=SearchPatterns([value]))
        elif kind is SelectorKind.SESSION:
            scope = ErasureScope(session=value)
        elif kind is SelectorKind.FILE:
            scope = ErasureScope(path=value)
        elif kind is SelectorKind.PERSON:
            scope = ErasureScope(author=value, name=SearchPatterns([value], within=True))
        chosen = [belief for store in self._stores for belief in store.forgetting.chosen(scope)]
        ids = frozenset(belief.id for belief in chosen)
        texts = [text for store in self._stores for text in store.forgetting.texts(ids)]
        also_in = [text for store in self._stores for text in store.forgetting.other_texts(ids)]
        texts += scope.query.texts
        if scope.session:
            mine, others = self._context.store.forgetting.events_of(value)
            texts += mine
            also_in += others
        same = (id for store in self._stores for id in store.forgetting.with_same_text(ids))
        stays += tuple((id, "it says the same, and was said by itself") for id in same if id not in ids)
        scope = evolve(scope, ids=ids, patterns=SearchPatterns(texts, also_in=also_in))
        refused = _refusal(kind, chosen, author)
        if scope.session and author.kind is not AuthorKind.PERSON and value != session:
            refused = f"{author.name} is an agent, and a session that is not its own is a person's to forget"
        return _Plan(tuple(chosen), scope, stays, refused)

    def _whole(self, kind: SelectorKind, author: Author) -> _Plan:
        """The plan for all of a workspace's memory, or all of the user's own."""
        mine, other = self._context.store.forgetting, self._context.user.forgetting
        if kind is SelectorKind.USER:
            mine, other = other, mine
        chosen = mine.chosen(ErasureScope(everything=True))
        ids = frozenset(belief.id for belief in chosen)
        patterns = SearchPatterns(mine.texts(ids), also_in=other.other_texts(()))
        scope = ErasureScope(ids, patterns, everything=kind is SelectorKind.WORKSPACE)
        return _Plan(tuple(chosen), scope, (), _refusal(kind, chosen, author))

    def _one(self, belief: Belief) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
        """The ids of a belief and of predecessors and successors that contain its text; and the others of the chain
        with the reason why they stay."""
        words = SearchPatterns([belief.text])
        chosen, stays = {belief.id}, list[tuple[str, str]]()
        for store in self._stores:
            for other in store.forgetting.chain(belief.id):
                if words.in_text(other.text):
                    chosen.add(other.id)
                else:
                    after = other.superseded_by == belief.id
                    stays.append(
                        (other.id, f"it says something else; it was {'before' if after else 'after'} this one")
                    )
        return frozenset(chosen), tuple(stays)

    def _belief(self, id: str) -> Belief:
        """Look up a belief by id or unique prefix, without judging it. Raises NoSuchBelief."""
        missing: NoSuchBelief | None = None
        for store in self._stores:
            try:
                found = store.belief(store.resolve(id))
            except NoSuchBelief as error:
                missing = missing or error
                continue
            if found is not None:
                return found
        raise missing or NoSuchBelief(f"no belief {id!r}", "memlsp beliefs lists them")

    def _path(self, value: str) -> str:
        with suppress(MemlspError):
            return self._places.find(Place(Path(value).as_posix()), None)[0]
        return Path(value).as_posix()

    def _erased(self, scope: ErasureScope, by: ErasureAuthor, kind: SelectorKind) -> tuple[Counter[str], ErasureScope]:
        """Erase from the stores. Returns the counts, and the scope extended by matching beliefs that were added since
        the plan."""
        removed: Counter[str] = Counter()
        for store in self._touched(scope):
            more, scope = store.forgetting.erase(scope, by, lambda late: not _refusal(kind, [late], by.author))
            removed += more
        self._vectors.forget(scope.ids)  # the rows went; what a cache holds goes here
        return removed, scope

    def _spared(self, scope: ErasureScope) -> ErasureScope:
        """The erasure scope minus phrases that surviving records contain."""
        for store in self._stores:
            scope = store.forgetting.excluding_survivors(scope)
        return scope

    def _searched(self, scope: ErasureScope) -> Searched:
        """Search all files; again when a record that shares words with the scope was added during the search."""
        while True:
            scope = self._spared(scope)
            searched = search_files(self._context, (scope.patterns, scope.name))
            if not searched.left or self._spared(scope).patterns is scope.patterns:
                return searched

    def _tried(self, plan: _Plan) -> Counter[str]:
        """Count the rows by erasing in temporary copies, because a trial in the store would lock out writers."""
        removed: Counter[str] = Counter()
        for store in self._touched(plan.scope):
            with store_copy(store.path, self._context.data_dir) as copy:
                removed += dry_run(copy, plan.scope)
        return removed

    def _touched(self, scope: ErasureScope) -> list[Store]:
        """The stores to erase from: forgetting a whole workspace does not touch the user's store."""
        return [store for store in self._stores if not (scope.everything and store is self._context.user)]

    def _receipt(self, selector: Selector, author: Author, removed: Counter[str], searched: Searched) -> ErasureReceipt:
        receipt = ErasureReceipt(
            0,
            self._context.clock(),
            author,
            selector.kind.value,
            tuple(sorted(removed.items())),
            searched.files,
            searched.left,
        )
        store = self._context.user if selector.kind is SelectorKind.USER else self._context.store
        return store.forgetting.record(receipt)

    def _drain(self) -> None:
        journal = self._context.store.journal
        now = round(self._context.clock().timestamp() * 1000)
        spool.drain(str(self._context.store.path), lambda records: journal.append(records, drained=True), now)

    @contextmanager
    def _turn(self) -> Generator[bool]:
        """Lock out event settling, waiting up to `_TURN` for a running one. Yields False when the lock was not
        acquired."""
        until = time.monotonic() + _TURN
        while True:
            with ExitStack() as stack:
                mine = stack.enter_context(self._context.store.journal.turn())
                if mine or time.monotonic() > until:
                    yield mine
                    return
            time.sleep(0.05)


@frozen
class _Plan:
    """The beliefs and scope to erase, related beliefs that stay (id and reason), and why the author may not do it (""
    when allowed)."""

    beliefs: tuple[Belief, ...]
    scope: ErasureScope
    stays: tuple[tuple[str, str], ...]
    refused: str


def _refusal(kind: SelectorKind, beliefs: Sequence[Belief], author: Author) -> str:
    """Why this author may not forget these beliefs; "" when allowed."""
    if author.kind is AuthorKind.PERSON:
        return ""
    if kind in _ONLY_A_PERSON:
        return f"{author.name} is an agent, and only a person forgets by {kind.value}"
    for belief in beliefs:
        if belief.locked:
            return f"{belief.id} is locked by a person, and {author.name} is an agent"
        if belief.author.kind is not AuthorKind.AGENT or belief.authority not in _OF_AN_AGENT:
            return f"a person stands behind {belief.id}, and {author.name} is an agent"
    return ""


def _silent(_: str) -> None:
    return None
