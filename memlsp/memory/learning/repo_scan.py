"""Mine the documents, comments and commit messages of a repository for statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from math import inf
from time import monotonic

from attrs import evolve, frozen

from memlsp.beliefs.lifecycle.anchors import anchor_to
from memlsp.beliefs.mining import comments
from memlsp.beliefs.mining.comments import from_comments
from memlsp.beliefs.mining.documents import DocumentSort, from_document, sort_of
from memlsp.beliefs.mining.findings import MinedStatement, printable, proposal_id
from memlsp.beliefs.mining.messages import from_message
from memlsp.capture.git.messages import CommitMessage, messages
from memlsp.capture.git.repository import is_binary
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Anchor, Evidence, EvidenceKind
from memlsp.model.caller import Cancel, Progress
from memlsp.model.errors import MemlspError
from memlsp.model.symbol import SymbolKind

MOST_COMMITS = 1_000
"""Commits whose messages are read, the newest."""

MOST = {"instructions": 200, "decision": 60, "contributing": 40, "readme": 4, "comment": 40, "commit": 20}
"""Maximum proposals of each sort from one repository, best first."""

SECONDS = 20.0
"""Time limit for reading the symbols that comments belong to."""

_LARGEST = 400_000  # bytes of a file that is read
_MOST_FILES = 20_000
_GAP = 1  # lines between a comment and the definition that it stands above


@frozen
class ScannedStatement:
    """A mined statement with its evidence; `sort` is a key of `MOST`. `anchors` are set where the code that it is about
    is certain."""

    sort: str
    found: MinedStatement
    evidence: Evidence
    anchors: tuple[Anchor, ...] = ()


class RepoScan:
    """Scans one worktree. `cancelled` is checked before each file, `progress(done, total)` is called after it."""

    def __init__(
        self, worktree: Worktree, now: datetime, *, progress: Progress | None = None, cancelled: Cancel | None = None
    ) -> None:
        self._worktree = worktree
        self._now = now
        self._progress = progress
        self._cancelled = cancelled or (lambda: False)
        self._deadline = inf

    def all(self, known: Callable[[str], bool]) -> list[ScannedStatement]:
        """The statements worth proposing: at most `MOST` of each sort whose ids are not `known`, best first. Each other
        document that says the same follows as a statement of its own."""
        paths = [path for path in self._worktree.paths() if sort_of(path) or comments.reads(path)][:_MOST_FILES]
        by_sort: dict[str, list[ScannedStatement]] = {}
        for done, path in enumerate(paths):
            if self._cancelled():
                break
            for each in self.of_file(path):
                by_sort.setdefault(each.sort, []).append(each)
            if self._progress is not None:
                self._progress(done + 1, len(paths))
        by_sort["commit"] = list(self._of_commits())
        self._deadline = monotonic() + SECONDS
        chosen: list[ScannedStatement] = []
        seen: set[str] = set()
        for sort, most in MOST.items():
            statements = sorted(by_sort.get(sort, ()), key=lambda each: -each.found.worth)
            chosen += self._choose(statements, seen, known, most)
        return chosen

    def of_file(self, path: str) -> Iterator[ScannedStatement]:
        """The statements of a document, or of the comments of a source file; none for an unreadable file."""
        sort = sort_of(path)
        text = self._text(path) if sort or comments.reads(path) else None
        if text is None:
            return
        if sort:
            for found in from_document(path, text):
                evidence = evolve(found.evidence(EvidenceKind.DOCUMENT, "repository", self._now), path=path)
                yield ScannedStatement(sort.value, found, evidence)
            return
        for found in from_comments(path, text):
            evidence = evolve(found.evidence(EvidenceKind.COMMENT, "repository", self._now), path=path)
            yield ScannedStatement("comment", evolve(found, pattern=path), evidence)

    def anchored(self, statement: ScannedStatement) -> ScannedStatement | None:
        """A comment anchored to the symbol that it stands in or above, and naming it; other statements unchanged. None
        for a comment in generated code. After `SECONDS` of reading symbols, comments stay tied to their file only."""
        found = statement.found
        if statement.sort != "comment" or found.first_line is None or found.last_line is None:
            return statement
        path = statement.evidence.path
        outline = self._worktree.outline(path) if monotonic() < self._deadline else None
        if outline is None:
            return statement
        if outline.generated:
            return None
        symbol = outline.at(found.first_line - 1)
        if not symbol.name or symbol.kind is SymbolKind.REGION:
            named = (each for each in outline.symbols if each.name)
            below = [each for each in named if 0 <= each.span.start_line - found.last_line <= _GAP]
            symbol = min(below, key=lambda each: each.span.start_line, default=symbol)
        if not symbol.name or symbol.kind is SymbolKind.REGION:
            return statement
        try:
            anchor = anchor_to(self._worktree, outline, symbol, now=self._now)
        except (MemlspError, OSError):
            return statement
        text = found.text if symbol.simple_name in found.text else f"`{symbol.name}`: {found.text}"
        return evolve(statement, found=evolve(found, text=text, pattern=""), anchors=(anchor,))

    def _choose(
        self, statements: Iterable[ScannedStatement], seen: set[str], known: Callable[[str], bool], most: int
    ) -> Iterator[ScannedStatement]:
        """The first `most` statements that are new, anchored, and other documents that say what is known or chosen."""
        count = 0
        statements = list(statements)
        wide = {proposal_id(each.found.text) for each in statements if not each.found.pattern}
        for each in statements:
            if self._cancelled():
                return
            anchored = self.anchored(each)
            if anchored is None:
                continue
            ids = {proposal_id(each.found.text), proposal_id(anchored.found.text)}
            if ids & wide and not each.anchors and each.evidence.kind is EvidenceKind.DOCUMENT:
                anchored = evolve(anchored, found=evolve(anchored.found, pattern=""))  # one folder's rule holds in all
            if ids & seen or any(known(id) for id in ids):
                seen |= ids
                if each.evidence.kind is EvidenceKind.DOCUMENT:
                    yield anchored
                continue
            if count >= most:
                continue
            seen |= ids
            count += 1
            yield anchored

    def _of_commits(self) -> Iterator[ScannedStatement]:
        for message in messages(self._worktree.root, MOST_COMMITS):
            if self._cancelled():
                return
            statement = of_message(message)
            if statement is not None:
                yield statement

    def _text(self, path: str) -> str | None:
        try:
            data = self._worktree.read(path)
        except (MemlspError, OSError):
            return None
        if data is None or len(data) > _LARGEST or is_binary(data):
            return None
        return data.decode("utf-8", "replace")


def of_message(message: CommitMessage) -> ScannedStatement | None:
    """The decision that a commit message states, None if there is none."""
    found = from_message(message.message)
    if found is None:
        return None
    source = f"git: {printable(message.author)[:80]}"
    evidence = Evidence(EvidenceKind.COMMIT, found.quote, commit=message.hash, source=source, at=message.at)
    return ScannedStatement("commit", found, evidence)


def watched_documents(paths: Sequence[str]) -> list[str]:
    """The documents among these paths that are mined again after an edit."""
    return [path for path in paths if sort_of(path) not in {None, DocumentSort.README}]
