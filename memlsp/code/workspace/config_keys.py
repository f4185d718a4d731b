"""Finds the keys of configuration files that code reads by name. `load("config.toml")["tax"]["rate"]` depends on that
key: its strings name the file and the parts of the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memlsp.code.syntax.outline import Outline
from memlsp.code.workspace.paths import folder, join
from memlsp.model.symbol import Dependency, Symbol, SymbolKind

_SUFFIXES = (".json", ".toml", ".yaml", ".yml", ".jsonc")
_FILES = 4  # configuration files read for one symbol
_KEYS = 40  # keys reported for one symbol

Find = Callable[[str], Outline | None]


def configured(symbol: Symbol, path: str, values: Iterable[str], find: Find) -> tuple[Dependency, ...]:
    """The keys that a symbol's strings name. `values` has those of the constants that it uses: one may be the path."""
    texts = _strings(symbol.facts.literals)
    files = _files([*texts, *_strings(values)], path, find)
    wanted = {part for text in texts for part in (text, *text.split("."))}
    out: list[Dependency] = []
    for written, outline in files:
        keys = [
            each
            for each in outline.symbols[1:]
            if each.kind is SymbolKind.KEY and wanted.issuperset(each.name.split("."))
        ]
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


def key_values(constant: Symbol, path: str, keys: Sequence[str], find: Find) -> str | None:
    """The value under `keys` in the configuration file that a constant was read from, else None."""
    for _, outline in _files(_strings(constant.facts.literals), path, find):
        key = outline.find(".".join(keys))
        if key is not None and key.facts.values:
            return key.facts.values[0].value
    return None


def _strings(texts: Iterable[str]) -> list[str]:
    return [text[1:-1] for text in texts if len(text) > 2 and text[0] == "'" == text[-1]]


def _files(texts: Iterable[str], path: str, find: Find) -> list[tuple[str, Outline]]:
    out: list[tuple[str, Outline]] = []
    for text in dict.fromkeys(texts):
        if not text.endswith(_SUFFIXES) or len(text) > 200 or any(mark in text for mark in "*{}\\\n"):
            continue
        for base in dict.fromkeys(("", folder(path))):
            place = join(base, text)
            found = find(place) if place else None
            if found is not None and found.language in ("json", "toml", "yaml"):
                out.append((text, found))
                break
        if len(out) >= _FILES:
            break
    return out
