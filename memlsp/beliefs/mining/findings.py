"""The statements that mining returns, and when two of them mean the same."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from hashlib import blake2b

from attrs import frozen

from memlsp.beliefs.claims.stems import stem, word_set
from memlsp.model.belief import BeliefKind, Evidence, EvidenceKind

_WORD = re.compile(r"[^\W_]+(?:[._/-][^\W_]+)*|[<>=]=?|!=|[+*/%&|]+")
_IDLE = word_set("a an the is are be been was were it its this that these those of to in for on at by and as so please")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


@frozen
class MinedStatement:
    """A statement with the passage that it was found in. Lines are from 1, inclusive, None for none; `worth` ranks
    those of one sort, from 0; `pattern` is a path glob when it applies to a part of the project. Of a prompt,
    `confidence` (0..1) says how likely it was meant to last, `direct` that a person plainly said it, and `personal`
    that it is about the person and holds in every project."""

    text: str
    kind: BeliefKind
    quote: str
    worth: float
    first_line: int | None = None
    last_line: int | None = None
    pattern: str = ""
    confidence: float = 0.0
    direct: bool = False
    personal: bool = False

    def evidence(self, kind: EvidenceKind, source: str, at: datetime) -> Evidence:
        """The passage as evidence; its file, or session and event, are to be added."""
        return Evidence(kind, self.quote, "", self.first_line, self.last_line, source=source, at=at)


def normalized(text: str) -> str:
    """The stems of a statement without letter case, articles and punctuation. Of two statements with the same result
    only one is proposed."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = (word for word in _WORD.findall(plain) if word not in _IDLE)
    return " ".join(stem(word) if word.isalpha() else word for word in words)


def proposal_id(text: str) -> str:
    """The id of a proposal, the same on every machine for the same normalized text, so that it is made once and a
    rejected one never again. Eight characters, as in other ids."""
    number = int.from_bytes(blake2b(f"proposal {normalized(text)}".encode(), digest_size=8).digest(), "big")
    signs = [_ALPHABET[10 + number % 22]]
    number //= 22
    for _ in range(7):
        signs.append(_ALPHABET[number % 32])
        number //= 32
    return "".join(signs)


def with_full_stop(text: str) -> str:
    """The text with a full stop, unless its end shows already that it is one."""
    return text if text.endswith((".", "!", "`", ")")) else f"{text}."


def printable(text: str) -> str:
    """The text in one line, without control, bidirectional and private-use characters."""
    plain = "".join(" " if unicodedata.category(sign) in {"Cc", "Zl", "Zp"} else sign for sign in text)
    return " ".join("".join(sign for sign in plain if unicodedata.category(sign) not in {"Cf", "Cs", "Co"}).split())
