"""Where a symbol was before a commit: in the same file, or in another that the commit changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import pygit2
from attrs import evolve, frozen

from memlsp.capture.ancestry import Ancestry, FileChange
from memlsp.code import Outline, language_of, outline
from memlsp.code.matching import match
from memlsp.code.narrowing import narrowed
from memlsp.code.similarity import EVIDENCE, body_similarity, family
from memlsp.model.symbol import Symbol, SymbolKind

_CACHED_BYTES = 4_000_000  # of source text; outlines of it take some ten times that
_FILES_SEARCHED = 40  # of one commit, for a symbol that was not in its file before
_STRANGERS = 0.3  # bodies of one name with less in common than this may be two symbols


@frozen
class Trace:
    """A symbol in one commit. `text` is its definition as written there."""

    commit: pygit2.Commit
    path: str
    symbol: Symbol
    text: bytes


@frozen
class Origin:
    """Where a symbol was before a commit; `file_moved` when it went along with its whole file."""

    path: str
    symbol: Symbol
    text: bytes
    file_moved: bool = False


class Origins:
    """Reads older states of files. `check` is called before anything slow, and may raise to end the walk."""

    def __init__(self, ancestry: Ancestry, check: Callable[[], None]) -> None:
        self.ancestry = ancestry
        self.check = check

    def outline(self, commit: pygit2.Commit, path: str) -> Outline | None:
        """The symbols of a file in a commit; None when it is not there or cannot be read."""
        blob = self.ancestry.blob_id(commit, path)
        if blob is None:
            return None
        found = _OUTLINES.get(str(blob), path)
        if found is None:
            self.check()
            data = self.ancestry.data(blob)
            if data is None:
                return None
            found = outline(path, data)
            _OUTLINES.put(str(blob), path, found, len(data))
        return found

    def left_behind(self, trace: Trace, origin: Origin) -> bool:
        """True when the file and the holder that the symbol left are still there: it was moved, they were not."""
        blob = self.ancestry.blob_id(trace.commit, origin.path)
        data = self.ancestry.data(blob) if blob else None
        return data is not None and origin.symbol.container.rpartition(".")[2].encode() in data

    def unchanged(self, trace: Trace, blob_id: pygit2.Oid) -> bool:
        """True when the blob holds the symbol's definition byte for byte, which saves parsing it."""
        if trace.symbol.kind is SymbolKind.MODULE:
            return False
        data = self.ancestry.data(blob_id)
        return data is not None and _holds(data, trace.text)

    def as_named(self, trace: Trace) -> Symbol:
        """The symbol as it was called in that commit.

        Passing over commits by the text of a method does not notice that its class was renamed.
        """
        symbol = trace.symbol
        holder = symbol.container.rpartition(".")[2].encode()
        blob = self.ancestry.blob_id(trace.commit, trace.path)
        data = self.ancestry.data(blob) if blob and holder else None
        if data is None or holder in data:
            return symbol
        found = self._same_text(trace.commit, trace.path, trace)
        return found or symbol

    def in_file(self, trace: Trace, parent: pygit2.Commit) -> Origin | None:
        """Where it was in the same file of a parent, by name or by what it is made of."""
        origin = self.alone(parent, trace.path, trace.symbol)
        if origin is not None and not _are_strangers(origin.symbol, trace.symbol):
            return origin
        older = self.outline(parent, trace.path)
        if older is None:
            return None
        found = _by_name(trace.symbol, older)
        if found is None or _are_strangers(found, trace.symbol):
            newer = self.outline(trace.commit, trace.path)
            found = matched([older], [newer] if newer else [], self.as_named(trace)) or found
        return self.at(parent, trace.path, found) if found else None

    def alone(self, commit: pygit2.Commit, path: str, like: Symbol | str) -> Origin | None:
        """The symbol of that name (or the most alike of that name) in a file, without describing the rest of the file.

        None when that cannot be had cheaply; it may be there nevertheless.
        """
        blob = self.ancestry.blob_id(commit, path)
        data = self.ancestry.data(blob) if blob and _OUTLINES.get(str(blob), path) is None else None
        if data is None:
            return None
        self.check()
        rest = narrowed(path, data, like if isinstance(like, str) else like.name)
        if rest is None:
            return None
        found = outline(path, rest)
        symbol = found.find(like) if isinstance(like, str) else _by_name(like, found)
        # Cutting must not have broken anything; whether the file was broken before is for the whole file to say.
        return Origin(path, symbol, _text(symbol, rest)) if symbol and not found.has_errors else None

    def elsewhere(self, trace: Trace, parent: pygit2.Commit) -> Origin | None:
        """Search the files that the commit changed: removed ones first, for they must have gone somewhere."""
        language = _language(trace.path)
        here = self.ancestry.blob_id(parent, trace.path)
        files = [
            file
            for file in self.ancestry.changed(parent, trace.commit)
            if file.before is not None and file.path != trace.path and _language(file.path) == language
        ]
        if language is None or not files:
            return None
        base = trace.path.rpartition("/")[2]
        files.sort(key=lambda file: (file.after is not None, file.path.rpartition("/")[2] != base, file.path))
        word = trace.symbol.simple_name.encode()
        searched: list[FileChange] = []
        for file in files:
            self.check()
            data = self.ancestry.data(file.before) if file.before else None
            if data is None:
                continue
            if trace.symbol.kind is not SymbolKind.MODULE and _holds(data, trace.text):
                after = self.ancestry.data(file.after) if file.after else None
                if after is None or not _holds(after, trace.text):
                    gone = file.after is None and here is None
                    origin = self.alone(parent, file.path, trace.symbol)
                    if origin is not None and origin.text == trace.text:
                        return evolve(origin, file_moved=gone)
                    found = self._same_text(parent, file.path, trace)
                    if found is not None:
                        return self.at(parent, file.path, found, gone=gone)
            if word in data or file.after is None:
                searched.append(file)
        return self._matched_elsewhere(trace, parent, searched[:_FILES_SEARCHED], fresh=here is None)

    def _matched_elsewhere(
        self, trace: Trace, parent: pygit2.Commit, files: Sequence[FileChange], *, fresh: bool
    ) -> Origin | None:
        if not files:
            return None
        older = [found for file in files if (found := self.outline(parent, file.path)) is not None]
        newer = [found for file in files if (found := self.outline(trace.commit, file.path)) is not None]
        before = self.outline(parent, trace.path)
        now = self.outline(trace.commit, trace.path)
        if now is None:
            return None
        found = matched([*([before] if before else []), *older], [now, *newer], self.as_named(trace))
        if found is None:
            return None
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

    def at(self, parent: pygit2.Commit, path: str, symbol: Symbol, *, gone: bool = False) -> Origin | None:
        """The symbol of an older outline with its text; `gone` when its whole file went to another path."""
        blob = self.ancestry.blob_id(parent, path)
        data = self.ancestry.data(blob) if blob else None
        return None if data is None else Origin(path, symbol, _text(symbol, data), gone)


class _Outlines:
    """The outlines of blobs that were read last, bounded by the bytes of their sources."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._found: OrderedDict[tuple[str, str], tuple[Outline, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, blob: str, path: str) -> Outline | None:
        with self._lock:
            entry = self._found.get((blob, path))
            if entry is None:
                return None
            self._found.move_to_end((blob, path))
            return entry[0]

    def put(self, blob: str, path: str, outlined: Outline, size: int) -> None:
        with self._lock:
            if (blob, path) in self._found:
                return
            self._found[blob, path] = (outlined, size)
            self._bytes += size
            while self._bytes > self._most and len(self._found) > 1:
                _, (_, dropped) = self._found.popitem(last=False)
                self._bytes -= dropped


_OUTLINES = _Outlines(_CACHED_BYTES)


def _language(path: str) -> str | None:
    """The language of a path; the dialects that files are renamed between are one."""
    language = language_of(path)
    return "javascript" if language in ("typescript", "tsx") else language


def _by_name(symbol: Symbol, older: Outline) -> Symbol | None:
    """The symbol of the same qualified name; among overloads the one that means the same, else the same in order."""
    named = [
        other for other in older.symbols if other.name == symbol.name and family(other.kind) == family(symbol.kind)
    ]
    if not named:
        return None
    meaning = symbol.fingerprint.meaning
    return min(
        named,
        key=lambda other: (
            other.fingerprint.meaning != meaning,
            other.ordinal != symbol.ordinal,
            -body_similarity(other, symbol),
        ),
    )


def _are_strangers(old: Symbol, new: Symbol) -> bool:
    if old.kind is SymbolKind.MODULE or min(old.fingerprint.size, new.fingerprint.size) < EVIDENCE:
        return False
    return body_similarity(old, new) < _STRANGERS


def matched(old: Sequence[Outline], new: Sequence[Outline], symbol: Symbol) -> Symbol | None:
    """The old symbol that became `symbol`, over some files; None when there is none or it is not certain which."""
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


def _holds(data: bytes, text: bytes) -> bool:
    """True when the definition stands in the file as written, and not as a part of another (`RATE` in `TAX_RATE`)."""
    at = data.find(text) if text else -1
    while at >= 0:
        before, after = data[at - 1 : at], data[at + len(text) : at + len(text) + 1]
        if (not before or before.isspace()) and (not after or after in b"\r\n;, )}"):
            return True
        at = data.find(text, at + 1)
    return False
