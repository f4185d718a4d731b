"""Quotes code, values and paths in a sentence, so that nothing in them acts as markdown."""

from __future__ import annotations

import re
import unicodedata

_VALUE = 32
_CODE = 40  # characters of one piece of code in a clause
_LOST_WORD = 24  # characters by which a cut goes to the beginning or end of a word
_CUT_MARK = re.compile(r"… ?[0-9a-f]{16}$")  # facts that were cut end with a digest of the whole
_PLAIN = re.compile(r"-?\d[\d_]*(?:\.\d+)?%?")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9./-]|_(?=[A-Za-z0-9]))*")

# Facts write every string with single quotes. These languages use double quotes; in the second set a single character
# between single quotes is mostly no string.
_DOUBLE = frozenset(
    {".go", ".rs", ".java", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".cs", ".kt", ".kts", ".json",
     ".jsonc", ".toml", ".swift", ".scala", ".lua", ".dart", ".zig", ".m", ".mm"}
)  # fmt: skip
_CHARACTERS = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"})
_STRING = re.compile(r"(?P<before>^|.)'(?P<body>(?:\\.|[^'\\])*)'", re.DOTALL)
_LIFETIME = re.compile(r"(?<=[&<])'[a-z]\w*\b(?!')|(?<=[ ,(])'(?:static\b|[a-z]{1,2}(?=\s*[>,:+]))(?!')")


def in_own_style(text: str, path: str) -> str:
    """Normalised code as the language of `path` writes it: `'x'` in Python and JavaScript, `"x"` in Go."""
    suffix = path[path.rfind(".") :].lower() if "." in path else ""
    if suffix not in _DOUBLE or "'" not in text:
        return text
    lifetimes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        lifetimes.append(found[0])
        return "\0"

    def spell(found: re.Match[str]) -> str:
        body = found["body"]
        if suffix in _CHARACTERS and (len(body) == 1 or (len(body) == 2 and body[0] == "\\")):
            return found[0]
        body = body.replace("\\'", "'").replace('"', '\\"')
        return f'{found["before"]}"{body}"'

    if suffix == ".rs":
        text = _LIFETIME.sub(keep, text)
    text = _STRING.sub(spell, text)
    return re.sub("\0", lambda _: lifetimes.pop(0), text) if lifetimes else text


def code(text: str, longest: int = _CODE) -> str:
    """`text` in a code span that it cannot break out of, shortened in the middle to `longest` characters."""
    folded = _folded(text)
    if len(folded) > longest:
        ahead = (longest - 1) * 2 // 3
        folded = f"{folded[:ahead].rstrip()}…{folded[len(folded) - (longest - 1 - ahead) :].lstrip()}"
    return f"`{folded}`" if folded else "nothing"


def _folded(text: str) -> str:
    line = " ".join("".join(_visible(character) for character in text).split()).replace("`", "'")
    return _CUT_MARK.sub("…", line)


def code_pair(old: str, new: str, longest: int = _CODE) -> tuple[str, str]:
    """Two versions of code in code spans, long ones cut to what differs and as much around it as there is room for, so
    that different texts have different spans."""
    left, right = _folded(old), _folded(new)
    if max(len(left), len(right)) <= longest or not left or not right:
        return code(old, longest), code(new, longest)
    first = ahead = _common(left, right)
    behind = _common(left[ahead:][::-1], right[ahead:][::-1])
    word = _word_start(left, ahead)
    ahead = word if ahead - word < longest // 2 else ahead
    behind = len(left) - _word_end(left, len(left) - behind)
    spare = max(0, longest - 2 - (max(len(left), len(right)) - ahead - behind))
    before = min(ahead, max(spare // 2, spare - behind))
    start = min(_word_end(left, ahead - before), ahead) if before < ahead else 0
    return _part(left, start, first, longest), _part(right, start, first, longest)


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


def _common(left: str, right: str) -> int:
    """The length of the common beginning."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


def _part(text: str, start: int, differs: int, longest: int) -> str:
    """A code span from `start` on, with the place where it `differs` and what follows as far as there is room."""
    head, begin = ("…", start) if start > 1 else ("", 0)
    if len(text) - begin <= longest - len(head):
        return f"`{head}{text[begin:].strip()}`"
    end = begin + longest - len(head) - 1
    while end > max(differs + 1, begin + longest // 2) and text[end - 1].isalnum() and text[end].isalnum():
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
