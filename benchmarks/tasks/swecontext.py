"""Real transcripts and later tasks of the same projects: does an imported session name the files of the fix?

SWE-ContextBench has 300 transcripts of Claude Code on tasks of twelve projects, and 99 related tasks. The transcripts
of a project are imported into a workspace of its own as a user would (`memlsp import claude-code --all --events`),
every related task's statement is asked, and the paths in the answer are held against the files of the real fix. The
workspace has the files that sessions read or edited, all empty: what is found comes from the transcripts alone.
"""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from attrs import asdict, frozen

from benchmarks.codememory.records import Note
from benchmarks.codememory.systems import PlainText
from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import share, table
from benchmarks.stalecode.grading import drawn_interval
from benchmarks.tasks.scripted_agent import tokens_in
from benchmarks.tasks.sessions import git
from memlsp.faces.hooks import payload_records
from memlsp.memory import Memory
from memlsp.memory.learning.imports import ImportScope
from memlsp.model.errors import NoSuchFile
from memlsp.model.recall import RecallOptions

REPOSITORY = "jiayuanz3/SWEContextBench"

OURS, WORDS, OFTEN, STATED = "memlsp", "FTS5 over the requests", "files edited most", "paths in the question"
BEST = 10

_SESSIONS, _RELATED = "cases/SWEContextBench Lite Past Experience", "cases/SWEContextBench Lite"
_PATIENCE = 3_600.0
_PROJECT = re.compile(r"repo: (\S+)")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+\.\w+")
_FILE = re.compile(r"^--- a/(.+)$", re.MULTILINE)
_FUNCTION = re.compile(r"^@@[^@]*@@.*?\b(?:def|class) (\w+)", re.MULTILINE)
_QUICK = 3  # projects


@frozen
class PastTask:
    """A session: its request, the project's paths that it read or edited, and those that it edited, the most often
    edited first."""

    path: Path
    request: str
    seen: frozenset[str]
    edited: tuple[str, ...]


@frozen
class RelatedTask:
    """A later task with the files and functions of its real fix."""

    id: str
    statement: str
    files: frozenset[str]
    functions: frozenset[str]


@frozen
class AskedTask:
    """What one way named for a task: `paths` in order, `functions` of the fix that its text has, its tokens."""

    project: str
    task: str
    way: str
    gold: tuple[str, ...]
    paths: tuple[str, ...]
    functions: int
    of_functions: int
    reachable: int
    tokens: int


def run_swecontext(data: Path, *, quick: bool = False) -> Report:
    """Import, ask, and print the table. Raises NoSuchFile without a clone of the repository."""
    clone = repositories_in(data).get(REPOSITORY)
    if clone is None:
        raise NoSuchFile(f"no clone of {REPOSITORY} in {data}", f"name it {REPOSITORY.replace('/', '+')}")
    asked: list[AskedTask] = []
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="memlsp-swecontext-") as made:
        folder = Path(made)
        _extract(clone, folder)
        sessions, tasks = _sessions(folder / _SESSIONS), _tasks(folder / _RELATED)
        for project in sorted(tasks)[: _QUICK if quick else None]:
            past = sessions.get(project, [])
            asked += _ask(project, past, tasks[project], folder / project.replace("/", "+"), counts)
            print(f"  {project}: {len(past)} sessions, {len(tasks[project])} tasks", flush=True)
    print(
        f"\n{counts['sessions']} sessions imported, {counts['events']} observations kept, {counts['unreadable']} files"
    )
    print(f"unreadable, {counts['proposals']} proposals\n\n{_rows(asked)}")
    scores = {way: _score([each for each in asked if each.way == way]) for way in (OURS, WORDS, OFTEN, STATED)}
    ours = scores.pop(OURS)
    return Report("tasks, swecontext", ours, scores, [asdict(each) for each in asked], passed=True)


def _extract(clone: Path, folder: Path) -> None:
    archive = folder / "cases.tar"
    command = ["git", "-C", str(clone), "archive", "-o", str(archive), "HEAD", _SESSIONS, _RELATED]
    subprocess.run(command, check=True)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    archive.unlink()


def _tasks(folder: Path) -> dict[str, list[RelatedTask]]:
    found: dict[str, list[RelatedTask]] = {}
    for path in sorted(folder.glob("*.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        patch = read["patch"]
        files = frozenset(_FILE.findall(patch))
        task = RelatedTask(read["instance_id"], read["problem_statement"], files, frozenset(_FUNCTION.findall(patch)))
        if files:  # a fix that only adds files has none that an earlier session could have seen
            found.setdefault(read["repo"], []).append(task)
    return found


def _sessions(folder: Path) -> dict[str, list[PastTask]]:
    found: dict[str, list[PastTask]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        request, seen, edited = "", set[str](), Counter[str]()
        for line in _lines(path):
            content = line.get("message", {}).get("content")
            if line.get("type") == "user" and isinstance(content, str):
                request = request or content
            said = line.get("type") == "assistant" and isinstance(content, list)
            for part in cast("list[dict[str, Any]]", content) if said else ():
                name = _of_project(str(part.get("input", {}).get("file_path", "")))
                if part.get("type") == "tool_use" and name and part["name"] in {"Read", "Edit"}:
                    seen.add(name)
                    edited[name] += part["name"] == "Edit"
        project = _PROJECT.search(request)
        if project:
            often = tuple(name for name, number in edited.most_common() if number)
            found.setdefault(project[1], []).append(PastTask(path, request, frozenset(seen), often))
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _of_project(path: str) -> str:
    """The path below the project's checkout, which all sessions called `testbed`; "" for another, or a file of its
    root, which sessions filled with scripts of their own."""
    name = posixpath.normpath(path).partition("testbed/")[2]
    return name if "/" in name else ""


def _ask(
    project: str, past: Sequence[PastTask], tasks: Sequence[RelatedTask], folder: Path, counts: Counter[str]
) -> list[AskedTask]:
    root, origin = folder / "project", folder / "transcripts"
    root.mkdir(parents=True)
    origin.mkdir()
    for name in {name for each in past for name in each.seen}:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    git(None, "init", "--quiet", str(root))
    for each in past:
        each.path.rename(origin / each.path.name)
    search = PlainText()
    search.learn([Note(str(at), datetime.now(UTC), "", "", each.request) for at, each in enumerate(past)])
    often = [name for name, _ in Counter(name for each in past for name in each.edited).most_common(BEST)]
    touched = frozenset(name for each in past for name in each.edited)
    found: list[AskedTask] = []
    with Memory.open(root, data_dir=folder / "data") as memory:
        scope = ImportScope(everything=True, events=True)
        done = memory.imports.run("claude-code", payload_records.read, origin=origin, scope=scope)
        counts.update(sessions=done.sessions, events=done.events, proposals=len(done.proposals))
        counts.update(unreadable=len(done.unreadable))
        memory.events.settle(_PATIENCE)
        memory.vectors.refresh(_PATIENCE)
        for task in tasks:
            answer = memory.recall(task.statement, RecallOptions(limit=BEST, receipt=False))
            text = "\n".join([*(hit.served for hit in answer.hits), *(hit.served for hit in answer.work)])
            best = search.recall(task.statement, BEST).ids
            ways = {
                OURS: (text, _PATH.findall(text)),
                WORDS: ("", [name for id in best for name in past[int(id)].edited]),
                OFTEN: ("", often),
                STATED: (task.statement, _PATH.findall(task.statement)),
            }
            found += [_asked(project, task, way, *said, touched) for way, said in ways.items()]
    search.close()
    return found


def _asked(
    project: str, task: RelatedTask, way: str, text: str, paths: Iterable[str], touched: frozenset[str]
) -> AskedTask:
    # a traceback has the folder of an installation before a path; the other ways name files as the project does
    named = [next((file for file in task.files if name.endswith(f"/{file}")), name) for name in paths]
    names = tuple(dict.fromkeys(named))[:BEST]
    told = sum(re.search(rf"\b{re.escape(name)}\b", text) is not None for name in task.functions)
    tokens = tokens_in(text or "\n".join(names)) if way != STATED else 0
    gold = tuple(sorted(task.files))
    return AskedTask(project, task.id, way, gold, names, told, len(task.functions), len(task.files & touched), tokens)


def _score(asked: Sequence[AskedTask]) -> dict[str, float]:
    """Shares from 0 to 1: of the files of a fix among the first five and ten paths, on average over tasks; of tasks
    with one of their files among them; of all functions that were named."""
    return {
        "tasks": len(asked),
        "R@5": _recall(asked, 5),
        "R@10": _recall(asked, BEST),
        "hit@10": sum(bool(set(each.gold) & set(each.paths)) for each in asked) / len(asked),
        "functions": sum(each.functions for each in asked) / max(sum(each.of_functions for each in asked), 1),
        "reachable": sum(each.reachable / len(each.gold) for each in asked) / len(asked),
        "paths": sum(len(each.paths) for each in asked) / len(asked),
        "tokens": sum(each.tokens for each in asked) / len(asked),
    }


def _recall(asked: Sequence[AskedTask], most: int) -> float:
    if not asked:
        return float("nan")
    return sum(len(set(each.gold) & set(each.paths[:most])) / len(each.gold) for each in asked) / len(asked)


def _rows(asked: Sequence[AskedTask]) -> str:
    rows: list[Sequence[str]] = []
    for way in (OURS, WORDS, OFTEN, STATED):
        some = [each for each in asked if each.way == way]
        groups: dict[str, list[AskedTask]] = {}
        for each in some:
            groups.setdefault(each.project, []).append(each)
        low, high = drawn_interval(list(groups.values()), lambda drawn: _recall(drawn, BEST), draws=300)
        figures: Mapping[str, float] = _score(some)
        rows.append(
            (
                way,
                f"{figures['tasks']:.0f}",
                share(figures["R@5"]),
                f"{share(figures['R@10'])} ({share(low)}-{share(high)})",
                share(figures["hit@10"]),
                share(figures["functions"]),
                f"{figures['paths']:.1f}",
                f"{figures['tokens']:.0f}" if figures["tokens"] else "·",
            )
        )
    reachable = share(_score([each for each in asked if each.way == OURS])["reachable"])
    head = ("by", "tasks", "R@5", "R@10", "hit@10", "functions", "paths", "tokens")
    return (
        f"{table(head, rows)}\n\nan earlier session edited {reachable} of a fix's files on average: no way finds more"
    )
