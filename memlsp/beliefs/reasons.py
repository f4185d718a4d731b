"""The stable codes of the reasons that a standing gives; the reference is generated from their descriptions."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from memlsp.model.change import Detail, DetailKind
from memlsp.model.standing import Reason


class ReasonCode(StrEnum):
    """Why a standing is what it is. The word never changes once published; `about` is its line in the reference."""

    about: str

    def __new__(cls, code: str, about: str) -> Self:
        """A code with its description."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.about = about
        return member

    # The code was carried along with the belief.
    SYMBOL_RENAMED = "symbol-renamed", "The symbol has a new name and means the same."
    SYMBOL_MOVED = "symbol-moved", "The symbol stands in another file or container and means the same."
    FILE_RENAMED = "file-renamed", "The file has a new path and holds the same."
    BODY_EXTRACTED = "body-extracted", "The symbol now calls a new one that holds what it did itself."
    UNTOUCHED = "untouched", "The symbol, or what it calls, changed away from all that the statement speaks of."
    PATH_MOVED = "path-moved", "A file that the statement names has a new path and the same content."

    # The code moved on, or what the statement names went.
    SIGNATURE_CHANGED = "signature-changed", "Parameters were added, removed, renamed or reordered."
    DEFAULT_CHANGED = "default-changed", "A parameter's default is another, or there is one now, or none any more."
    TYPE_CHANGED = "type-changed", "A declared type is another."
    MODIFIER_CHANGED = "modifier-changed", "A modifier (async, static, public...) came or went."
    DECORATOR_CHANGED = "decorator-changed", "A decorator, annotation or attribute came, went or changed."
    BASE_CHANGED = "base-changed", "What it extends or implements is another."
    CALL_CHANGED = "call-changed", "It calls something else."
    EXCEPTION_CHANGED = "exception-changed", "It raises or catches something else."
    CONDITION_CHANGED = "condition-changed", "A condition is another."
    RETURN_CHANGED = "return-changed", "It returns or yields something else."
    LOOP_CHANGED = "loop-changed", "A loop runs over something else, or came or went."
    LITERAL_CHANGED = "literal-changed", "A literal in its body is another."
    VALUE_CHANGED = "value-changed", "The value of a constant, key or member is another."
    MEMBER_CHANGED = "member-changed", "A member of a class or file changed, went or has a new name."
    MEMBERS_COUNTED = "members-counted", "The statement counts the members, and there are more or fewer now."
    DEPENDENCY_CHANGED = "dependency-changed", "Something that it uses, defined elsewhere, changed or is gone."
    BODY_CHANGED = "body-changed", "Its body is another, in ways without a better name."
    TEXT_CHANGED = "text-changed", "The lines are others, in a language that is only compared as text."
    DENIED_NOW_PRESENT = "denied-now-present", "The code now does what the statement rules out."
    CODE_DIFFERS = "code-differs", "The code already said something else when the statement was made."
    NOT_YET = "not-yet", "The code does not follow the decision, rule or plan yet."

    GUARD_BROKEN = "guard-broken", "Its guard matches where it must not, or does not where it must."

    # The code is gone.
    SYMBOL_REMOVED = "symbol-removed", "The symbol is in no file any more."
    SYMBOL_AMBIGUOUS = "symbol-ambiguous", "The symbol is gone, and several others could be what became of it."
    FILE_REMOVED = "file-removed", "The file is gone."

    # The statement's own references.
    PATH_REMOVED = "path-removed", "A file or folder that the statement names is gone."
    IDENTIFIER_REMOVED = "identifier-removed", "A name that the statement uses is nowhere in the workspace any more."
    COMMAND_REMOVED = "command-removed", "A command that the statement names is not defined any more."

    SOURCE_CHANGED = "source-changed", "The document or comment that it was taken from no longer says so."

    BASE_FALLEN = "base-fallen", "A belief that it rests on was retired, superseded, forgotten or contradicted."

    # Neither the code nor the statement decides.
    EXPIRED = "expired", "The belief was said to hold until a date, which has passed."
    UNCONFIRMED = "unconfirmed", "The belief was to be confirmed every so many days, and was not in time."
    UNPARSED = "unparsed", "The file does not parse at the moment; it is judged when it does."
    UNREADABLE = "unreadable", "The file is binary, too large or not to be read now."
    NOTHING_TO_CHECK = "nothing-to-check", "The belief is tied to no code, and names nothing that could be checked."
    SUPERSEDED = "superseded", "Another belief took its place."
    RETIRED = "retired", "Somebody said that it is no longer true."
    REJECTED = "rejected", "It was proposed, and a person did not want it."


# The word that a code begins with, where it is not the one that the kind of the detail begins with.
_WORDS = {"parameter": "signature", "parameters": "signature", "raise": "exception", "catch": "exception"}


def code_of(detail: Detail) -> ReasonCode:
    """The reason code that names this difference, by the word that both begin with."""
    word = "type" if detail.kind is DetailKind.RETURN_TYPE else detail.kind.partition("_")[0]
    return ReasonCode.__members__.get(f"{_WORDS.get(word, word).upper()}_CHANGED", ReasonCode.BODY_CHANGED)


def reason(code: ReasonCode, message: str, path: str | None = None, symbol: str | None = None) -> Reason:
    """A reason under one of the stable codes."""
    return Reason(code.value, message, path, symbol)
