"""Erase forgotten text from the exports and backups that memlsp wrote.

A copy that this machine sealed is sealed again, so it stays trusted. A copy that was edited since is erased too, and
stays unsealed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from attrs import evolve

from memlsp.memory.context import Context
from memlsp.memory.transfer.backups import rewrite_backup
from memlsp.memory.transfer.copies_in_progress import announce
from memlsp.memory.transfer.export_file import json_line, open_export, parse_line, replacing
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError
from memlsp.store.backup.seal import Sealer
from memlsp.store.erase.erasure import erase_in_backup
from memlsp.store.erase.erasure_selection import ErasureScope


def erase_copies(context: Context, scope: ErasureScope) -> Counter[str]:
    """Erase from all registered copies of this memory and the user's; returns how many changed. A copy that cannot be
    changed is reported by the search that follows."""
    done: Counter[str] = Counter()
    for store in context.stores:
        store_scope = scope
        if scope.everything and store is context.user:
            store_scope = evolve(scope, everything=False)
        for copy in store.copies.all():
            if copy.kind is CopyKind.VAULT or not copy.path.exists():
                continue
            with suppress(OSError, MemlspError, ValueError):
                erase = _erase_export if copy.kind is CopyKind.JSONL else _erase_backup
                done["copies"] += erase(context, store.path, copy.path, store_scope)
    return +done


def _erase_backup(context: Context, store: Path, path: Path, scope: ErasureScope) -> bool:
    return rewrite_backup(
        path, store, context.data_dir, context.clock(), lambda copy: bool(erase_in_backup(copy, scope))
    )


def _erase_export(context: Context, store: Path, path: Path, scope: ErasureScope) -> bool:
    """Rewrite an export without the erased lines and words. True when it changed."""
    data = context.data_dir
    with open_export(path, data) as export:  # raises for a file that is no export
        sealed = export.sealed
    changed = False
    counts: Counter[str] = Counter()
    with path.open("rb") as file, announce(store, path) as part, replacing(path, part=part) as fresh:
        sealer, former_sealer = Sealer(data), Sealer(data)
        for number, line in enumerate(file):
            value = parse_line(line)
            if number and value is not None and "end" in value:
                # the file may have changed since open_export read it
                sealed = sealed and former_sealer.fits(str(value.get("seal", "")))
                break
            former_sealer.update(line)
            after = line if not number else _line_after(line, value, scope)
            changed = changed or after != line
            if after:
                sealer.update(after)
                fresh.write(after)
                _count(value, counts)
        end = {name: counts[name] for name in ("beliefs", "revisions", "conflicts")}
        fresh.write(json_line({"end": end, "digest": sealer.digest, "seal": sealer.seal if sealed else ""}))
    return changed


def _count(value: dict[str, Any] | None, counts: Counter[str]) -> None:
    if value is not None and "belief" in value:
        counts["beliefs"] += 1
        counts["revisions"] += len(value.get("revisions", ()))
    elif value is not None and "conflict" in value:
        counts["conflicts"] += 1


def _line_after(line: bytes, value: dict[str, Any] | None, scope: ErasureScope) -> bytes:
    """A line after erasure; b"" when the whole line goes."""
    if scope.everything:
        return b""
    if value is None:  # truncated or edited: delete the whole line when it matches
        return b"" if scope.patterns.in_bytes(line) or scope.name.in_bytes(line) else line
    if _is_erased(value, scope):
        return b""
    after: object = value
    for patterns in (scope.patterns, scope.name):
        if any(patterns.in_text(text) for text in _texts(after)):
            after = patterns.without(after)
    return line if after is value else json_line(after)


def _is_erased(value: dict[str, Any], scope: ErasureScope) -> bool:
    conflict: Any = value.get("conflict")
    if isinstance(conflict, dict):
        sides = cast("dict[str, Any]", conflict).values()
        return any(isinstance(side, str) and side in scope.ids for side in sides)
    belief: Any = value.get("belief")
    if not isinstance(belief, dict):
        return False
    fields = cast("dict[str, Any]", belief)
    author: Any = fields.get("author") or {}
    return (
        fields.get("id") in scope.ids
        or (bool(scope.session) and fields.get("session") == scope.session)
        or (bool(scope.author) and author.get("name") == scope.author)
        or (bool(scope.path) and any(anchor.get("path") == scope.path for anchor in fields.get("anchors", ())))
        or (bool(scope.query) and any(scope.query.in_text(text) for text in _texts(value)))
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _texts(each)
    elif isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            yield key
            yield from _texts(each)
