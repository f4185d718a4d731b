"""The checks of `memlsp doctor`."""

from __future__ import annotations

import stat
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from memlsp.capture.git.repository import damage_of, stranger_of
from memlsp.capture.redaction.event_filter import Screen
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import outline
from memlsp.memory.context import Context
from memlsp.memory.ingest.hook_log import FILE, last
from memlsp.memory.transfer.relocation import hints
from memlsp.model.errors import MemlspError
from memlsp.model.place import Workspace
from memlsp.model.view import HealthCheck
from memlsp.store.core import spool
from memlsp.store.core.database import SOUND_SQLITE, sqlite_version
from memlsp.store.store import Store

_TABLES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("doctor.toml").read_text("utf-8"))


def run_checks(context: Context) -> tuple[HealthCheck, ...]:
    """Check the workspace, the parsers, SQLite, the stores, the anchored files, the settings and the hooks.

    A check that raises is reported as failed, and the others still run.
    """
    workspace, stores, worktree = context.workspace, context.stores, context.worktree
    steps: tuple[Callable[[], Iterator[HealthCheck]], ...] = (
        lambda: _workspace(workspace, worktree),
        _parsers,
        _sqlite,
        *(partial(_store, store) for store in stores),
        lambda: _anchored_files(stores[0], worktree),
        lambda: _stranded(context),
        lambda: _settings(workspace.root, context.data_dir),
        lambda: _events(stores[0]),
        lambda: _hooks(context.data_dir),
    )
    checks: list[HealthCheck] = []
    for step in steps:
        try:
            checks.extend(step())
        except (MemlspError, OSError) as error:
            checks.append(HealthCheck("check", ok=False, message=f"could not look: {error}"))
    return tuple(checks)


def _check(name: str, fault: str, fine: str, advice: str = "", *, wrong: bool = True) -> HealthCheck:
    """A check that found a `fault`, with the advice; or, where that is "", what is `fine`. A fault that is not `wrong`
    is only to be known."""
    if not fault:
        return HealthCheck(name, ok=True, message=fine)
    return HealthCheck(name, ok=False if wrong else None, message=fault, advice=advice)


def _notice(name: str, message: str, advice: str = "") -> HealthCheck:
    """A check that found nothing wrong, and something to know."""
    return HealthCheck(name, ok=None, message=message, advice=advice)


def _stranded(context: Context) -> Iterator[HealthCheck]:
    """Report memories whose folder was renamed: without a remote, the renamed folder has a new key."""
    for hint in hints(context):
        message, _, advice = hint.rpartition(": ")
        yield _notice("moved", message, advice)


def _settings(root: Path, data: Path) -> Iterator[HealthCheck]:
    """Report invalid settings, and capture that is switched off."""
    screen = Screen(str(root), str(data))
    for message in screen.settings.messages:
        yield HealthCheck("settings", ok=False, message=message, advice="docs/reference/settings.md lists them")
    why = screen.why_off("agents")
    if why and not screen.settings.messages:
        yield _notice("settings", f"nothing of agents is captured here: {why}")


def _hooks(data: Path) -> Iterator[HealthCheck]:
    """Report the errors of hooks, which agents do not see."""
    lines = last(1_000, data=str(data))
    if lines:
        times = "once" if len(lines) == 1 else f"{len(lines)} times"
        where = f"{data / FILE} tells of each; it may be deleted"
        yield _notice("hooks", f"hooks met trouble {times}, last: {lines[-1]}", where)


def _events(store: Store) -> Iterator[HealthCheck]:
    """The number of received, stored, repeated and dropped events, and whether they add up."""
    tallies = store.journal.tallies()
    waiting = spool.waiting(str(store.path))
    kept = store.journal.counted()
    total: Counter[str] = Counter()
    for tally in tallies:
        total[tally.what] += tally.number
    received, stored, repeated, dropped = (total[what] for what in ("received", "stored", "repeated", "dropped"))
    if not (received or waiting):
        yield _notice("captured", "nothing yet", "memlsp init sets up agents and editors")
        return
    wrong: list[str] = []
    if received != stored + repeated + dropped:
        wrong.append(f"{received} received, {stored + repeated + dropped} accounted for")
    if stored != kept["events"] + total["aged"]:
        wrong.append(f"{stored} stored, {kept['events']} there and {total['aged']} gone with age")
    yield HealthCheck(
        "captured",
        ok=not wrong,
        message=f"{received} received = {stored} stored + {repeated} repeated + {dropped} dropped;"
        f" {kept['events']} there now, {total['aged']} gone with age, {total['redacted']} secrets taken out"
        + "".join(f"; {each}" for each in wrong),
        advice="report this: an event was lost or counted twice" if wrong else "",
    )
    reasons: Counter[str] = Counter()
    for tally in tallies:
        if tally.what == "dropped":
            reasons[tally.reason] += tally.number
    if reasons:
        told = ", ".join(
            f"{number} {_TABLES['dropped'].get(reason, reason)}" for reason, number in reasons.most_common()
        )
        yield _notice("dropped", told)
    spooled = f"{total['drained']} drained, {waiting} deliveries wait"
    yield _check("spooled", spooled if waiting else "", spooled, "memlsp settle takes them in", wrong=False)
    damaged = spool.damaged(str(store.path))
    if damaged:
        advice = f"look at them or delete them; each goes by itself after {spool.KEPT_DAMAGED} days"
        yield _notice("spool", f"{len(damaged)} deliveries could not be read, the last {damaged[-1]}", advice)
    unsettled = f"{kept['unsettled']} events wait to be understood" if kept["unsettled"] else ""
    yield _check("settled", unsettled, "all events", "memlsp settle does it now", wrong=False)


def _workspace(workspace: Workspace, worktree: Worktree) -> Iterator[HealthCheck]:
    yield HealthCheck(
        "workspace", ok=True, message=f"{workspace.root} is {workspace.key}, known by its {workspace.basis}"
    )
    damage, stranger = damage_of(workspace.root), stranger_of(workspace.root)
    if stranger is not None:
        message = f"{stranger} does not name this folder as a checkout, so the memory here is the folder's own"
        yield _notice("git", message, "git worktree repair, or in that repository: git config core.worktree FOLDER")
    elif damage is not None:
        yield HealthCheck("git", ok=False, message=f"its history cannot be read: {damage}", advice="git fsck says more")
    elif not workspace.git:
        message = "not a git repository: there is no history to read, and a copy of the folder is another workspace"
        yield _notice("git", message, "git init, when the project should have one")
    elif worktree.head() is None:
        yield _notice("git", "the repository has no commit yet", "commit, and history appears")
    else:
        message = f"{worktree.branch() or 'detached head'}, {len(worktree.paths())} files"
        yield HealthCheck("git", ok=True, message=message)


def _parsers() -> Iterator[HealthCheck]:
    samples = _TABLES["samples"]
    symbols = {name: outline(path, source.encode()).symbols for name, (path, source) in samples.items()}
    broken = [name for name, found in symbols.items() if not any(each.simple_name == "f" for each in found)]
    fault = f"no symbols from {', '.join(broken)}" if broken else ""
    advice = "reinstall memlsp: its tree-sitter grammars are left out, damaged or of the wrong version"
    yield _check("parsers", fault, f"{', '.join(samples)} parse", advice)


def _sqlite() -> Iterator[HealthCheck]:
    linked = f"SQLite {'.'.join(map(str, sqlite_version()))} is linked"
    advice = "update apsw: this SQLite can lose committed writes when its write-ahead log is reset"
    yield _check("sqlite", "" if sqlite_version() >= SOUND_SQLITE else linked, linked, advice)


def _store(store: Store) -> Iterator[HealthCheck]:
    name = f"store {store.path.parent.name}"
    health = store.integrity()
    counts = store.counts()
    yield HealthCheck(
        name,
        ok=health == "ok",
        message=f"{store.path}: {counts.get('beliefs', 0) - counts.get('proposed', 0)} beliefs, integrity {health}",
        advice="move the file away and start again; a damaged store is set aside on opening, never deleted",
    )
    if store.refusal is not None:
        yield HealthCheck(name, ok=False, message=store.notice, advice=store.refusal.hint)
    elif store.notice:
        yield _notice(name, store.notice)
    yield from _privacy(name, store.path)


def _privacy(name: str, path: Path) -> Iterator[HealthCheck]:
    if sys.platform == "win32":
        return  # the user profile's access rights protect the folder
    files = [each for each in (path, Path(f"{path}-wal"), Path(f"{path}-shm")) if each.exists()]
    loose = [each.name for each in files if stat.S_IMODE(each.stat().st_mode) & 0o077]
    fault = f"others can read {', '.join(loose)}" if loose else ""
    yield _check(f"{name} privacy", fault, "only you can read it", f"chmod 600 {path}*")


def _anchored_files(store: Store, worktree: Worktree) -> Iterator[HealthCheck]:
    unreadable: list[str] = []
    anchored = store.anchored_paths()
    for path in anchored:
        try:
            worktree.read(path)
        except MemlspError as error:
            unreadable.append(f"{path} ({error})")
    fault = f"cannot be judged: {'; '.join(unreadable)}" if unreadable else ""
    yield _check("anchored files", fault, f"{len(anchored)}, all readable or gone", wrong=False)
