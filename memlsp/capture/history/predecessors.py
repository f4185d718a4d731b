"""Finding a symbol before a commit: in the same file, or in another that the commit changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from attrs import evolve

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.history.ancestry import Ancestry, FileChange, Stop
from memlsp.capture.history.overloads import are_strangers, former, interface, same_text
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.history.traces import DefinitionText, NameAndKind, Predecessor, Trace, holds
from memlsp.capture.history.walk_cache import Reference, WalkCache
from memlsp.code.diff.matching import match
from memlsp.code.diff.similarity import EVIDENCE, family
from memlsp.code.diff.trimmed_source import narrowed
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline
from memlsp.model.symbol import Symbol, SymbolKind

_CACHED_BYTES = 4_000_000  # of source text; outlines of it take some ten times that
_FILES_SEARCHED = 40  # of one commit, for a symbol that was not in its file before
_FILES_COMPARED = 400  # of those that the commit removed, for one that appears under another name
_SAME_FILE = 0.4  # of the lines; git's own threshold for a rename is half


class PredecessorFinder:
    """Finds predecessors of symbols. `check` is called before anything slow, and may raise to end the walk."""

    def __init__(self, ancestry: Ancestry, check: Callable[[], None], kept: ParseCache | None = None) -> None:
        self.ancestry = ancestry
        self.check = check
        self.known = WalkCache(kept)

    def stop(self, trace: Trace) -> Stop:
        """The first commit, backwards from that of the trace, that touched its file."""
        return self.ancestry.stop(trace.commit, trace.path, self.known.trail(trace.path), self.check)

    def known_stop(self, trace: Trace) -> Stop | None:
        """The first commit that touched the symbol, when an earlier walk cached it."""
        found = self.known.stop(state_of(trace))
        commit = self.ancestry.commit_of(found[0]) if found else None
        if found is None or commit is None:
            return None
        parents, cut = self.ancestry.parents(commit)
        return Stop(commit, tuple(parents), found[1], cut)

    def outline(self, commit: pygit2.Commit, path: str) -> Outline | None:
        """The symbols of a file in a commit; None when it is not there or cannot be read."""
        blob = self.ancestry.blob_id(commit, path)
        if blob is None:
            return None
        found = _OUTLINES.get((str(blob), path))
        if found is None:
            self.check()
            data = self.ancestry.data(blob)
            if data is None:
                return None
            found = outline(path, data)
            _OUTLINES.put((str(blob), path), found, len(data))
        return found

    def left_behind(self, trace: Trace, origin: Predecessor) -> bool:
        """True when the file and class that the symbol left still exist, so it was moved without them."""
        data = self.ancestry.data(self.ancestry.blob_id(trace.commit, origin.path))
        return data is not None and origin.symbol.container.rpartition(".")[2].encode() in data

    def unchanged(self, trace: Trace, blob_id: pygit2.Oid) -> bool:
        """True when the blob has the definition byte for byte, which saves parsing it."""
        if trace.symbol.kind is SymbolKind.MODULE:
            return False
        data = self.ancestry.data(blob_id)
        return data is not None and trace.written.stands_in(data)

    def as_named(self, trace: Trace) -> Symbol:
        """The symbol by its name in that commit. Passing over commits by the text of a method does not notice that its
        class was renamed."""
        symbol = trace.symbol
        holder = symbol.container.rpartition(".")[2].encode()
        data = self.ancestry.data(self.ancestry.blob_id(trace.commit, trace.path)) if holder else None
        if data is None or holder in data:
            return symbol
        return self._same_text(trace.commit, trace.path, trace) or symbol

    def _present(self, trace: Trace, newer: Outline) -> Symbol:
        """The symbol in the file of its own commit: its name and position may differ from those in later commits."""
        if trace.symbol.kind is SymbolKind.MODULE:
            return newer.module
        return same_text(newer.symbols, trace.symbol) or self.as_named(trace)

    def in_file(self, trace: Trace, parent: pygit2.Commit) -> Predecessor | None:
        """The predecessor in the same file of a parent, by name or by matching."""
        before = self._named(parent, trace.path, trace.symbol)
        found = self._overload(trace, before)
        if found is not None and not are_strangers(found.symbol, trace.symbol):
            return found
        return self._cached(trace, parent, "in", lambda: self._matched_in_file(trace, parent, before, found))

    def _matched_in_file(
        self, trace: Trace, parent: pygit2.Commit, before: Sequence[Predecessor], found: Predecessor | None
    ) -> Predecessor | None:
        older = self.outline(parent, trace.path)
        newer = self.outline(trace.commit, trace.path)
        if older is None or newer is None:
            return found
        likely = matched([older], [newer], self._present(trace, newer))
        if likely is None or (found is None and before and likely.name == trace.symbol.name):
            return found
        if found is None and self._delegates(likely, newer, trace.symbol):
            return None
        return self.at(parent, trace.path, likely)

    def _overload(self, trace: Trace, before: Sequence[Predecessor]) -> Predecessor | None:
        """The earlier overload that became this one; None when all of them became others."""
        if len(before) == 1 and interface(before[0].symbol) == interface(trace.symbol):
            return before[0]
        if not before:
            return None
        same = [origin for origin in before if interface(origin.symbol) == interface(trace.symbol)]
        if len(same) == 1 and any(parameter.type for parameter in trace.symbol.facts.parameters):
            return same[0]  # no two overloads take the same types
        now = self._named(trace.commit, trace.path, trace.symbol)
        olds, news = [origin.symbol for origin in before], [origin.symbol for origin in now]
        if len(olds) == 1 and len(news) < 2:
            return before[0]
        found = former(olds, news, trace.symbol)
        return next((origin for origin in before if origin.symbol is found), None)

    def named(self, commit: pygit2.Commit, path: str, name: str, ordinal: int = 0) -> Predecessor | None:
        """The symbol of that full name and ordinal, or the first of the name; None without one."""
        found = self._named(commit, path, NameAndKind(name, None))
        return next((origin for origin in found if origin.symbol.ordinal == ordinal), found[0] if found else None)

    def _named(self, commit: pygit2.Commit, path: str, like: Symbol | NameAndKind) -> list[Predecessor]:
        blob = self.ancestry.blob_id(commit, path)
        if blob is None:
            return []
        found = self._all_named(blob, commit, path, like.name)
        return [origin for origin in found if like.kind is None or family(origin.symbol.kind) == family(like.kind)]

    def _all_named(self, blob: pygit2.Oid, commit: pygit2.Commit, path: str, name: str) -> list[Predecessor]:
        key = f"{blob}:{path}#{name}"
        known = self.known.symbols(key)
        if known is not None:
            return [
                Predecessor(path, symbol, DefinitionText(partial(self._slice, blob, offset, symbol)))
                for symbol, offset in known
            ]
        narrow = self._narrowed(commit, path, name)
        found, data = narrow if narrow is not None else (self.outline(commit, path), None)
        whole = self.ancestry.data(blob)
        if found is None or whole is None:
            return []
        texts = [
            (symbol, _text(symbol, whole if data is None else data)) for symbol in found.symbols if symbol.name == name
        ]
        placed = [
            (symbol, symbol.span.start_byte if data is None else whole.find(text), text) for symbol, text in texts
        ]
        if name:
            self.known.keep_symbols(key, placed)
        return [Predecessor(path, symbol, _written(whole, offset, text)) for symbol, offset, text in placed]

    def _slice(self, blob: pygit2.Oid, offset: int, symbol: Symbol) -> tuple[bytes, int, int]:
        return self.ancestry.data(blob) or b"", offset, offset + symbol.span.end_byte - symbol.span.start_byte

    def _delegates(self, old: Symbol, newer: Outline, symbol: Symbol) -> bool:
        """True when the old symbol still exists and calls this one, which was extracted from it."""
        return any(
            symbol.simple_name in (call.rpartition(".")[2] for call in still.facts.calls)
            for still in newer.named(old.name)
            if still.name == old.name and interface(still) == interface(old)
        )

    def _narrowed(self, commit: pygit2.Commit, path: str, name: str) -> tuple[Outline, bytes] | None:
        """The outline of a file with other definitions cut out, and that text; None when that fails or the whole
        outline is cached."""
        blob = self.ancestry.blob_id(commit, path)
        data = self.ancestry.data(blob) if blob and _OUTLINES.get((str(blob), path)) is None else None
        if data is None:
            return None
        self.check()
        rest = narrowed(path, data, name)
        if rest is None:
            return None
        found = outline(path, rest)
        # cutting must not break anything; the whole file tells whether it was broken before
        return None if found.has_errors else (found, rest)

    def _kept(self, key: str, parent: pygit2.Commit) -> tuple[Predecessor | None] | None:
        """The cached result of a search, in a tuple; None when there is none, or it cannot be read back."""
        known = self.known.predecessor(key)
        if known is None:
            return None
        if known[0] is None:
            return (None,)
        path, name, kind, text, gone = known[0]
        like = NameAndKind(name, SymbolKind(kind))
        origin = next((each for each in self._named(parent, path, like) if each.symbol.fingerprint.text == text), None)
        return None if origin is None else (evolve(origin, file_moved=gone),)

    def elsewhere(self, trace: Trace, parent: pygit2.Commit) -> Predecessor | None:
        """The predecessor in the files that the commit changed: in the former file of its file, else in files that held
        its text."""
        return self._cached(trace, parent, "out", lambda: self._searched(trace, parent))

    def _cached(
        self, trace: Trace, parent: pygit2.Commit, search: str, find: Callable[[], Predecessor | None]
    ) -> Predecessor | None:
        key = f"{state_of(trace)}:{parent.id}:{search}"
        kept = self._kept(key, parent)
        if kept is not None:
            return kept[0]
        found = find()
        self.known.keep_predecessor(key, _reference(found))
        if found is not None and found.symbol.name:
            self._named(parent, found.path, found.symbol)  # caches the symbols of that name while their file is cached
        return found

    def _searched(self, trace: Trace, parent: pygit2.Commit) -> Predecessor | None:
        language = _language(trace.path)
        here = self.ancestry.blob_id(parent, trace.path)
        files = [
            file
            for file in self.ancestry.changed(parent, trace.commit)
            if file.before is not None and file.path != trace.path and _language(file.path) == language
        ]
        if language is None or not files:
            return None
        if here is None:
            whole = self._former_path(trace, parent, files)
            found = self._along(trace, parent, whole) if whole else None
            if found is not None:
                return found
        base = trace.path.rpartition("/")[2]
        files.sort(key=lambda file: (file.after is not None, file.path.rpartition("/")[2] != base, file.path))
        word = trace.symbol.simple_name.encode()
        searched: list[FileChange] = []
        for file in files:
            self.check()
            data = self.ancestry.data(file.before)
            if data is None:
                continue
            if trace.symbol.kind is not SymbolKind.MODULE and self._took_text(trace, data, file):
                taken = self._with_text(trace, parent, file.path, file_moved=file.after is None and here is None)
                if taken is not None:
                    return taken
            if file.after is None or self._lost_a_line(data, file.after, word):
                searched.append(file)
        return self._matched_elsewhere(trace, parent, searched[:_FILES_SEARCHED], fresh=here is None)

    def _with_text(self, trace: Trace, parent: pygit2.Commit, path: str, *, file_moved: bool) -> Predecessor | None:
        """The symbol of another file that has the text of the traced one."""
        named = self._named(parent, path, trace.symbol)
        alike = next((each for each in named if each.text == trace.text), None)
        if alike is not None:
            return evolve(alike, file_moved=file_moved)
        same = self._same_text(parent, path, trace)
        return self.at(parent, path, same, gone=file_moved) if same is not None else None

    def _former_path(self, trace: Trace, parent: pygit2.Commit, files: Sequence[FileChange]) -> str:
        """The path of the file of the trace before it was renamed; "" when it is new."""
        key = f"{trace.commit.id}:{parent.id}:{trace.path}"
        path = self.known.former_file(key)
        if path is None:
            renamed = self._former_file(trace, [file for file in files if file.after is None])
            path = renamed.path if renamed else ""
            self.known.keep_former_file(key, path)
        return path

    def _took_text(self, trace: Trace, data: bytes, file: FileChange) -> bool:
        """True when a file had the definition before the commit (`data`) and lost it; not for a text that many
        files may have by chance."""
        if not holds(data, trace.text):
            return False
        after = self.ancestry.data(file.after)
        return (after is None or not holds(after, trace.text)) and trace.symbol.fingerprint.size >= EVIDENCE

    def _lost_a_line(self, data: bytes, after: pygit2.Oid, word: bytes) -> bool:
        """True when a line with that word is gone, as after a definition moved away."""
        if word not in data:
            return False
        left = {line.strip() for line in (self.ancestry.data(after) or b"").split(b"\n") if word in line}
        return any(word in line and line.strip() not in left for line in data.split(b"\n"))

    def _former_file(self, trace: Trace, removed: Sequence[FileChange]) -> FileChange | None:
        """The removed file that became this new one: the same blob, else the one with most lines in common."""
        blob = self.ancestry.blob_id(trace.commit, trace.path)
        data = self.ancestry.data(blob)
        if data is None:
            return None
        same = [file for file in removed if file.before == blob]
        if same:
            return min(same, key=lambda file: (not _same_base(file.path, trace.path), file.path))
        lines = _lines(data)
        best: tuple[float, FileChange] | None = None
        named = [file for file in removed if _same_base(file.path, trace.path)]
        for group in (named, [file for file in removed if file not in named][:_FILES_COMPARED]):
            for file in group:
                self.check()
                before = self.ancestry.data(file.before)
                if before is None:
                    continue
                alike = _common(lines, _lines(before))
                if alike >= _SAME_FILE and (best is None or alike > best[0]):
                    best = alike, file
            if best is not None:
                return best[1]
        return None

    def _along(self, trace: Trace, parent: pygit2.Commit, path: str) -> Predecessor | None:
        """The predecessor in the former file, by name (its class may be renamed), else by matching."""
        before = self._named(parent, path, trace.symbol)
        found = self._overload(trace, before)
        if found is not None and not are_strangers(found.symbol, trace.symbol):
            return evolve(found, file_moved=True)
        older, newer = self.outline(parent, path), self.outline(trace.commit, trace.path)
        if older is None or newer is None:
            return None
        symbol = self._present(trace, newer)
        if symbol.kind is SymbolKind.MODULE:
            return self.at(parent, path, older.module, gone=True)
        named = _called(older, symbol)
        became = former(named, _called(newer, symbol), symbol) if named else matched([older], [newer], symbol)
        return self.at(parent, path, became, gone=True) if became else None

    def _matched_elsewhere(
        self, trace: Trace, parent: pygit2.Commit, files: Sequence[FileChange], *, fresh: bool
    ) -> Predecessor | None:
        if not files:
            return None
        older = [found for file in files if (found := self.outline(parent, file.path)) is not None]
        newer = [found for file in files if (found := self.outline(trace.commit, file.path)) is not None]
        before = self.outline(parent, trace.path)
        now = self.outline(trace.commit, trace.path)
        if now is None:
            return None
        found = matched([*([before] if before else []), *older], [now, *newer], self._present(trace, now))
        if found is None or found.path == trace.path:
            return None  # its own file was searched already
        gone = fresh and any(file.path == found.path and file.after is None for file in files)
        return self.at(parent, found.path, found, gone=gone)

    def _same_text(self, parent: pygit2.Commit, path: str, trace: Trace) -> Symbol | None:
        outlined = self.outline(parent, path)
        if outlined is None:
            return None
        alike = [
            symbol
            for symbol in outlined.symbols
            if symbol.simple_name == trace.symbol.simple_name and family(symbol.kind) == family(trace.symbol.kind)
        ]
        alike.sort(key=lambda symbol: symbol.fingerprint.meaning != trace.symbol.fingerprint.meaning)
        return alike[0] if alike else None

    def at(self, parent: pygit2.Commit, path: str, symbol: Symbol, *, gone: bool = False) -> Predecessor | None:
        """The symbol of an older outline with its text; `gone` when its whole file was moved."""
        data = self.ancestry.data(self.ancestry.blob_id(parent, path))
        text = _text(symbol, data or b"")
        return None if data is None else Predecessor(path, symbol, _written(data, symbol.span.start_byte, text), gone)


_OUTLINES: BoundedCache[tuple[str, str], Outline] = BoundedCache(_CACHED_BYTES)


def forget() -> None:
    """Clear the outlines that this process has in memory."""
    _OUTLINES.drop()


def _language(path: str) -> str | None:
    """The language of a path; languages that files are renamed between count as one."""
    language = language_of(path)
    if language == "cpp":
        return "c"  # a header is one or the other by its contents
    return "javascript" if language in ("typescript", "tsx") else language


def state_of(trace: Trace) -> str:
    """A key for one state of one symbol."""
    return f"{trace.commit.id}:{trace.path}#{trace.symbol.name}:{trace.symbol.fingerprint.text}"


def _reference(origin: Predecessor | None) -> Reference | None:
    if origin is None:
        return None
    symbol = origin.symbol
    return origin.path, symbol.name, symbol.kind.value, symbol.fingerprint.text, origin.file_moved


def _written(data: bytes, offset: int, text: bytes) -> DefinitionText:
    return DefinitionText(lambda: (data, offset, offset + len(text)))


def _called(outlined: Outline, like: Symbol) -> list[Symbol]:
    return [
        symbol for symbol in outlined.symbols if symbol.name == like.name and family(symbol.kind) == family(like.kind)
    ]


def _same_base(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def _lines(data: bytes) -> Counter[bytes]:
    """The lines of more than three characters, without indentation and line ends."""
    return Counter(line for line in map(bytes.strip, data.split(b"\n")) if len(line) > 3)


def _common(left: Counter[bytes], right: Counter[bytes]) -> float:
    longest = max(left.total(), right.total())
    return (left & right).total() / longest if longest else 0.0


def matched(old: Sequence[Outline], new: Sequence[Outline], symbol: Symbol) -> Symbol | None:
    """The old symbol that became `symbol`, over some files; None when there is none or it is ambiguous."""
    found = match(
        [other for outlined in old for other in outlined.symbols],
        [other for outlined in new for other in outlined.symbols],
    )
    wanted = (symbol.path, symbol.name, symbol.ordinal)
    for pair in found.pairs:
        if (pair.new.path, pair.new.name, pair.new.ordinal) == wanted:
            return pair.old
    return None


def _text(symbol: Symbol, data: bytes) -> bytes:
    return data[symbol.span.start_byte : symbol.span.end_byte]
