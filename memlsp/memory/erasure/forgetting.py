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
from memlsp.memory.erasure.side_files import FileSearch, erase_files, search_files
from memlsp.memory.judging.places import Places
from memlsp.memory.recall.vectors import Vectors
from memlsp.memory.transfer import copies_in_progress
from memlsp.memory.transfer.backups import store_copy
from memlsp.model.audit import ErasureReceipt, Preview, Selector, SelectorKind
from memlsp.model.belief import FOLDER, Author, Authority, AuthorKind, Belief
from memlsp.model.copy import CopyKind
from memlsp.model.errors import BadValue, MemlspError, NotFound, Refused
from memlsp.model.place import Place
from memlsp.store.erase.erasure import ErasureAuthor, dry_run
from memlsp.store.erase.erasure_selection import ErasureScope
from memlsp.store.erase.search_patterns import SHORTEST, SearchPatterns, plain
from memlsp.store.store import Store

_LOCK_WAIT = 10.0  # seconds to wait for a process that settles events
_EVERYTHING = frozenset({SelectorKind.WORKSPACE, SelectorKind.USER})
_PERSON_ONLY = _EVERYTHING | {SelectorKind.QUERY, SelectorKind.FILE, SelectorKind.PERSON}
_AGENT_AUTHORITIES = frozenset({Authority.AGENT, Authority.MINED, Authority.PROPOSED})


class Forgetting:
    """Erases beliefs and everything derived from them, with a receipt.

    A person may forget anything. An agent may forget what agents said, one belief or its own session, as long as no
    person confirmed it; other requests are refused with the reason.
    """

    def __init__(self, context: Context, places: Places, vectors: Vectors) -> None:
        self._context = context
        self._places = places
        self._vectors = vectors
        self._stores = context.stores

    def preview(self, selector: Selector, *, author: Author | None = None, session: str = "") -> Preview:
        """Show what `forget` would erase, without erasing. `author` (default: the person at this machine) and `session`
        are those of the later call.

        Raises NoSuchBelief, BadValue for a text that is too short to search for.
        """
        author = author or self._context.person()
        plan = self._plan(selector, author, session)
        removed = self._count_rows(plan)
        del removed["beliefs"]
        copies = [copy for store in self._stores for copy in store.copies.all() if copy.path.exists()]
        searched = tuple(str(copy.path) for copy in copies if copy.kind is not CopyKind.VAULT)
        others = tuple(sorted(removed.items()))
        return Preview(selector, plan.beliefs, others, plan.stays, searched, plan.refused)

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
        report: Callable[[str], None] = progress or (lambda _: None)
        author = author or self._context.person()
        with self._settling_locked() as locked:
            self._context.store.journal.drain(self._context.clock())
            plan, kind = self._plan(selector, author, session), SelectorKind(selector.kind)
            if plan.refused:
                raise Refused(plan.refused, "ask a person to run memlsp forget")
            report("taking out rows")
            by = ErasureAuthor(author, source, session, self._context.clock())
            removed, scope = self._erase(plan.scope, by, kind)
            # a copy begun before the deletion still contains the rows
            copies_in_progress.wait([store.path for store in self._stores], report)
            report("going through copies, caches and logs")
            scope = self._without_surviving(scope)
            removed += erase_copies(self._context, scope)
            clear_caches = bool(removed) and bool(scope.everything or scope.path)
            removed += erase_files(self._context, (scope.patterns, scope.name), clear_caches=clear_caches)
            if not removed:  # checked after the copies, so that an interrupted erasure can be completed
                raise NotFound("there is nothing of that kind to forget", "memlsp beliefs --all lists what is believed")
            if not locked:  # a settling process may have written back data that it read before
                more, scope = self._erase(scope, by, kind)
                removed += more
            report("writing the files anew")
            for store in self._stores:
                store.forgetting.compact()
            report("searching the files")
            searched = self._search(scope)
            searched = evolve(searched, left=(*searched.left, *self._shared_files(scope.ids)))
            return self._receipt(selector, author, removed, searched)

    def ids(self) -> frozenset[str]:
        """The ids that may not come back, of this workspace and of the user."""
        return frozenset(id for store in self._stores for id in store.forgetting.ids())

    def receipts(self, limit: int = 50) -> tuple[ErasureReceipt, ...]:
        """The receipts of past erasures, latest first."""
        found = [receipt for store in self._stores for receipt in store.forgetting.receipts(limit)]
        return tuple(sorted(found, key=lambda receipt: receipt.at, reverse=True)[:limit])

    def _plan(self, selector: Selector, author: Author, session: str) -> _ErasurePlan:
        kind, value = SelectorKind(selector.kind), " ".join(selector.value.split())
        if kind in _EVERYTHING:
            return self._plan_everything(kind, author)
        scope, stays = self._scope(kind, value)
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
        return _ErasurePlan(tuple(chosen), scope, stays, refused)

    def _scope(self, kind: SelectorKind, value: str) -> tuple[ErasureScope, tuple[tuple[str, str], ...]]:
        """The scope that a selector names, and related beliefs that stay. Raises NoSuchBelief, BadValue."""
        if not value:
            raise BadValue(f"nothing is named to forget by {kind}", "name an id, words, a session, a file or a person")
        if kind in {SelectorKind.QUERY, SelectorKind.PERSON} and len(plain(value).strip()) < SHORTEST:
            raise BadValue(f"{value!r} is too short to be looked for", f"at least {SHORTEST} letters or digits")
        if kind is SelectorKind.BELIEF:
            _, belief = self._context.find(value)
            ids, stays = self._chain_of(belief)
            return ErasureScope(ids, first=belief.id), stays
        if kind is SelectorKind.QUERY:
            return ErasureScope(query=SearchPatterns([value])), ()
        if kind is SelectorKind.SESSION:
            return ErasureScope(session=value), ()
        if kind is SelectorKind.FILE:
            return ErasureScope(path=self._path(value)), ()
        return ErasureScope(author=value, name=SearchPatterns([value], within=True)), ()

    def _plan_everything(self, kind: SelectorKind, author: Author) -> _ErasurePlan:
        """The plan for all of a workspace's memory, or all of the user's own."""
        mine, other = self._context.store.forgetting, self._context.user.forgetting
        if kind is SelectorKind.USER:
            mine, other = other, mine
        chosen = mine.chosen(ErasureScope(everything=True))
        ids = frozenset(belief.id for belief in chosen)
        patterns = SearchPatterns(mine.texts(ids), also_in=other.other_texts(()))
        scope = ErasureScope(ids, patterns, everything=kind is SelectorKind.WORKSPACE)
        return _ErasurePlan(tuple(chosen), scope, (), _refusal(kind, chosen, author))

    def _chain_of(self, belief: Belief) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
        """The ids of a belief and of predecessors and successors that contain its text; and the others of the chain
        with the reason why they stay."""
        words = SearchPatterns([belief.text])
        chosen, stays = {belief.id}, list[tuple[str, str]]()
        for store in self._stores:
            for other in store.forgetting.chain(belief.id):
                if words.in_text(other.text):
                    chosen.add(other.id)
                else:
                    when = "before" if other.superseded_by == belief.id else "after"
                    stays.append((other.id, f"it says something else; it was {when} this one"))
        return frozenset(chosen), tuple(stays)

    def _path(self, value: str) -> str:
        with suppress(MemlspError):
            return self._places.find(Place(Path(value).as_posix()), None)[0]
        return Path(value).as_posix()

    def _erase(self, scope: ErasureScope, by: ErasureAuthor, kind: SelectorKind) -> tuple[Counter[str], ErasureScope]:
        """Erase from the stores. Returns the counts, and the scope extended by matching beliefs that were added since
        the plan."""
        removed: Counter[str] = Counter()
        for store in self._affected_stores(scope):
            more, scope = store.forgetting.erase(scope, by, lambda late: not _refusal(kind, [late], by.author))
            removed += more
        self._vectors.forget(scope.ids)  # clears the caches; the rows are deleted already
        return removed, scope

    def _without_surviving(self, scope: ErasureScope) -> ErasureScope:
        """The erasure scope minus phrases that surviving records contain."""
        for store in self._stores:
            scope = store.forgetting.excluding_survivors(scope)
        return scope

    def _search(self, scope: ErasureScope) -> FileSearch:
        """Search all files; again when a record that shares words with the scope was added during the search."""
        while True:
            scope = self._without_surviving(scope)
            searched = search_files(self._context, (scope.patterns, scope.name))
            if not searched.left or self._without_surviving(scope).patterns is scope.patterns:
                return searched

    def _shared_files(self, ids: frozenset[str]) -> list[str]:
        """What is still in the files that the team shares, without a word of it: deleting those is a commit."""
        names = (each.name for each in (self._context.worktree.root / FOLDER).glob("*.md"))
        shared = sorted(ids & {name.partition("-")[0].removesuffix(".md") for name in names})
        cure = "delete it and commit; git keeps it until `git filter-repo --invert-paths --path-glob"
        return [f"{FOLDER}/{id}*.md: {cure} '{FOLDER}/{id}*'`" for id in shared]

    def _count_rows(self, plan: _ErasurePlan) -> Counter[str]:
        """Count the rows by erasing in temporary copies, because a trial in the store would lock out writers."""
        removed: Counter[str] = Counter()
        for store in self._affected_stores(plan.scope):
            with store_copy(store.path, self._context.data_dir) as copy:
                removed += dry_run(copy, plan.scope)
        return removed

    def _affected_stores(self, scope: ErasureScope) -> list[Store]:
        """The stores to erase from: forgetting a whole workspace does not touch the user's store."""
        return [store for store in self._stores if not (scope.everything and store is self._context.user)]

    def _receipt(
        self, selector: Selector, author: Author, removed: Counter[str], searched: FileSearch
    ) -> ErasureReceipt:
        rows = tuple(sorted(removed.items()))
        now, kind = self._context.clock(), selector.kind.value
        receipt = ErasureReceipt(0, now, author, kind, rows, searched.files, searched.left)
        store = self._context.user if selector.kind is SelectorKind.USER else self._context.store
        return store.forgetting.record(receipt)

    @contextmanager
    def _settling_locked(self) -> Generator[bool]:
        """Lock out event settling, waiting up to `_LOCK_WAIT` for a running one. Yields False when the lock was not
        acquired."""
        until = time.monotonic() + _LOCK_WAIT
        while True:
            with ExitStack() as stack:
                locked_now = stack.enter_context(self._context.store.journal.turn())
                if locked_now or time.monotonic() > until:
                    yield locked_now
                    return
            time.sleep(0.05)


@frozen
class _ErasurePlan:
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
    if kind in _PERSON_ONLY:
        return f"{author.name} is an agent, and only a person forgets by {kind.value}"
    for belief in beliefs:
        if belief.locked:
            return f"{belief.id} is locked by a person, and {author.name} is an agent"
        if belief.author.kind is not AuthorKind.AGENT or belief.authority not in _AGENT_AUTHORITIES:
            return f"a person stands behind {belief.id}, and {author.name} is an agent"
    return ""
