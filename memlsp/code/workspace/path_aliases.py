"""Module aliases of `tsconfig.json` and `jsconfig.json`: `@app/rates` for `src/rates`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import relpath

from memlsp.code.syntax.outline import Outline
from memlsp.code.workspace.paths import ancestors, folder, join

Lookup = Callable[[str], Outline | None]

LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_FILES = ("tsconfig.json", "jsconfig.json")
_PATHS = "compilerOptions.paths."


def aliased(path: str, module: str, lookup: Lookup) -> tuple[str, ...]:
    """The paths that an alias stands for, relative to the file at `path` (`../rates`); empty for relative modules and
    unknown ones. The nearest configuration counts, with the one that it extends by a relative path."""
    if module.startswith("."):
        return ()
    for around in ancestors(path):
        for name in _FILES:
            configured = lookup(join(around, name) or name)
            if configured is not None:
                found = dict.fromkeys(_led(module, configured, lookup))
                return tuple(_seen_from(path, each) for each in found)
    return ()


def _led(module: str, configured: Outline, lookup: Lookup, depth: int = 2) -> Iterator[str]:
    """Paths from the root, without endings."""
    here = folder(configured.path)
    base = _text(configured, "compilerOptions.baseUrl")
    root = here if base is None else join(here, base)
    for symbol in configured.symbols:
        if symbol.name.startswith(_PATHS) and root is not None:
            held = _held(module, symbol.name.removeprefix(_PATHS))
            for target in symbol.facts.literals if held is not None else ():
                found = join(root, target.strip("'\"").replace("*", held or "", 1))
                if found:
                    yield found
    if base is not None and root is not None:
        found = join(root, module)
        if found:
            yield found
    above = _text(configured, "extends")
    if above is not None and above.startswith(".") and depth:
        place = join(here, above if above.endswith(".json") else f"{above}.json")
        other = lookup(place) if place else None
        if other is not None:
            yield from _led(module, other, lookup, depth - 1)


def _held(module: str, pattern: str) -> str | None:
    """The part of a module that a pattern's star matches, "" without one; None when it does not match."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if module == pattern else None
    fits = len(module) >= len(start) + len(end) and module.startswith(start) and module.endswith(end)
    return module[len(start) : len(module) - len(end)] if fits else None


def _text(configured: Outline, name: str) -> str | None:
    symbol = configured.find(name)
    literals = symbol.facts.literals if symbol is not None else ()
    return literals[0].strip("'\"") if literals else None


def _seen_from(path: str, target: str) -> str:
    relative = relpath(target, folder(path) or ".")
    return relative if relative.startswith(".") else f"./{relative}"
