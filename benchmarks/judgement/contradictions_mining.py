"""Contradictions that others wrote: BEAM's conversations, reverted commits, replaced dependencies. Read where they lie,
from git's objects of clones; nothing of them is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pygit2

from benchmarks.judgement.contradictions import cross
from benchmarks.stalecode.pairs import Pair, Said

BEAM = "mohammadtavakoli78/BEAM"
DEVELOPED_ON = (
    *("pallets/flask", "httpie/cli", "openlawlibrary/pygls", "javaparser/javaparser", "chartjs/Chart.js"),
    *("junit-team/junit4", "psf/requests", "expressjs/express"),
)
"""Repositories whose pairs were looked at; BEAM's conversations with an even number as well."""
JUDGED_ON = (
    *("aio-libs/aiohttp", "scrapy/scrapy", "psf/black", "python-poetry/poetry", "pytest-dev/pytest", "celery/celery"),
    *("vitejs/vite", "eslint/eslint", "tokio-rs/tokio", "square/okhttp", "spf13/cobra", "prometheus/prometheus"),
    *("mitmproxy/mitmproxy", "pydantic/pydantic"),
)
"""Repositories that judge: nobody looked at theirs."""

_MOST_COMMITS = 4_000
_MOST_REVERTS = 40  # of one repository, so that none outweighs the others
_YOU_SAID = re.compile(
    r"You (?:said|mentioned|stated|noted|indicated)(?: that)?:? (?P<first>.+?),? but you also"
    r" (?:said|mentioned|stated|noted|indicated)(?: that)? (?P<second>.+?)\."
    r"(?:\s+(?:Could|Which|Can|Please|What|Would)|$)",
    re.DOTALL,
)
_REVERT = re.compile(r'^Revert "(?P<what>[^"]{12,100})"$')
_SWAP = re.compile(
    r"\b(?:replac\w+|swap\w*|switch\w*|migrat\w+|mov(?:e|ed|ing)|instead of|rather than|in favou?r of|drop\w*)\b",
    re.IGNORECASE,
)
_MANIFESTS = re.compile(
    r"(?:^|/)(?:pyproject\.toml|requirements[\w./-]*\.(?:txt|in)|setup\.(?:py|cfg)|package\.json|Cargo\.toml|go\.mod|pom\.xml"
    r"|build\.gradle(?:\.kts)?|Gemfile|composer\.json|[\w-]+\.gemspec|libs\.versions\.toml)$"
)
_NAME = re.compile(r"[A-Za-z][\w.-]*[A-Za-z0-9]")


def mined_sets(data: Path) -> dict[str, list[Pair]]:
    """The sets by name: for each source what was developed on, and what judges; those that have pairs."""
    sets: dict[str, list[Pair]] = {}
    clones = dict(_clones(data))
    if BEAM in clones:
        for judging, name in ((False, "BEAM, developed on"), (True, "BEAM, judging")):
            sets[name] = [pair for pair, judges in beam_pairs(clones[BEAM]) if judges is judging]
    for chosen, name in ((DEVELOPED_ON, "developed on"), (JUDGED_ON, "judging")):
        reverts, swaps = list[Pair](), list[Pair]()
        for repo in (each for each in chosen if each in clones):
            subjects = list(_subjects(clones[repo]))
            reverts += revert_pairs(repo, subjects)
            swaps += swap_pairs(repo, clones[repo], subjects)
        sets |= {f"reverts, {name}": reverts, f"dependency swaps, {name}": swaps}
    return {name: pairs for name, pairs in sets.items() if pairs}


def _clones(data: Path) -> Iterator[tuple[str, Path]]:
    """Clones by owner/name: `owner+name/repo`, `owner/name`, with or without `.git`."""
    for folder in sorted(data.iterdir()):
        inner = folder / "repo"
        if "+" in folder.name and inner.is_dir():
            yield folder.name.replace("+", "/", 1), inner
        elif folder.is_dir():
            for below in sorted(folder.iterdir()):
                if (below / "HEAD").is_file() or (below / ".git").exists():
                    yield f"{folder.name}/{below.name.removesuffix('.git')}", below


def beam_pairs(folder: Path) -> Iterator[tuple[Pair, bool]]:
    """What somebody said twice in opposite senses, as the benchmark's own answers put it, with whether the pair judges;
    and the same statements across questions, which live together."""
    repository = pygit2.Repository(str(folder))
    tree = repository.revparse_single("HEAD:chats/100K").peel(pygit2.Tree)
    for name in sorted((each.name or "" for each in tree if (each.name or "").isdigit()), key=int):
        path = f"HEAD:chats/100K/{name}/probing_questions/probing_questions.json"
        asked = cast("dict[str, Any]", json.loads(repository.revparse_single(path).peel(pygit2.Blob).data))
        found: list[tuple[str, str]] = []
        for question in cast("Sequence[Mapping[str, Any]]", asked.get("contradiction_resolution", ())):
            said = _YOU_SAID.search(str(question["ideal_answer"]))
            if said is not None:
                found.append((_as_said(said["first"]), _as_said(said["second"])))
        for pair in cross(found, f"conversation {name}"):
            yield pair, int(name) % 2 == 1


def _as_said(told: str) -> str:
    """What is told as "you have never met him", in the words of who said it."""
    text = re.sub(r"\byou've\b", "I have", told.strip())
    text = re.sub(r"\byou're\b", "I am", text)
    text = re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "I", text))
    text = (
        text
        if re.match(r"(?:I|my|that|the|\w+ (?:is|was|has|have|had|were|suggested))\b", text)
        else f"I have been {text}"
    )
    return f"{text[:1].upper()}{text[1:]}."


def revert_pairs(repo: str, subjects: Sequence[tuple[str, pygit2.Oid]]) -> Iterator[Pair]:
    """Subjects of commits with those of the commits that reverted them; and with other reverts of the repository."""
    found = dict.fromkeys(match["what"] for subject, _ in subjects if (match := _REVERT.match(subject)))
    whats = [what for what in found if not what.startswith("Merge ")][:_MOST_REVERTS]
    yield from cross([(what, f'Revert "{what}"') for what in whats], repo)


def swap_pairs(repo: str, path: Path, subjects: Sequence[tuple[str, pygit2.Oid]]) -> Iterator[Pair]:
    """That the project depends on what a commit replaced, against what that commit says; and that it depends on what
    was put in its place, or on something else that stayed.

    What was replaced by what is read from the manifests that the commit changed, and both names stand in its subject.
    """
    repository = pygit2.Repository(str(path))
    for subject, id in subjects:
        if not _SWAP.search(subject) or len(subject) > 140:
            continue
        gone, come, stayed = _exchanged(repository, id)
        named = {name.lower(): name for name in _NAME.findall(subject)}
        old = [name for name in named if name in gone and name not in come]
        new = [name for name in named if name in come and name not in gone]
        if len(old) != 1 or len(new) != 1:
            continue
        yield Pair(Said(f"The project depends on {named[old[0]]}."), Said(subject), conflict=True, origin=repo)
        yield Pair(Said(f"The project depends on {named[new[0]]}."), Said(subject), conflict=False, origin=repo)
        for other in sorted(stayed - set(named))[:2]:
            yield Pair(Said(f"The project depends on {other}."), Said(subject), conflict=False, origin=repo)


def _subjects(path: Path) -> Iterator[tuple[str, pygit2.Oid]]:
    repository = pygit2.Repository(str(path))
    try:
        walker = repository.walk(repository.revparse_single("HEAD").peel(pygit2.Commit).id)
    except (KeyError, pygit2.GitError):
        return
    for number, commit in enumerate(walker):
        if number >= _MOST_COMMITS:
            return
        yield commit.message.partition("\n")[0].strip(), commit.id


def _exchanged(repository: pygit2.Repository, id: pygit2.Oid) -> tuple[set[str], set[str], set[str]]:
    """The names in lines that a commit took out of manifests, those in lines that it added, and those that stand in
    lines around them."""
    commit = repository[id].peel(pygit2.Commit)
    empty: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    if len(commit.parents) != 1:
        return empty
    try:
        diff = repository.diff(commit.parents[0], commit, context_lines=3)
        touched = [number for number, delta in enumerate(diff.deltas) if _MANIFESTS.search(delta.new_file.path or "")]
        patches = [patch for number in touched if (patch := diff[number]) is not None]
    except (KeyError, pygit2.GitError):  # an object that the clone lacks
        return empty
    gone, come, stayed = empty
    for patch in patches:
        for hunk in patch.hunks:
            for line in hunk.lines:
                names = {name.lower() for name in _NAME.findall(line.content)[:2]}
                (gone if line.origin == "-" else come if line.origin == "+" else stayed).update(names)
    return gone, come, stayed - gone - come
