"""Quotes code, values and paths in a sentence, so that nothing in them acts as markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memlsp.code.vocabulary import word_sets

_VALUE = 32
_CODE = 40  # characters of one piece of code in a clause
_LOST_WORD = 24  # characters by which a cut goes to the beginning or end of a word
_HALF_WORD = 10  # characters that a cut gives up so as not to show half a word
_CUT_MARK = re.compile(r"… ?[0-9a-f]{16}$")  # facts that were cut end with a digest of the whole
_PLAIN = re.compile(r"-?\d[\d_]*(?:\.\d+)?%?")
_NAME = re.compile(r"[\w.$:#?!-]+")
_CALLED = re.compile(r"[\w.$:>-]+\((?=.)")  # the function before its arguments
_END_OF_OTHER = re.compile(r"^['\"]?[ ,:)\]}]+")  # what closes the code before a quotation
_PLAIN_PATH = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9./-]|_(?=[A-Za-z0-9]))*")

# Facts write every string with single quotes. These languages use double quotes; in the second set a single character
# between single quotes is mostly no string.
_DOUBLE, _CHARACTERS = (word_sets(__name__)[each] for each in ("double", "characters"))
_STRING = re.compile(r"(?P<before>^|.)'(?P<body>(?:\\.|[^'\\])*)'", re.DOTALL)
_LIFETIME = re.compile(r"(?<=[&<])'[a-z]\w*\b(?!')|(?<=[ ,(])'(?:static\b|[a-z]{1,2}(?=\s*[>,:+]))(?!')")


ONE = re.compile(r"'(?:\\.|[^'\\])'")
"""A character or a string of one character, as facts write both."""


def has_characters(path: str) -> bool:
    """True for a language in which `'x'` is mostly a character."""
    return suffix_of(path) in _CHARACTERS


def suffix_of(path: str) -> str:
    """The suffix of a path, in lower case and with its dot; "" without one."""
    return path[path.rfind(".") :].lower() if "." in path else ""


def in_own_style(text: str, path: str, characters: frozenset[str] | None = None) -> str:
    """Normalised code as the language of `path` writes it: `'x'` in Python and JavaScript, `"x"` in Go, where those of
    `characters` are no strings."""
    suffix = suffix_of(path)
    if suffix not in _DOUBLE or "'" not in text:
        return text
    lifetimes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        lifetimes.append(found[0])
        return "\0"

    def spell(found: re.Match[str]) -> str:
        body = found["body"]
        alone = ONE.fullmatch(f"'{body}'") is not None
        if alone and (suffix in _CHARACTERS if characters is None else f"'{body}'" in characters):
            return found[0]
        body = body.replace("\\'", "'").replace('"', '\\"')
        return f'{found["before"]}"{body}"'

    if suffix == ".rs":
        text = _LIFETIME.sub(keep, text)
    text = _STRING.sub(spell, text)
    return re.sub("\0", lambda _: lifetimes.pop(0), text) if lifetimes else text


def code(text: str, longest: int = _CODE) -> str:
    """`text` in a code span that it cannot break out of, shortened to `longest` characters: a name in the middle, other
    code at its end."""
    folded = _folded(text)
    if len(folded) > longest and _NAME.fullmatch(folded):
        ahead = (longest - 1) * 2 // 3
        folded = f"{folded[:ahead].rstrip()}…{folded[len(folded) - (longest - 1 - ahead) :].lstrip()}"
    return _part(folded, 0, len(folded), 0, longest) if folded else "nothing"


def _folded(text: str) -> str:
    line = " ".join("".join(_visible(character) for character in text).split()).replace("`", "'")
    return _CUT_MARK.sub("…", line)


def code_pair(old: str, new: str, longest: int = _CODE) -> tuple[str, str]:
    """Two versions of code in code spans, long ones cut to what differs with as much on both sides of it as there is
    room for, so that different texts have different spans."""
    left, right = _folded(old), _folded(new)
    if max(len(left), len(right)) <= longest or not left or not right:
        return code(old, longest), code(new, longest)
    first = common_start(left, right)
    behind = common_start(left[first:][::-1], right[first:][::-1])
    # at least the word that differs, and the one before it where nothing but signs came or went
    ahead = _word_start(left, first)
    if not all(re.search(r"\w", text[ahead : len(text) - behind]) for text in (left, right)):
        ahead = _word_start(left, len(left[:ahead].rstrip(" .,:;()[]{}<>")))
    ahead = ahead if first - ahead < longest * 2 // 3 else first
    ahead -= left[ahead - 1 : ahead] in ("'", '"') and ahead > 0
    behind = len(left) - _word_end(left, len(left) - behind)
    differing = max(len(left), len(right)) - ahead - behind
    called = _CALLED.match(left[:ahead])
    begin = called.end() if called and called.end() + differing < longest - 4 else 0
    spare = max(0, longest - 2 - begin - differing)
    before = min(ahead, max(spare // 2, spare - behind))
    start = min(_word_end(left, ahead - before), ahead) if before < ahead else 0
    start = ahead - len(_END_OF_OTHER.sub("", left[start:ahead])) if start else 0
    begin = begin if start > begin else 0
    after = max(spare - (ahead - start), 0)
    parts = [
        _part(text, start, min(len(text), max(len(text) - behind, first) + after), first, longest - begin)
        for text in (left, right)
    ]
    return f"`{left[:begin]}{parts[0][1:]}", f"`{left[:begin]}{parts[1][1:]}"


def _word_start(text: str, at: int) -> int:
    """The beginning of the word around `at`; `at` itself when that is far."""
    start = at
    while start > 0 and at - start < _LOST_WORD and (text[start - 1].isalnum() or text[start - 1] in "_."):
        start -= 1
    return start if at - start < _LOST_WORD else at


def _word_end(text: str, at: int) -> int:
    """The end of the word around `at`; `at` itself when that is far, or where no word goes on."""
    end = at
    while 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum() and end - at < _LOST_WORD:
        end += 1
    return end if end - at < _LOST_WORD else at


def common_start(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the common beginning."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def differing(left: Sequence[str], right: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both without their common beginning and end."""
    first = common_start(left, right)
    behind = common_start(left[first:][::-1], right[first:][::-1])
    return left[first : len(left) - behind], right[first : len(right) - behind]


def _part(text: str, start: int, stop: int, differs: int, longest: int) -> str:
    """A code span with a text from `start` to `stop` as far as there is room, at least to the place where it `differs`,
    and marks where something is left out."""
    head, begin = ("…", start) if start > 1 else ("", 0)
    room = longest - len(head)
    if len(text) - begin <= room:
        return f"`{head}{text[begin:].strip()}`"
    end = min(begin + room - 1, stop)
    while end > max(differs + 1, begin + room - _HALF_WORD) and text[end - 1].isalnum() and text[end].isalnum():
        end -= 1  # no half word
    return f"`{head}{text[begin:end].strip().removesuffix('…')}…`"


def same_when_shown(old: str, new: str) -> bool:
    """True when the spans of two different texts would look alike."""
    left, right = code_pair(old, new)
    return left == right


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else character


def path_text(path: str) -> str:
    """A path as plain text where markdown reads it as such, else in a code span."""
    if len(path) <= 60 and _PLAIN_PATH.fullmatch(path):
        return path
    return code(path, 60)


def value_pair(old: str, new: str, longest: int = _VALUE) -> tuple[str, str]:
    """Two values: numbers as they are, everything else in code spans that show where they differ."""
    plain_old, plain_new = value_text(old, longest), value_text(new, longest)
    if "`" not in (plain_old[:1], plain_new[:1]) or plain_old[:1] != plain_new[:1]:
        return plain_old, plain_new
    return code_pair(old, new, longest)


def value_text(text: str | None, longest: int = _VALUE) -> str:
    """A value: numbers as they are, everything else in a code span."""
    if text is None:
        return "nothing"
    return text if _PLAIN.fullmatch(text) and len(text) <= 20 else code(text, longest)
