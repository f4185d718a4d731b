"""Which statements reach an agent in a session before the act that needs them, and what else is told.

`fixtures/injection/open/sessions` and `sealed/sessions` have a project a file: its files, statements with the door that
they came through, what changed since, and sessions with a prompt and acts. An act names the statements that it breaks
or needs (`must`), a session those that help with it at all (`bears`). Everything goes through the hook's process.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, table
from benchmarks.tasks.cases import paragraphs
from benchmarks.tasks.memory_doors import MemoryDoors
from benchmarks.tasks.scripted_agent import is_doubted, tokens_in
from memlsp.model.errors import NoSuchFile

OURS, NOTES = "memlsp", "everything at the start"

_QUICK = 1  # project of a half
_TOOLS = {"read": "Read", "edit": "Edit", "write": "Write", "command": "Bash"}


@frozen
class SessionCase:
    """One project of the file. `statements` by id; `stale` are the ids that no longer hold when the sessions start."""

    name: str
    files: Mapping[str, str]
    statements: Mapping[str, Mapping[str, Any]]
    changes: Sequence[Mapping[str, Any]]
    sessions: Sequence[Mapping[str, Any]]
    stale: frozenset[str]

    def told_in(self, text: str, *, doubted: bool) -> frozenset[str]:
        """The ids of the statements that a text tells as true, or with a caveat."""
        parts = [each for each in paragraphs(text) if is_doubted(each) is doubted]
        marks = {id: each["marks"] for id, each in self.statements.items()}
        return frozenset(
            id for id, found in marks.items() if any(re.search(mark, part) for mark in found for part in parts)
        )


@frozen
class PlayedSession:
    """What one session told: `needed` pairs (statement, told in time), `told` and `doubted` ids, `tokens` in all."""

    case: str
    prompt: str
    needed: tuple[tuple[str, bool], ...]
    bears: frozenset[str]
    told: frozenset[str]
    doubted: frozenset[str]
    stale: frozenset[str]
    tokens: int


@frozen
class PlayedProject:
    """The sessions of a project, and of its earlier prompts how many statements were `kept` of `said` ones, and how
    many beliefs came of those that only ask for a task (`tasks` of them)."""

    sessions: tuple[PlayedSession, ...]
    kept: int
    said: int
    invented: int
    tasks: int


def cases_in(folder: Path) -> list[SessionCase]:
    """The projects of a folder, by name. Raises NoSuchFile without any."""
    found = [_case(path) for path in sorted(folder.glob("*.toml"))]
    if not found:
        raise NoSuchFile(f"no sessions in {folder}", "fixtures/injection of a whole checkout has them")
    return found


def _case(path: Path) -> SessionCase:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return SessionCase(
        name=path.stem,
        files={each["path"]: each["text"] for each in document["files"]},
        statements={each["id"]: each for each in document["statements"]},
        changes=document.get("changes", []),
        sessions=document["sessions"],
        stale=frozenset(document.get("stale", ())),
    )


def run_sessions(folder: Path, *, quick: bool = False) -> Report:
    """Play all sessions and print the table; passes always, since nothing was asked for. Raises NoSuchFile."""
    rows: list[Sequence[str]] = []
    scores: dict[str, dict[str, float]] = {}
    cases: list[Mapping[str, object]] = []
    for half in ("open", "sealed"):
        projects = cases_in(folder / half / "sessions")[: _QUICK if quick else None]
        played = [play(each) for each in projects]
        for way, sessions in (
            (OURS, [each for project in played for each in project.sessions]),
            (NOTES, [each for project in projects for each in _noted(project)]),
        ):
            scores[f"{half}: {way}"] = score(sessions)
            rows.append(_row(half if way == OURS else "", way, scores[f"{half}: {way}"]))
        said = [sum(getattr(each, name) for each in played) for name in ("kept", "said", "invented", "tasks")]
        print(f"{half}: {fraction(*said[:2])} statements of prompts kept, {said[2]} made of {said[3]} mere tasks")
        if half == "open":
            cases += [_missed(each) for project in played for each in project.sessions]
    head = ("half", "by", "in time", "of what bears", "precision", "stale as true", "silent", "tokens")
    print(f"\n{table(head, rows, left=2)}")
    return Report("injection sessions", scores.pop(f"sealed: {OURS}"), scores, cases, passed=True)


def play(case: SessionCase) -> PlayedProject:
    """Tell the statements of a project through their doors, make the changes, then play each session from there."""
    with tempfile.TemporaryDirectory(prefix="memlsp-sessions-") as place:
        root = Path(place, "project")
        root.mkdir()
        doors = MemoryDoors(root, Path(place, "data"))
        _git(root, "init", "--quiet", "--initial-branch=main")
        for path, text in case.files.items():
            _write(root, path, text)
        _commit(root)
        invented = _tell(case, doors)
        for change in case.changes:
            if change.get("removed"):
                (root / change["path"]).unlink()
            else:
                _write(root, change["path"], change["text"])
        _commit(root)
        doors.settle()
        known = doors.command("beliefs")
        said = [each for each in case.statements.values() if each.get("said") and each["marks"]]
        kept = sum(any(re.search(mark, known) for mark in each["marks"]) for each in said)
        doors.keep_state()
        sessions: list[PlayedSession] = []
        for number, session in enumerate(case.sessions):
            sessions.append(_session(case, session, doors, f"s{number}"))
            _git(root, "reset", "--quiet", "--hard")
            _git(root, "clean", "--quiet", "-fd")
            doors.restore_state()
        tasks = sum(1 for each in case.statements.values() if each.get("said") and not each["marks"])
        return PlayedProject(tuple(sessions), kept, len(said), invented, tasks)


def _tell(case: SessionCase, doors: MemoryDoors) -> int:
    """Tell all statements; how many beliefs came of prompts that only ask for a task."""
    invented = 0
    for number, each in enumerate(case.statements.values()):
        if "said" in each:
            before = doors.command("beliefs").count("\n")
            doors.hook("SessionStart", f"earlier-{number}", source="startup")
            doors.hook("UserPromptSubmit", f"earlier-{number}", prompt=each["said"])
            doors.hook("SessionEnd", f"earlier-{number}", reason="exit")
            doors.settle()
            invented += not each["marks"] and doors.command("beliefs").count("\n") > before
            continue
        words = ["remember", each["text"]]
        for option in ("at", "scope"):
            words += [f"--{option}", each[option]] if option in each else []
        doors.command(*words, *(("--agent", "claude-code") if each["by"] == "agent" else ()))
    return invented


def _session(case: SessionCase, session: Mapping[str, Any], doors: MemoryDoors, name: str) -> PlayedSession:
    heard = doors.hook("SessionStart", name, source="startup") + "\n"
    heard += doors.hook("UserPromptSubmit", name, prompt=session["prompt"]) + "\n"
    doors.settle()
    needed: list[tuple[str, bool]] = []
    for act in session["acts"]:
        call = _call(doors.root, act)
        event = {"tool_name": _TOOLS[act["kind"]], "tool_input": call}
        heard += doors.hook("PreToolUse", name, **event) + "\n"
        told = case.told_in(heard, doubted=False)
        needed += [(id, id in told) for id in act.get("must", ())]
        if act["kind"] in {"edit", "write"}:
            path = doors.root / act["path"]
            old = path.read_text(encoding="utf-8") if act["kind"] == "edit" else ""
            _write(doors.root, act["path"], old.replace(act["old"], act["new"]) if old else act["text"])
        doors.hook("PostToolUse", name, **event, tool_response={"type": "text"})
    told, doubted = case.told_in(heard, doubted=False), case.told_in(heard, doubted=True)
    bears = frozenset(session["bears"])
    return PlayedSession(
        case.name, session["prompt"], tuple(needed), bears, told, doubted - told, case.stale, tokens_in(heard)
    )


def _call(root: Path, act: Mapping[str, Any]) -> dict[str, str]:
    if act["kind"] == "command":
        return {"command": act["command"]}
    call = {"file_path": str(root / act["path"])}
    if act["kind"] == "edit":
        return {**call, "old_string": act["old"], "new_string": act["new"]}
    return {**call, "content": act["text"]} if act["kind"] == "write" else call


def _noted(case: SessionCase) -> Iterator[PlayedSession]:
    """The baseline: a file that says everything that was told, read whole at the start."""
    told = frozenset(id for id, each in case.statements.items() if each["marks"])
    tokens = tokens_in("\n".join(each["text"] for each in case.statements.values()))
    for session in case.sessions:
        needed = tuple((id, True) for act in session["acts"] for id in act.get("must", ()))
        bears = frozenset(session["bears"])
        yield PlayedSession(case.name, session["prompt"], needed, bears, told, frozenset(), case.stale, tokens)


def score(sessions: Sequence[PlayedSession]) -> dict[str, float]:
    """Counts; tokens are those of a session on average."""
    needed = [in_time for each in sessions for _, in_time in each.needed]
    nothing = [each for each in sessions if not each.bears]
    return {
        "needed": len(needed),
        "in time": sum(needed),
        "bearing": sum(len(each.bears) for each in sessions),
        "bearing told": sum(len(each.bears & each.told) for each in sessions),
        "told": sum(len(each.told) for each in sessions),
        "stale told": sum(len(each.stale & each.told) for each in sessions),
        "where nothing bears": len(nothing),
        "silent there": sum(not each.told for each in nothing),
        "tokens": sum(each.tokens for each in sessions) / max(len(sessions), 1),
    }


def _row(half: str, way: str, found: Mapping[str, float]) -> tuple[str, ...]:
    def of(part: str, whole: str) -> str:
        return fraction(int(found[part]), int(found[whole]))

    return (
        half,
        way,
        of("in time", "needed"),
        of("bearing told", "bearing"),
        of("bearing told", "told"),
        str(int(found["stale told"])),
        of("silent there", "where nothing bears"),
        f"{found['tokens']:.0f}",
    )


def _missed(each: PlayedSession) -> dict[str, object]:
    return {
        "case": each.case,
        "prompt": each.prompt,
        "late": sorted(id for id, in_time in each.needed if not in_time),
        "untold": sorted(each.bears - each.told - each.doubted),
        "doubted": sorted(each.bears & each.doubted),
        "noise": sorted(each.told - each.bears),
        "stale": sorted(each.told & each.stale),
    }


def _write(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text.removeprefix("\n"), encoding="utf-8")


def _commit(root: Path) -> None:
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--allow-empty", "--message", "As it is")


def _git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)
