"""Finds the language of a file, and whether people write it or tools do."""

from __future__ import annotations

from memlsp.code.languages import LANGUAGES
from memlsp.code.languages.pack.descriptions import described, is_installed, pack_language
from memlsp.code.languages.pack.descriptions import names as pack_names
from memlsp.code.syntax.language import Language
from memlsp.code.vocabulary import BytePatterns, patterns, word_sets

_BY_SUFFIX: dict[str, list[Language]] = {}
for _language in LANGUAGES:
    for _suffix in _language.suffixes:
        _BY_SUFFIX.setdefault(_suffix, []).append(_language)
_BY_NAME = {name: language for language in LANGUAGES for name in language.filenames}
_BY_LANGUAGE = {language.name: language for language in LANGUAGES}
_BY_PROGRAM = {program: language for language in LANGUAGES for program in language.interpreters}
_RE, _TEXTS = BytePatterns(__name__), patterns(__name__)
_WORDS = word_sets(__name__)
_SCRIPTS = (".js", ".mjs", ".cjs", ".css", ".ts", ".tsx", ".jsx", ".php", ".json")
_LONG_LINE = 20_000  # bytes in one line that nobody typed, whatever the language
_HEAD = 2048  # bytes of a file in which a generator's note is looked for


def describe(path: str, head: bytes = b"") -> Language | None:
    """The description of a file's language, by its name and then by its first line."""
    name = path.replace("\\", "/").rpartition("/")[2]
    found = _BY_NAME.get(name)
    if found is not None:
        return found
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        rivals = _BY_SUFFIX.get("." + suffix) or _BY_SUFFIX.get("." + suffix.lower(), [])
        recognized = (each for each in rivals[1:] if each.recognizes is not None and each.recognizes(head))
        return next(recognized, rivals[0]) if rivals else pack_language(name)
    shebang = _RE["shebang"].match(head)
    return _BY_PROGRAM.get(shebang[1].decode("ascii").lower()) if shebang else pack_language(name)


def language_named(name: str | None) -> Language | None:
    """The description of a language by its name."""
    if not name:
        return None
    return _BY_LANGUAGE.get(name) or (described(name) if name in pack_names() and is_installed() else None)


def language_of(path: str, head: bytes = b"") -> str | None:
    """The language's name (python, typescript, csharp, markdown...), or None."""
    found = describe(path, head)
    return found.name if found else None


def is_lock(path: str) -> bool:
    """True for the lists of exact versions that package managers write."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.endswith((".lock", "-lock.json", "-lock.yaml", ".lockb")) or name == "go.sum"


def is_generated(path: str, source: bytes) -> bool:
    """True for files that people do not write: a generator's note near the top, a minified shape, a vendor folder."""
    parts = path.replace("\\", "/").split("/")
    if not _WORDS["vendored"].isdisjoint(parts[:-1]) or _TEXTS["generated_name"].search(parts[-1]) or is_lock(path):
        return True
    head = source[:_HEAD]
    note = _RE["header"].search(head)
    if note and _in_comment(head, note.start()):
        return True
    if len(source) > 5000 and parts[-1].endswith(_SCRIPTS) and len(source) / (source.count(b"\n") + 1) > 400:
        return True
    return is_packed(source)


def is_text_only(language: Language | None, path: str, source: bytes) -> bool:
    """True for a file that is known by its lines alone: of no language, a lock, too large, or packed."""
    return language is None or is_lock(path) or len(source) > language.largest or is_packed(source)


def is_packed(source: bytes) -> bool:
    """True for a text with a line that nobody typed: minified, a table, data. It has no symbols."""
    return len(source) > _LONG_LINE and max(map(len, source.split(b"\n"))) > _LONG_LINE


def _in_comment(head: bytes, at: int) -> bool:
    line = head[head.rfind(b"\n", 0, at) + 1 : at].strip()
    return line[:1] in (b"#", b"/", b"*", b"-", b";", b"<", b"!") or line == b""
