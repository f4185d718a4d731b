"""Checks a whole repository: what its documents say, at every line's birth, at a merge base, or before a commit."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import define, field, frozen

from memlsp.beliefs.mining.documents import DocumentSort, dead_status, is_document, sort_of
from memlsp.beliefs.mining.passages import without_own_block
from memlsp.beliefs.mining.stated_names import stated_lines
from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.line_births import LineVersion, line_births
from memlsp.capture.git.repository import Repository, find_repository
from memlsp.capture.git.tree_overlay import disk_tree, staged_tree
from memlsp.memory.check.belief_check import BeliefCheck, is_belief
from memlsp.memory.check.check import StatementCheck
from memlsp.memory.check.code_state import CodeState, CodeStates
from memlsp.memory.check.rule_pairs import pair_findings
from memlsp.model.check import StatementFinding
from memlsp.model.errors import BadValue, Refused

_LARGEST_DOCUMENT = 1_000_000  # bytes
_MOST_DOCUMENTS = 2_000


@frozen
class CheckReport:
    """What a check found. `documents` and `lines` are those that were judged; `old` and `new` name the states ("" for
    the lines' births, and for the files on disk)."""

    findings: tuple[StatementFinding, ...]
    documents: int
    lines: int
    old: str = ""
    new: str = ""
    notices: tuple[str, ...] = field(default=())


def check_repository(
    root: Path,
    *,
    base: str = "",
    staged: bool = False,
    changed: bool = False,
    pedantic: bool = False,
    paths: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Judge the documents of the repository around `root`.

    With `base` (a branch, tag or commit) what holds at the merge base is held against HEAD; `staged` holds HEAD against
    the index, `changed` HEAD against the files on disk; else every line is held against the files on disk, from the
    commit that brought it. `pedantic` tells of what never was there, and of rules that are said twice, too. `paths`
    limit the documents; `progress` is told documents done and all. Raises Refused
    without a repository or commit, and where the clone has no such base.
    """
    found, handle = _opened(root)
    head = str(handle.head.target)
    states = CodeStates(found.top, handle, "" if base or staged or changed else head)
    if base:
        old, new = _since_base(states, handle, base, head)
    else:
        old = states.at(head) if staged or changed else None
        new = _newest(states, handle, head, staged=staged, bare=found.bare)
    present = documents_of(new)
    documents = _below(present, [f"{found.prefix(root.resolve())}{path}" for path in paths])
    births = line_births(handle, head, documents if old is None else ())
    check = _DocumentCheck(StatementCheck(states, new, pedantic=pedantic), BeliefCheck(states, new))
    for number, path in enumerate(documents):
        if progress is not None:
            progress(number, len(documents))
        text = _text(new, path)
        past = _past(path, text, old, births.get(path, ()))
        check.judge(path, text, past, (old or _state_at_birth(states, past, head)) if is_belief(path) else None)
    known = {path: frozenset(_text(old, path).split("\n")) for path in present} if old is not None else {}
    said = [(path, _text(new, path)) for path in present]
    findings = [*check.findings, *pair_findings(said, known, repeated=pedantic, within=frozenset(documents))]
    notices = (*check.beliefs.notices, *_limits(len(documents), shallow=old is None and handle.is_shallow))
    states_told = old.commit if old else "", head if base else ""
    return CheckReport(tuple(findings), len(documents), check.lines, *states_told, notices)


def _below(documents: list[str], paths: list[str]) -> list[str]:
    """Those of the documents that are, or lie below, one of the paths; all without any."""
    wanted = [f"{posixpath.normpath(path)}/" for path in paths]
    return [each for each in documents if not paths or f"{each}/".startswith(tuple(wanted))]


def _limits(documents: int, *, shallow: bool) -> Iterator[str]:
    if shallow:
        yield "the clone is shallow: what changed before its first commit is not seen (git fetch --unshallow)"
    if documents >= _MOST_DOCUMENTS:
        yield f"only the first {_MOST_DOCUMENTS:,} documents were read"


def _opened(root: Path) -> tuple[Repository, pygit2.Repository]:
    found = find_repository(root)
    if found is None or found.handle is None:
        raise Refused(f"{root} is in no git repository that can be read", "memlsp check needs the history of the files")
    handle = pygit2.Repository(found.handle.path)  # of its own: what is not committed is kept in its memory
    if handle.head_is_unborn:
        raise Refused("there is no commit yet", "commit first; then memlsp check can tell what changed since")
    return found, handle


def _since_base(states: CodeStates, handle: pygit2.Repository, base: str, head: str) -> tuple[CodeState, CodeState]:
    old, new = states.at(_merge_base(handle, base, head)), states.at(head)
    if old is None or new is None:
        raise Refused(f"the commits of {base} and HEAD are not all here", "git fetch --unshallow")
    return old, new


def _newest(states: CodeStates, handle: pygit2.Repository, head: str, *, staged: bool, bare: bool) -> CodeState:
    """The index, the files on disk, or HEAD of a repository that has neither."""
    if staged:
        return states.of_tree(staged_tree(handle), "staged")
    new = states.at(head) if bare else states.of_tree(disk_tree(handle), "disk")
    if new is None:
        raise Refused(f"the commit of HEAD cannot be read ({head[:12]})", "git fsck says what is missing")
    return new


@define
class _DocumentCheck:
    """Judges documents one after another, and keeps what is found and how many lines were judged."""

    statements: StatementCheck
    beliefs: BeliefCheck
    findings: list[StatementFinding] = field(factory=list[StatementFinding])
    lines: int = 0

    def judge(self, path: str, text: str, past: Mapping[int, Sequence[LineVersion]], held_in: CodeState | None) -> None:
        """Judge every line by its `past` versions; a belief's file, whose anchors held in `held_in`, as a whole too."""
        held = self.beliefs.judge(path, text, held_in) if held_in is not None else []
        self.findings += held
        for line in stated_lines(text, is_record=sort_of(path) is DocumentSort.DECISION):
            self.lines += 1
            said = self.statements.judge(path, line, past.get(line.number, ()))
            self.findings += [each for each in said if each.line not in {one.line for one in held}]


def _state_at_birth(states: CodeStates, past: Mapping[int, Sequence[LineVersion]], head: str) -> CodeState | None:
    """The state in which the statement of a belief's file, its last line, was written."""
    births = [versions[0].commit for _, versions in sorted(past.items()) if versions]
    return states.at(births[-1] if births else head)


def documents_of(state: CodeState) -> list[str]:
    """The documents in which a repository speaks of itself, sorted; not decisions that are no longer in force."""
    found = (path for path in state.files.paths() if is_document(path))
    return [path for path in found if (text := _text(state, path)) and not dead_status(path, text)][:_MOST_DOCUMENTS]


def _text(state: CodeState, path: str) -> str:
    data = state.files.read(path) or b""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n") if len(data) <= _LARGEST_DOCUMENT else ""
    return without_own_block(text)


def _merge_base(handle: pygit2.Repository, base: str, head: str) -> str:
    try:
        wanted = handle.revparse_single(base).peel(pygit2.Commit)
    except unreadable():
        name = base.removeprefix("origin/")
        hint = f"git fetch origin {name}, or in GitHub Actions: fetch-depth: 0"
        raise BadValue(f"there is no commit {base!r} here", hint) from None
    try:
        found = handle.merge_base(wanted.id, pygit2.Oid(hex=head))
    except unreadable():
        found = None
    if found is None:
        shallow = " in this shallow clone" if handle.is_shallow else ""
        raise Refused(f"{base} and HEAD have no commit in common{shallow}", "git fetch --unshallow origin")
    return str(found)


def _past(
    path: str, text: str, old: CodeState | None, births: tuple[tuple[LineVersion, ...], ...]
) -> Mapping[int, Sequence[LineVersion]]:
    """The versions of each line, by its number: what the older state has too, or its past in git."""
    lines = text.split("\n")
    if old is not None:
        before = set(_text(old, path).split("\n"))
        return {number: (LineVersion(old.commit, line),) for number, line in enumerate(lines, 1) if line in before}
    if len(births) == len(lines) and all(each[0].text == line for each, line in zip(births, lines, strict=True)):
        return dict(enumerate(births, 1))
    by_text: dict[str, Sequence[LineVersion]] = {each[0].text: each for each in births if each}
    return {number: by_text[line] for number, line in enumerate(lines, 1) if line in by_text}
