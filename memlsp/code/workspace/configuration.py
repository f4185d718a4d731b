"""Reads configuration files for the code that depends on them: keys that it reads by name, and aliases of modules.

`load("config.toml")["tax"]["rate"]` depends on that key: its strings name the file and the parts of the key. In
`tsconfig.json` and `jsconfig.json`, `@app/rates` can stand for `src/rates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from posixpath import relpath

from memlsp.code.syntax.outline import Outline
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Dependency, Symbol, SymbolKind

ALIASING = frozenset({"javascript", "typescript", "tsx"})
_SUFFIXES = (".json", ".toml", ".yaml", ".yml", ".jsonc")
_FILES = 4  # configuration files read for one symbol
_KEYS = 40  # keys reported for one symbol
_PROJECTS = ("tsconfig.json", "jsconfig.json")
_PATHS = "compilerOptions.paths."

Lookup = Callable[[str], Outline | None]


def configured(symbol: Symbol, path: str, values: Iterable[str], lookup: Lookup) -> tuple[Dependency, ...]:
    """The keys that a symbol's strings name. `values` has those of the constants that it uses: one may be the path."""
    texts = _strings(symbol.facts.literals)
    files = _files([*texts, *_strings(values)], path, lookup)
    wanted = {part for text in texts for part in (text, *text.split("."))}
    out: list[Dependency] = []
    for written, outline in files:
        keys = [each for each in outline.symbols[1:] if each.kind is SymbolKind.KEY]
        keys = [each for each in keys if wanted.issuperset(each.name.split("."))]
        for key in keys:
            inner = key.name + "."
            if any(other.name.startswith(inner) for other in keys):
                continue  # a closer key was named
            value = key.facts.values[0].value if key.facts.values else ""
            name = f"{written}#{key.name}"
            out.append(Dependency(name, SymbolKind.KEY, outline.path, key.name, key.fingerprint.meaning, value[:200]))
            if len(out) >= _KEYS:
                return tuple(out)
    return tuple(out)


def key_values(constant: Symbol, path: str, keys: Sequence[str], lookup: Lookup) -> str | None:
    """The value under `keys` in the configuration file that a constant was read from, else None."""
    for _, outline in _files(_strings(constant.facts.literals), path, lookup):
        key = outline.find(".".join(keys))
        if key is not None and key.facts.values:
            return key.facts.values[0].value
    return None


def _strings(texts: Iterable[str]) -> list[str]:
    return [text[1:-1] for text in texts if len(text) > 2 and text[0] == "'" == text[-1]]


def _files(texts: Iterable[str], path: str, lookup: Lookup) -> list[tuple[str, Outline]]:
    out: list[tuple[str, Outline]] = []
    for text in dict.fromkeys(texts):
        if not text.endswith(_SUFFIXES) or len(text) > 200 or any(mark in text for mark in "*{}\\\n"):
            continue
        for base in dict.fromkeys(("", folder(path))):
            place = join(base, text)
            found = lookup(place) if place else None
            if found is not None and found.language in ("json", "toml", "yaml"):
                out.append((text, found))
                break
        if len(out) >= _FILES:
            break
    return out


def aliased(path: str, module: str, lookup: Lookup) -> tuple[str, ...]:
    """The paths that an alias stands for, relative to the file at `path` (`../rates`); empty for relative modules and
    unknown ones. The nearest configuration counts, with the one that it extends by a relative path."""
    if module.startswith("."):
        return ()
    for around in ancestors(path):
        for name in _PROJECTS:
            configured = lookup(join(around, name) or name)
            if configured is not None:
                found = dict.fromkeys(_led(module, configured, lookup))
                return tuple(_seen_from(path, each) for each in found) or _by_custom(path, module)
    return _by_custom(path, module)


def _by_custom(path: str, module: str) -> tuple[str, ...]:
    """The path of `@/rates`, which bundlers are often told to look for in the nearest `src`."""
    sources = next((each for each in ancestors(path) if each.rpartition("/")[2] == "src"), None)
    found = join(sources, module[2:]) if sources is not None and module.startswith(("@/", "~/")) else None
    return (_seen_from(path, found),) if found else ()


def _led(module: str, configured: Outline, lookup: Lookup, depth: int = 2) -> Iterator[str]:
    """Paths from the root, without endings."""
    here = folder(configured.path)
    base = _text(configured, "compilerOptions.baseUrl")
    root = here if base is None else join(here, base)
    for symbol in configured.symbols:
        if symbol.name.startswith(_PATHS) and root is not None:
            held = _held(module, symbol.name.removeprefix(_PATHS))
            for target in symbol.facts.literals if held is not None else ():
                if found := join(root, target.strip("'\"").replace("*", held or "", 1)):
                    yield found
    if base is not None and root is not None and (found := join(root, module)):
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
