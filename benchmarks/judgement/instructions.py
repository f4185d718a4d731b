"""The suite `instructions`: which lines of AGENTS.md, CLAUDE.md, rules and agents are false where they stand.

A row is a file at a commit, before a later commit repaired some of its lines. `stale` are the repaired lines that a
reader found false there, `quiet` those that it left alone and that are there twenty commits later and today. A judge
sees the repository, the commit and the file, and names lines. What it says of other lines is not counted. Ten
repositories that are well kept stand beside that: every line named in their newest commit is an alarm.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import pygit2
from attrs import frozen

from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.judgement.instructions_mining import (
    CODE_SPAN,
    git,
    is_instruction,
    path_is_there,
    text_of,
    tokens_of,
    tree_of,
)
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import percent, table
from memlsp.beliefs.mining.stated_names import stated_lines
from memlsp.capture.git.line_births import line_births
from memlsp.memory.check.check import StatementCheck
from memlsp.memory.check.code_state import CodeStates
from memlsp.model.errors import NoSuchFile

Judge = Callable[[Path, str, str], set[int]]
"""The lines of a file that a judge calls false: of the repository, at the commit."""

CLASSES = ("path", "symbol", "command", "value", "version", "count", "order", "other")
WELL_KEPT = (
    "pallets/flask",
    "encode/httpx",
    "fastapi/fastapi",
    "pallets/click",
    "pydantic/pydantic",
    "astral-sh/ruff",
    "spf13/cobra",
    "gin-gonic/gin",
    "BurntSushi/ripgrep",
    "colinhacks/zod",
)
LAYOUT = (
    "DIR holds clones or bare repositories, owner+name or owner+name/repo; those of fixtures/instructions that are not"
    " there are left out"
)
_PARTS = ("open", "sealed")
_WORKERS = 2
_DRAWS = 1000


@frozen
class FileState:
    """A file at a commit, with its labels."""

    part: str
    repository: str
    commit: str
    file: str
    stale: Mapping[int, tuple[str, str]]  # by line: its class, and whether it held when it was written
    quiet: frozenset[int]


@frozen
class Told:
    """A file state with the lines that each judge named."""

    state: FileState
    named: Mapping[str, frozenset[int]]


# --- the judges


def path_exists(folder: Path, commit: str, file: str) -> set[int]:
    """Lines that name a path which the tree has nowhere, not even as the end of a longer one."""
    tree = tree_of(folder, commit)
    return {
        number
        for number, text in enumerate(text_of(folder, commit, file), 1)
        if any(not path_is_there(path, file, tree) for path in _paths(text))
    }


_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun) run ([\w:.-]+)")
_TARGET = re.compile(r"\bmake ([a-z][\w-]*)\b")
_PLACEHOLDER = re.compile(r"[<>{}*$]|\.\.\.|path/to|example|your-|my-|foo|bar\b", re.IGNORECASE)


def dead_references(folder: Path, commit: str, file: str) -> set[int]:
    """The rules that linters of references document: a quoted path or a link that is neither at the root nor beside
    the file, an `npm run` script that no package.json has, a make target that no Makefile has; no placeholders.
    """
    tree = tree_of(folder, commit)
    scripts, targets = _scripts(folder, commit), _targets(folder, commit)
    found: set[int] = set()
    for number, text in enumerate(text_of(folder, commit, file), 1):
        quoted = [path for span in CODE_SPAN.findall(text) for path in _paths(f"`{span}`") if "/" in path]
        links = [link for link in _LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
        paths = [path for path in (*quoted, *links) if not _PLACEHOLDER.search(path)]
        code = " ".join(CODE_SPAN.findall(text)) or text
        dead = any(not path_is_there(path, file, tree, whole=True) for path in paths)
        dead = dead or any(script not in scripts for script in _SCRIPT.findall(code))
        if dead or (targets and "`" in text and any(target not in targets for target in _TARGET.findall(code))):
            found.add(number)
    return found


def raw_hash(folder: Path, commit: str, file: str) -> set[int]:
    """Lines that name a file which is another, or gone, since the line was written."""
    blame = git(folder, "blame", "-l", "-s", commit, "--", file).splitlines()
    found: set[int] = set()
    for number, (text, blamed) in enumerate(zip(text_of(folder, commit, file), blame, strict=False), 1):
        birth = blamed.split(" ", 1)[0].lstrip("^")
        for path in _paths(text):
            named = re.sub(r":\d+(-\d+)?$", "", path).removeprefix("./").strip("/")
            was = _blobs(folder, birth).get(named)
            if was is not None and _blobs(folder, commit).get(named) != was:
                found.add(number)
    return found


def memlsp_check(folder: Path, commit: str, file: str) -> set[int]:
    """What `memlsp check` tells of the file at the commit, from its history up to there alone."""
    states, check = _check_at(folder, commit)
    text = "\n".join(text_of(folder, commit, file))
    past = line_births(states.handle, commit, [file]).get(file, ())
    lines = (line for line in stated_lines(text) if line.number <= len(past))
    return {line.number for line in lines if check.judge(file, line, past[line.number - 1])}


@lru_cache(maxsize=1)
def _check_at(folder: Path, commit: str) -> tuple[CodeStates, StatementCheck]:
    states = CodeStates(folder, pygit2.Repository(str(folder)), commit)
    new = states.at(commit)
    assert new is not None
    return states, StatementCheck(states, new)


JUDGES: Mapping[str, Judge] = {
    "path exists": path_exists,
    "dead references": dead_references,
    "raw hash": raw_hash,
    "memlsp check": memlsp_check,
}
"""Whoever has a judge adds a line here."""


def _paths(text: str) -> list[str]:
    return [token for token, shape in tokens_of(text).items() if shape == "path"]


@cache
def _blobs(folder: Path, commit: str) -> Mapping[str, str]:
    listed = (line.partition("\t") for line in git(folder, "ls-tree", "-r", "-t", commit).splitlines())
    return {path: told.split(" ")[2] for told, _, path in listed}


@cache
def _scripts(folder: Path, commit: str) -> frozenset[str]:
    found: set[str] = set()
    for path in tree_of(folder, commit).get("package.json", frozenset()):
        try:
            found |= set(json.loads(git(folder, "show", f"{commit}:{path}")).get("scripts", {}))
        except (ValueError, AttributeError):
            continue
    return frozenset(found)


@cache
def _targets(folder: Path, commit: str) -> frozenset[str]:
    paths = tree_of(folder, commit).get("Makefile", frozenset())
    made = (git(folder, "show", f"{commit}:{path}") for path in paths)
    return frozenset(target for text in made for target in re.findall(r"^([\w-]+)\s*:", text, re.MULTILINE))


# --- running


def run_instructions(fixtures: Path, data: Path | None, *, quick: bool = False) -> Report:
    """Judge the file states whose repository is in `data` and the ten well-kept ones; `quick` leaves the sealed out.

    Of sealed files only counts are told. Raises NoSuchFile without repositories or rows.
    """
    folders = repositories_in(data) if data is not None else {}
    if not folders:
        raise NoSuchFile("the suite instructions needs histories", f"--data DIR: {LAYOUT}")
    states = [each for each in read_states(fixtures) if not (quick and each.part == "sealed")]
    missing = sorted({each.repository for each in states} - folders.keys())
    if missing:
        print(f"not in the data: {', '.join(missing)}")
    here = [each for each in states if each.repository in folders]
    told = _told_all(here, folders)
    score: dict[str, float] = {}
    baselines: dict[str, dict[str, float]] = {name: {} for name in JUDGES}
    for part in _PARTS:
        of_part = [each for each in told if each.state.part == part]
        if of_part:
            print(f"\n{part}: {_summary(of_part)}\n\n{_figures_table(of_part)}\n\n{_classes_table(of_part)}")
            score |= {f"{part} stale": sum(len(each.state.stale) for each in of_part)}
            score |= {f"{part} quiet": sum(len(each.state.quiet) for each in of_part)}
            for name, figures in baselines.items():
                precision, recall = figures_of(of_part, name)
                figures |= {f"{part} precision": precision, f"{part} recall": recall}
    again = _read_again(fixtures / "read-again.jsonl", told)
    if again:
        shown = ", ".join(f"{count} {label}" for label, count in sorted(again.items()))
        print(f"\nalarms of memlsp check in lines that somebody read again without knowing the alarms: {shown}")
        score |= {f"read again {label}": count for label, count in again.items()}
    alarms = {name: _alarms(folders[name]) for name in WELL_KEPT if name in folders}
    rows = [[name, *(str(found[judge]) for judge in JUDGES)] for name, found in alarms.items()]
    print(f"\nalarms in well-kept repositories\n\n{table(['', *JUDGES], rows)}")
    for judge, figures in baselines.items():
        figures |= {f"alarms {name}": found[judge] for name, found in alarms.items()}
    score |= baselines.pop("memlsp check")
    return Report("instructions", score, baselines, list(_cases(told)), passed=True)


def read_states(fixtures: Path) -> Iterator[FileState]:
    """The rows of `open.jsonl` and `sealed.jsonl`. Raises NoSuchFile when there are none."""
    files = [(part, fixtures / f"{part}.jsonl") for part in _PARTS if (fixtures / f"{part}.jsonl").is_file()]
    if not files:
        raise NoSuchFile(f"no rows in {fixtures}", "fixtures/instructions of a checkout has them")
    for part, path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            stale = {each["line"]: (each["class"], each["born"]) for each in row["stale"]}
            quiet = frozenset(line for first, last in row["quiet"] for line in range(first, last + 1))
            yield FileState(part, row["repository"], row["commit"], row["file"], stale, quiet)


def judged(state: FileState, folder: Path) -> Told:
    """One file state before every judge."""
    named = {name: frozenset(judge(folder, state.commit, state.file)) for name, judge in JUDGES.items()}
    return Told(state, named)


def _told_all(states: Sequence[FileState], folders: Mapping[str, Path]) -> list[Told]:
    by_repository: dict[str, list[FileState]] = {}
    for state in states:
        by_repository.setdefault(state.repository, []).append(state)
    jobs = [(folders[name], tuple(of_one)) for name, of_one in by_repository.items()]
    if len(states) < 4 * _WORKERS:
        return [each for job in jobs for each in _told_one(job)]
    # spawned, for a forked child would inherit locks
    with ProcessPoolExecutor(_WORKERS, mp_context=get_context("spawn")) as pool:
        return [each for of_one in pool.map(_told_one, jobs) for each in of_one]


def _told_one(job: tuple[Path, Sequence[FileState]]) -> list[Told]:
    folder, states = job
    told = [judged(state, folder) for state in states]
    for kept in (tree_of, text_of, _blobs, _scripts, _targets, _check_at):
        kept.cache_clear()
    return told


def _alarms(folder: Path) -> Counter[str]:
    commit = git(folder, "rev-parse", "HEAD").strip()
    files = [path for paths in tree_of(folder, commit).values() for path in paths]
    ruff = folder.parent.name.endswith("ruff") or folder.name.endswith("ruff")
    read = [
        path for path in files if is_instruction(path) or (ruff and path.startswith("docs/") and path[-3:] == ".md")
    ]
    found: Counter[str] = Counter(dict.fromkeys(JUDGES, 0))
    for path in sorted(read):
        for name, judge in JUDGES.items():
            found[name] += len(judge(folder, commit, path))
    return found


# --- counting


def _read_again(path: Path, told: Sequence[Told]) -> Counter[str]:
    """How a second reader labelled the lines that memlsp named: "false", "holds" or "doubt"."""
    named = {
        (each.state.repository, each.state.commit, each.state.file, line)
        for each in told
        for line in each.named["memlsp check"] & (each.state.stale.keys() | each.state.quiet)
    }
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.is_file() else ()
    lines = ((row, (row["repository"], row["commit"], row["file"], row["line"])) for row in rows)
    return Counter(row["label"] for row, line in lines if line in named)


def figures_of(told: Sequence[Told], judge: str) -> tuple[float, float]:
    """Precision and recall of a judge; a precision without alarms is 1."""
    right = sum(len(each.named[judge] & each.state.stale.keys()) for each in told)
    wrong = sum(len(each.named[judge] & each.state.quiet) for each in told)
    return right / (right + wrong) if right + wrong else 1.0, right / max(1, sum(len(e.state.stale) for e in told))


def _interval(told: Sequence[Told], measure: Callable[[Sequence[Told]], float]) -> str:
    by_repository: dict[str, list[Told]] = {}
    for each in told:
        by_repository.setdefault(each.state.repository, []).append(each)
    groups, chance = list(by_repository.values()), random.Random(17)  # noqa: S311 - the same figures again
    drawn = sorted(
        measure([each for group in chance.choices(groups, k=len(groups)) for each in group]) for _ in range(_DRAWS)
    )
    return f"{_short(measure(told))} ({_short(drawn[_DRAWS // 40])}-{_short(drawn[-1 - _DRAWS // 40])})"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _nth_figure(judge: str, index: int, told: Sequence[Told]) -> float:
    return figures_of(told, judge)[index]


def _figures_table(told: Sequence[Told]) -> str:
    rows: list[list[str]] = []
    for name in JUDGES:
        alarms = sum(len(each.named[name] & (each.state.stale.keys() | each.state.quiet)) for each in told)
        figures = [_interval(told, partial(_nth_figure, name, index)) for index in (0, 1)]
        rows.append([name, str(alarms), *figures])
    return table(["judge", "alarms", "precision (95 %)", "recall (95 %)"], rows)


def _classes_table(told: Sequence[Told]) -> str:
    rows: list[list[str]] = []
    for group in (*CLASSES, "born true"):
        lines = [
            (each, line)
            for each in told
            for line, (of_line, born) in each.state.stale.items()
            if of_line == group or (group == "born true" and born == "yes")
        ]
        shares = [percent(sum(line in each.named[name] for each, line in lines), len(lines)) for name in JUDGES]
        rows.append([group, str(len(lines)), *shares])
    return table(["recall of", "lines", *JUDGES], rows)


def _summary(told: Sequence[Told]) -> str:
    stale, quiet = (sum(len(each.state.stale) for each in told), sum(len(each.state.quiet) for each in told))
    repositories = len({each.state.repository for each in told})
    return f"{stale} stale and {quiet} quiet lines in {len(told)} file states of {repositories} repositories"


def _cases(told: Sequence[Told]) -> Iterator[dict[str, object]]:
    for each in told:
        if each.state.part == "open":
            named = {name: sorted(lines) for name, lines in each.named.items()}
            state = each.state
            yield {"repository": state.repository, "commit": state.commit, "file": state.file, "named": named}
