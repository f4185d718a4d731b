"""The public Python API as values: `Memory`, its parts, and every value that their signatures name.

`python -m docs.generate.python_surface` writes tests/docs/python_surface.txt, in which a reviewer sees each change.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs

import memlsp
from memlsp.memory import services
from memlsp.memory.memory import Memory
from memlsp.memory.services import Services
from memlsp.model import errors
from memlsp.model.errors import MemlspError

SNAPSHOT = Path(__file__).resolve().parents[2] / "tests" / "docs" / "python_surface.txt"

OWN = {
    "Memory": {"is_exchange_due", "judge_ahead", "leave_notices", "take_shared"},
    "conflicts": {"after", "ask", "look", "side"},
    "copies": {"hints", "taken"},
    "documents": {"changed"},
    "episodes": {"close_due", "observe"},
    "events": {"attend", "behind", "close", "leave", "store_path", "take", "turn"},
    "handoffs": {"refresh"},
    "imports": {"run"},
    "proposals": {"is_due", "learn_aside", "observe"},
    "review": {"still"},
    "survey": {"begin", "end", "look", "outline", "page", "settled"},
    "team": {"health", "keep_up", "words"},
    "threads": {"hand_over", "observe", "version"},
    "vectors": {"check", "choice", "encoder", "forget", "is_due", "refresh", "tend"},
}
"""What memlsp's own servers and parts call: no promise is made about it, and no page describes it."""

ALIASES = {
    "Cancel": "`Callable[[], bool]`: asked between two steps of long work; True ends it.",
    "Conditions": "Pairs of a key and a value, or such pairs by the id of a belief.",
    "Progress": "`Callable[[int, int], None]`: told how much is done, of how much.",
}
"""Names of types that are no classes."""

_COMMENTED = re.compile(r"^    (\w+)(?:: [^#\n]+?| = [^#\n]+?)  # (.+)$", re.MULTILINE)


@cache
def parts() -> dict[str, type[Any]]:
    """The parts that a `Memory` leads to, by name."""
    homes = _imported(services)
    found: dict[str, type[Any]] = {}
    for name, member in sorted(vars(Services).items()):
        if isinstance(member, cached_property) and not name.startswith("_"):
            kind = member.func.__annotations__["return"]
            found[name] = getattr(import_module(homes[kind]), kind)
    return found


def _imported(module: Any) -> dict[str, str]:
    """The modules of what is imported under TYPE_CHECKING, by name."""
    source = Path(inspect.getfile(module)).read_text(encoding="utf-8")
    return {name: home for home, name in re.findall(r"^    from (\S+) import (\w+)$", source, re.MULTILINE)}


def members(owner: type[Any], name: str) -> dict[str, Any]:
    """The public methods and properties of a part (or of `Memory` itself), by name, without memlsp's own."""
    found: dict[str, Any] = {}
    for each, annotation in inspect.get_annotations(owner).items() if owner is Memory else ():
        found |= {} if each.startswith("_") else {each: _classes()[annotation]}
    for each, member in inspect.getmembers_static(owner):
        if each.startswith("_") or each in OWN.get(name, ()) or each in parts():
            continue
        kinds = (cached_property, property, classmethod, staticmethod)
        ours = (getattr(function_of(member), "__module__", "") or "").startswith(
            ("memlsp.", "memlsp_team.")
        )  # the others are those of str, for one
        if ours and (isinstance(member, kinds) or inspect.isfunction(member)):
            found[each] = member
    return dict(sorted(found.items()))


def function_of(member: Any) -> Any:
    """The function behind a method or property; an attribute, which is its type, stays."""
    for each in ("fget", "func", "__func__"):
        if not inspect.isfunction(member) and not isinstance(member, type):
            member = getattr(member, each, member)
    return member


def is_property(member: Any) -> bool:
    """True for what is read without a call."""
    return isinstance(member, property | cached_property | type)


def signature(member: Any, name: str, width: int = 0) -> str:
    """`name(parameter: type = default) -> type`, or `name: type` for a property; wider ones are broken into lines."""
    function = function_of(member)
    if isinstance(function, type):
        return f"{name}: {function.__name__}"
    returns = inspect.signature(function).return_annotation
    if is_property(member):
        return f"{name}: {returns}"
    shown: list[str] = []
    starred = False
    for each in list(inspect.signature(function).parameters.values()):
        if each.name in {"self", "cls"}:
            continue
        if each.kind is each.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or each.kind in {each.KEYWORD_ONLY, each.VAR_POSITIONAL}
        default = "" if each.default is each.empty else f" = {_written(each.default)}"
        shown.append(f"{'*' * (each.kind is each.VAR_POSITIONAL)}{each.name}: {each.annotation}{default}")
    line = f"{name}({', '.join(shown)}) -> {returns}"
    if not width or len(line) <= width:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in shown) + f") -> {returns}"


def _written(value: object) -> str:
    """A default as source code has it."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return f'"{value}"' if isinstance(value, str) else repr(value)


@cache
def _classes() -> dict[str, type[Any]]:
    """Every class of memlsp that a signature may name, by name; a class name occurs once in the package."""
    modules = ["memlsp_team.exchange.exchange", "memlsp_team.exchange.lines"]  # what a storage of one's own implements
    for room in ("memlsp.model", "memlsp.memory", "memlsp.store.tables", "memlsp.code.syntax"):
        modules += [each.name for each in pkgutil.walk_packages(import_module(room).__path__, f"{room}.")]
    found: dict[str, type[Any]] = {}
    for module in modules:
        for name, kind in vars(import_module(module)).items():
            if isinstance(kind, type) and kind.__module__.startswith("memlsp") and not name.startswith("_"):
                found.setdefault(name, kind)
    return found


def named(annotation: str) -> list[str]:
    """The names of memlsp's types in an annotation, in order, without those that have no page: parts and errors."""
    words = dict.fromkeys(re.findall(r"\b[A-Z]\w+\b", annotation))
    return [word for word in words if word in ALIASES or (word in _classes() and _classes()[word] not in _unlisted())]


@cache
def _unlisted() -> frozenset[type[Any]]:
    return frozenset({Memory, *parts().values()})


def types_in(member: Any) -> str:
    """All annotations of a method or property, in one text."""
    if isinstance(member, type):
        return member.__name__
    return " ".join(str(each) for each in function_of(member).__annotations__.values())


@cache
def values() -> dict[str, type[Any]]:
    """Every value that the public methods take or return, and what those consist of, by name."""
    waiting = ["Exchange", *(name for name in memlsp.__all__ if name in _classes())]
    for name, owner in (("Memory", Memory), *parts().items()):
        for member in members(owner, name).values():
            waiting += named(types_in(member))
    found: dict[str, type[Any]] = {}
    while waiting:
        name = waiting.pop()
        kind = _classes().get(name)
        if kind is None or name in found or kind in _unlisted() or issubclass(kind, MemlspError):
            continue
        found[name] = kind
        for _, annotation, _ in fields(kind):
            waiting += named(annotation)
        for member in members(kind, name).values():
            waiting += named(types_in(member))
    return dict(sorted(found.items()))


def fields(kind: type[Any]) -> Iterator[tuple[str, str, str]]:
    """The fields of a value as (name, type, default): the default as written, "" for none. An enum has none."""
    if not attrs.has(kind):
        return
    types = {name: each for base in reversed(kind.__mro__) for name, each in inspect.get_annotations(base).items()}
    for each in attrs.fields(kind):
        if not each.name.startswith("_"):
            default = each.default
            written = "" if default is attrs.NOTHING else _written(default)
            # as written: `each.type` is another once cattrs has resolved it
            yield each.name, str(types[each.name]), "…" if "Factory(" in written else written


def remarks(kind: type[Any]) -> dict[str, str]:
    """The comments behind the fields or members of a class, by name."""
    return dict(_COMMENTED.findall(inspect.getsource(kind)))


def error_tree() -> list[type[MemlspError]]:
    """The errors, each after its base."""
    return [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, MemlspError)]


def surface() -> str:
    """Everything public: one line for each name, field, method and error."""
    lines = ["memlsp", *(f"    {name}" for name in memlsp.__all__)]
    for name, owner in (("Memory", Memory), *parts().items()):
        found = members(owner, name)
        if found:
            lines += ["", "memlsp.Memory" if owner is Memory else f"memlsp.Memory.{name}"]
            lines += [f"    {signature(member, each)}" for each, member in found.items()]
    for name, kind in values().items():
        lines += ["", f"{kind.__module__}.{name}"]
        if issubclass(kind, Enum):
            lines += [f"    {each.name} = {each.value!r}" for each in kind]
        for each, annotation, default in fields(kind):
            lines.append(f"    {each}: {annotation}{f' = {default}' if default else ''}")
        lines += [f"    {signature(member, each)}" for each, member in members(kind, name).items()]
    lines += ["", "memlsp.model.errors"]
    lines += [f"    {each.__name__}({each.__base__.__name__ if each.__base__ else ''})" for each in error_tree()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    SNAPSHOT.write_text(surface(), encoding="utf-8")
