"""The patterns by which erasure finds texts in rows and files, in whatever form they were stored.

Notes, briefings, titles and exports quote, cut, escape, wrap and compress a statement. So texts are compared by their
words, ignoring case and punctuation, and a long text is searched in pieces that are too long to occur by chance. Files
are searched as UTF-8, UTF-16, base64 and hexadecimal, and inside every zlib stream.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from memlsp.store.core.database import Value

FORGOTTEN = "[forgotten]"
"""Replaces erased words in rows that stay."""

PIECE = 28
"""Characters from which a piece identifies its text."""

SHORTEST = 5
"""Characters under which a text is not searched: too many others hold it."""

_SIGNS = re.compile(r"[\W_]+")
_BETWEEN = rb"(?:\\\\u[0-9a-f]{4}|\\\\[a-z]|[^a-z0-9]){1,16}"
"""Separators between two words of a text, also as JSON escapes."""

_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_INFLATED = 4 << 20  # bytes of one stream that are looked at
_FEW = 12  # pieces that are looked for one by one
_MANY = 60  # pieces from which on bytes are read as words, all of them


def plain(text: str) -> str:
    """The words of a text, casefolded, with one space between them and at both ends."""
    return f" {_SIGNS.sub(' ', text.casefold()).strip()} "


class SearchPatterns:
    """Texts to search for. Too short ones are left out."""

    def __init__(self, texts: Iterable[str], *, also_in: Iterable[str] = (), within: bool = False) -> None:
        """`also_in` are surviving texts, whose pieces are not searched. With `within` a match is a name, and only its
        words are replaced, not the text that holds it."""
        self.within = within
        self.texts = tuple(dict.fromkeys(text for text in texts if text.strip()))
        pieces = {piece: None for text in self.texts for piece in _pieces(text)}
        shared: set[str] = set()
        if pieces:
            stays = _Finder(tuple(pieces))
            for text in also_in:
                shared.update(stays.found(plain(text)))
        self._shared = frozenset(shared)
        self.pieces = tuple(piece for piece in pieces if piece not in shared)
        self._finder = _Finder(self.pieces)
        self._least = min(map(len, self.pieces), default=0)

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def excluding(self, also_in: Iterable[str]) -> SearchPatterns:
        """The patterns minus the pieces of these surviving texts; itself when that changes nothing."""
        more = {piece for text in also_in for piece in self._finder.found(plain(text))} if self.pieces else None
        return SearchPatterns(self.texts, also_in=self._shared | more, within=self.within) if more else self

    def joined(self, texts: Iterable[str]) -> SearchPatterns:
        """The patterns of these texts too, without pieces known to be in surviving texts."""
        return SearchPatterns([*self.texts, *texts], also_in=self._shared, within=self.within)

    def in_text(self, text: str) -> bool:
        """True when a text has a piece."""
        return bool(self.pieces) and len(text) >= SHORTEST and self._finder.any(plain(text))

    def in_value(self, value: object) -> bool:
        """True when a value of a column has a piece: text, JSON, or bytes of one of these, compressed or not."""
        if not self.pieces or not isinstance(value, (str, bytes)) or len(value) < SHORTEST:
            return False
        if isinstance(value, str) and 3 * len(value) + 2 < self._least:  # folding letter case makes up to three of one
            return False
        raw = value if isinstance(value, str) else inflated(value)
        if raw is None or not self._may_stand_in(raw):
            return False
        return any(self.in_text(text) for text in leaves(raw))

    def _may_stand_in(self, text: str) -> bool:
        """A cheap filter: False only when no piece can be in the text, by a search for single words."""
        if self._marks is None:
            return True
        lowered = text.lower()
        return any(all(word in lowered for word in words) for words in self._marks)

    @cached_property
    def _marks(self) -> tuple[tuple[str, ...], ...] | None:
        """The long words of each piece, longest first; None for too many pieces, or words that are not ASCII."""
        if len(self.pieces) > _MANY or not all(text.isascii() for text in self.texts):  # "ß" is folded to ASCII
            return None
        return tuple(dict.fromkeys(_long_words(piece) for piece in self.pieces))

    def without(self, value: Any) -> Any:
        """A JSON value in which every text, keys too, that has a piece is replaced by a mark."""
        if isinstance(value, str):
            if not self.in_text(value):
                return value
            return self._pattern.sub(FORGOTTEN, value) if self.within else FORGOTTEN
        if isinstance(value, list):
            return [self.without(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            return {
                (self.without(key) if isinstance(key, str) else key): self.without(each)
                for key, each in value.items()  # pyright: ignore[reportUnknownVariableType]
            }
        return value

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = (r"[\W_]+".join(map(re.escape, piece.split())) for piece in self.pieces)
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(pieces)})(?![^\W_])", re.IGNORECASE)

    def without_words(self, value: Any) -> Any:
        """A JSON value without lists of single words that reveal a text: lists with half of its words, or their stems,
        lose them."""
        if isinstance(value, list):
            words = [each for each in value if isinstance(each, str) and each.isalnum()]  # pyright: ignore[reportUnknownVariableType]
            gone = self._told_by(words) if words else frozenset[str]()
            return [self.without_words(each) for each in value if not isinstance(each, str) or each not in gone]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            gone = self._told_by([str(key) for key in value if str(key).isalnum()])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return {key: self.without_words(each) for key, each in value.items() if key not in gone}  # pyright: ignore[reportUnknownVariableType]
        return value

    def _told_by(self, words: list[str]) -> frozenset[str]:
        """The words that are those of one of the texts: at least half of its long words are among them."""
        gone: set[str] = set()
        beginnings = {word: word.casefold()[: max(3, len(word) - 1)] for word in words}
        for text in self.texts:
            long = {word for word in plain(text).split() if len(word) > 3}
            if not long or not self.in_text(text):
                continue
            of_it = {word for word, start in beginnings.items() if any(each.startswith(start) for each in long)}
            if 2 * len(of_it) >= len(long):
                gone |= of_it
        return frozenset(gone)

    def in_bytes(self, data: bytes) -> bool:
        """True when the bytes of a file have a piece, in any of the encodings."""
        if not self.pieces:
            return False
        return self._plainly(data) or any(self._plainly(inner) for inner in streams(data))

    def _plainly(self, data: bytes) -> bool:
        lowered = data.lower()
        if self._spelled(data, lowered):
            return True
        if b"\0" in data:  # UTF-16 of what is mostly ASCII, either way round
            narrow = lowered.replace(b"\0", b"")
            if self._worded(narrow):
                return True
        return self._worded(lowered)

    def _worded(self, lowered: bytes) -> bool:
        if len(self.pieces) > _MANY:
            return self._finder.any(plain(json_unescaped(lowered).decode("utf-8", "ignore")))
        for pattern, words in self._patterns:
            if all(word in lowered for word in words) and any(
                not lowered[found.start() - 1 : found.start()].isalnum() for found in pattern.finditer(lowered)
            ):  # a look behind would keep the search from leaping to the first word
                return True
        for word, pieces in self._by_word.items():
            start = lowered.find(word)
            while start >= 0:
                around = lowered[max(0, start - 400) : start + 400]
                text = plain(around.decode("utf-8", "ignore"))
                loose = plain(json_unescaped(around).decode("utf-8", "ignore")) if b"\\" in around else text
                if any(piece in text or piece in loose for piece in pieces):
                    return True
                start = lowered.find(word, start + len(word))
        return False

    def _spelled(self, data: bytes, lowered: bytes) -> bool:
        return any(form in data for form in self._base64) or any(form in lowered for form in self._hex)

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[bytes], tuple[bytes, ...]], ...]:
        """The ASCII pieces: a pattern for bytes, and the words that must occur before it is tried."""
        found: list[tuple[re.Pattern[bytes], tuple[bytes, ...]]] = []
        for piece in self.pieces:
            if piece.isascii():
                words = (re.escape(word.encode()) for word in piece.split())
                pattern = re.compile(_BETWEEN.join(words) + rb"(?![a-z0-9])")
                found.append((pattern, tuple(word.encode() for word in _long_words(piece))))
        return tuple(found)

    @cached_property
    def _by_word(self) -> dict[bytes, list[str]]:
        """The other pieces by their longest word in each letter case, since bytes fold ASCII only."""
        found: dict[bytes, list[str]] = {}
        for piece in self.pieces:
            if not piece.isascii():
                word = max(piece.split(), key=lambda word: (word.isascii(), len(word)))
                for form in dict.fromkeys((word, word.upper(), word.capitalize())):
                    found.setdefault(form.encode("utf-8"), []).append(piece)
        return found

    @cached_property
    def _base64(self) -> tuple[bytes, ...]:
        forms: dict[bytes, None] = {}
        for text in self.texts:
            raw = text.encode("utf-8", "replace")[:48]
            if len(raw) < 18 or not self.in_text(text):
                continue
            for shift in range(3):
                coded = base64.b64encode(b"\0" * shift + raw)
                forms[coded[4 if shift else 0 : len(coded) - 4]] = None
        return tuple(forms)

    @cached_property
    def _hex(self) -> tuple[bytes, ...]:
        raws = (text.encode("utf-8", "replace")[:48] for text in self.texts if self.in_text(text))
        return tuple(raw.hex().encode() for raw in raws if len(raw) >= 12)


def _long_words(piece: str) -> tuple[str, ...]:
    words = sorted({word for word in piece.split() if len(word) > 3}, key=lambda word: (-len(word), word))
    return tuple(words) or (max(piece.split(), key=len),)


class _Finder:
    def __init__(self, pieces: tuple[str, ...]) -> None:
        self._pieces = pieces
        self._by_first: dict[str, list[str]] = {}
        if len(pieces) > _FEW:
            for piece in pieces:
                self._by_first.setdefault(piece.split(" ", 2)[1], []).append(piece)

    def any(self, text: str) -> bool:
        return next(self.found(text), None) is not None

    def found(self, text: str) -> Iterator[str]:
        if len(self._pieces) <= _FEW:
            yield from (piece for piece in self._pieces if piece in text)
            return
        at = 0
        for word in text.split():
            for piece in self._by_first.get(word, ()):
                if text.startswith(piece, at):
                    yield piece
            at += len(word) + 1


def _pieces(text: str) -> Iterator[str]:
    words = plain(text).split()
    whole = f" {' '.join(words)} "
    if len(whole) - 2 < SHORTEST:
        return
    if len(whole) - 2 <= PIECE + PIECE // 2:
        yield whole
        return
    taken: list[str] = []
    for word in words:
        taken.append(word)
        if len(" ".join(taken)) >= PIECE:
            yield f" {' '.join(taken)} "
            taken = []
    tail: list[str] = []
    for word in reversed(words):
        tail.insert(0, word)
        if len(" ".join(tail)) >= PIECE:
            break
    yield f" {' '.join(tail)} "


def leaves(value: object) -> Iterator[str]:
    """Every text in a value of a column: itself, or those of its JSON, after decompressing bytes."""
    if isinstance(value, bytes):
        value = inflated(value)
    if isinstance(value, str):
        inner = _json(value)
        if inner is None:
            yield value
        else:
            yield from _of_json(inner)


def inflated(data: bytes) -> str | None:
    """The text of bytes, decompressed when they are a zlib stream; None when they are no text."""
    if _STREAM.match(data):
        try:
            data = zlib.decompress(data)
        except zlib.error:
            return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _of_json(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _of_json(each)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, dict):
        for key, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _of_json(each)  # pyright: ignore[reportUnknownArgumentType]


def _json(text: str) -> object:
    if text[:1] not in {"[", "{"}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def edited(value: Value, change: Callable[[Any], Any]) -> Value:
    """A value of a column with `change` applied to its text or JSON value, in the same form."""
    if isinstance(value, bytes):
        packed = bool(_STREAM.match(value))
        try:
            text = (zlib.decompress(value) if packed else value).decode("utf-8")
        except (zlib.error, UnicodeDecodeError):
            return None
        after = edited(text, change)
        if after == text:
            return value
        data = str(after).encode("utf-8", "replace")
        return zlib.compress(data, 6) if packed else data
    if not isinstance(value, str):
        return value
    inner = _json(value)
    if inner is None:
        return change(value)
    after = change(inner)
    return value if after == inner else json.dumps(after, ensure_ascii=False, separators=(",", ":"))


def streams(data: bytes) -> Iterator[bytes]:
    """The decompressed zlib streams in some bytes, as far as they decompress."""
    for found in _STREAM.finditer(data):
        inflater = zlib.decompressobj()
        parts: list[bytes] = []
        taken, position = 0, found.start()
        try:
            while taken < _INFLATED and position < len(data) and not inflater.eof:
                part = inflater.decompress(data[position : position + 4096], _INFLATED - taken)
                position += 4096
                taken += len(part)
                parts.append(part)
        except zlib.error:
            pass  # it ends with a page of a database and goes on elsewhere: use the part
        if taken >= SHORTEST:
            yield b"".join(parts)


_ESCAPE = re.compile(rb"\\(u[0-9a-f]{4}|.)", re.DOTALL)


def json_unescaped(data: bytes) -> bytes:
    """Bytes of JSON, also cut ones, with escapes resolved."""

    def one(found: re.Match[bytes]) -> bytes:
        escape = found[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16)).encode("utf-8", "ignore")
        return b" " if escape in b"nrtbf" else escape

    return _ESCAPE.sub(one, data)
