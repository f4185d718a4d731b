"""What a symbol uses that is defined elsewhere in the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memlsp.code.outline import Outline
from memlsp.model.symbol import Dependency, Symbol


def dependencies(
    symbol: Symbol, here: Outline, lookup: Callable[[str], Outline | None], *, siblings: Sequence[str] = ()
) -> tuple[Dependency, ...]:
    """The workspace's own definitions that `symbol` uses, by name."""
    found: list[Dependency] = []
    for name in symbol.facts.uses:
        for target in here.named(name)[:1]:
            if target.name == name and not target.name.startswith(symbol.name + "."):
                value = target.facts.values[0].value if target.facts.values else ""
                found.append(
                    Dependency(name, target.kind, here.path, target.name, target.fingerprint.meaning, value[:200])
                )
    return tuple(found)
