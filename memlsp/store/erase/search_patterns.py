"""What forgetting looks for: texts, in the forms that they may have taken since.

A statement is quoted, cut, escaped, wrapped and compressed on its way through notes, briefings, titles and exports. So
texts are compared as words alone, letter case and signs aside, and a long one is looked for in pieces: each of them is
too long to stand anywhere by chance. Bytes of files are searched as UTF-8 and UTF-16, as base64 and hexadecimal, and
inside every zlib stream in them.
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
"""Stands where words were taken out of something that stays."""

PIECE = 28
"""Characters from which a piece of a text is taken for that text."""

SHORTEST = 5
"""Characters under which nothing is looked for: too much else holds them."""

_SIGNS = re.compile(r"[\W_]+")
_BETWEEN = rb"(?:\\\\u[0-9a-f]{4}|\\\\[a-z]|[^a-z0-9]){1,16}"
"""What may stand between two words of a text: signs, and what JSON writes for them."""

_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_INFLATED = 4 << 20  # bytes of one stream that are looked at
_FEW = 12  # pieces that are looked for one by one
_MANY = 60  # pieces from which on bytes are read as words, all of them


def plain(text: str) -> str:
    """A text as words alone, one space between them and at both ends."""
    return f" {_SIGNS.sub(' ', text.casefold()).strip()} "


class SearchPatterns:
    """Texts to look for. Those that are too short to be told from anything else are left out."""

    def __init__(self, texts: Iterable[str], *, also_in: Iterable[str] = (), within: bool = False) -> None:
        """`also_in` are texts that stay: what they hold too cannot be looked for. With `within` the words alone are
        taken out of what holds them, for they are a name."""
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
        """The same without what these texts hold too, which stay; itself where they hold nothing of it."""
        more = {piece for text in also_in for piece in self._finder.found(plain(text))} if self.pieces else None
        return SearchPatterns(self.texts, also_in=self._shared | more, within=self.within) if more else self

    def joined(self, texts: Iterable[str]) -> SearchPatterns:
        """The same with these texts to look for too, but nothing that is known to stand elsewhere."""
        return SearchPatterns([*self.texts, *texts], also_in=self._shared, within=self.within)

    def in_text(self, text: str) -> bool:
        """True when a piece of what is looked for stands in a text."""
        return bool(self.pieces) and len(text) >= SHORTEST and self._finder.any(plain(text))

    def in_value(self, value: object) -> bool:
        """The same for a value of a column: text, JSON, or bytes that hold one of these, compressed or not."""
        if not self.pieces or not isinstance(value, (str, bytes)) or len(value) < SHORTEST:
            return False
        if isinstance(value, str) and 3 * len(value) + 2 < self._least:  # folding letter case makes up to three of one
            return False
        raw = value if isinstance(value, str) else inflated(value)
        if raw is None or not self._may_stand_in(raw):
            return False
        return any(self.in_text(text) for text in leaves(raw))

    def _may_stand_in(self, text: str) -> bool:
        """False only when it does not: one look for a word of each piece, before anything is taken apart."""
        if self._marks is None:
            return True
        lowered = text.lower()
        return any(all(word in lowered for word in words) for words in self._marks)

    @cached_property
    def _marks(self) -> tuple[tuple[str, ...], ...] | None:
        """The long words of each piece, or its longest, the rarer first as far as length tells; None where there are
        too many pieces, or words that could be spelled in several ways."""
        if len(self.pieces) > _MANY or not all(piece.isascii() for piece in self.pieces):
            return None
        return tuple(dict.fromkeys(_long_words(piece) for piece in self.pieces))

    def without(self, value: Any) -> Any:
        """A value of JSON with every text in it that holds what is looked for replaced by a mark; keys too."""
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
        """A value of JSON in which no list of single words tells what is looked for: those that hold half of the words
        of a text, as they are or as stems, lose them."""
        if isinstance(value, list):
            words = [each for each in value if isinstance(each, str) and each.isalnum()]  # pyright: ignore[reportUnknownVariableType]
            gone = self._told_by(words) if words else frozenset[str]()
            return [self.without_words(each) for each in value if not isinstance(each, str) or each not in gone]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, dict):
            gone = self._told_by([str(key) for key in value if str(key).isalnum()])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return {key: self.without_words(each) for key, each in value.items() if key not in gone}  # pyright: ignore[reportUnknownVariableType]
        return value

    def _told_by(self, words: list[str]) -> frozenset[str]:
        """Those of some words or stems that are of a text of which half the words are among them."""
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

    # -- files ------------------------------------------------------------------------------------------------------

    def in_bytes(self, data: bytes) -> bool:
        """True when what is looked for stands in the bytes of a file, in any of the encodings."""
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
                told = plain(around.decode("utf-8", "ignore"))
                loose = plain(json_unescaped(around).decode("utf-8", "ignore")) if b"\\" in around else told
                if any(piece in told or piece in loose for piece in pieces):
                    return True
                start = lowered.find(word, start + len(word))
        return False

    def _spelled(self, data: bytes, lowered: bytes) -> bool:
        return any(form in data for form in self._base64) or any(form in lowered for form in self._hex)

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[bytes], tuple[bytes, ...]], ...]:
        """For each piece that is ASCII alone: what bytes are matched with, and what must stand in them first."""
        found: list[tuple[re.Pattern[bytes], tuple[bytes, ...]]] = []
        for piece in self.pieces:
            if piece.isascii():
                words = (re.escape(word.encode()) for word in piece.split())
                pattern = re.compile(_BETWEEN.join(words) + rb"(?![a-z0-9])")
                found.append((pattern, tuple(word.encode() for word in _long_words(piece))))
        return tuple(found)

    @cached_property
    def _by_word(self) -> dict[bytes, list[str]]:
        """The other pieces by their longest word, which is what bytes are searched for first; in each letter case,
        for bytes have none but that of ASCII."""
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
    """Which of many pieces stand in a text."""

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
    """A text as pieces of whole words, each long enough to be known again; the last reaches to the end."""
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
    """Every text in a value of a column: itself, what its JSON holds, what its bytes are when they are inflated."""
    if isinstance(value, bytes):
        value = inflated(value)
    if isinstance(value, str):
        inner = _json(value)
        if inner is None:
            yield value
        else:
            yield from _of_json(inner)


def inflated(data: bytes) -> str | None:
    """The text that some bytes are, inflated where they are compressed; None where they are no text."""
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
    """A value of a column with `change` applied to what it holds (a text, or a value of JSON), in the same form."""
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
    """What every zlib stream in some bytes inflates to, as far as it does."""
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
            pass  # it ends within a page of a database, and goes on elsewhere: what was there is told
        if taken >= SHORTEST:
            yield b"".join(parts)


_ESCAPE = re.compile(rb"\\(u[0-9a-f]{4}|.)", re.DOTALL)


def json_unescaped(data: bytes) -> bytes:
    """Bytes of JSON with escapes resolved, wherever they were cut."""

    def one(found: re.Match[bytes]) -> bytes:
        escape = found[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16)).encode("utf-8", "ignore")
        return b" " if escape in b"nrtbf" else escape

    return _ESCAPE.sub(one, data)
