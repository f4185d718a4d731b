"""How much the sentences about real commits say: `python -m benchmarks.history.sentences CLONE... [--commits 50]`.

Takes the newest commits of each clone that change source files, compares each with its parent as `memlsp diff` does,
and counts the sentences about symbols whose meaning changed that tell a reader nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pygit2
from attrs import define, field
from pygit2.enums import SortMode

from benchmarks.reporting.tables import table
from memlsp.capture.git.semantic_diff import difference
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.languages.detection import language_of
from memlsp.model.difference import Difference
from memlsp.model.errors import MemlspError

_LONGEST = 160
_PAIR = re.compile(r"`([^`]*)` (?:instead of|where it had) `([^`]*)`|from `([^`]*)` to `([^`]*)`")
_PLACEHOLDER = re.compile(r"`[^`\w]*\$[^`\w]*`")
_KINDS = {
    "says nothing": re.compile(r"works differently inside|changed in \d+ ways?\.$|^Nothing changed"),
    "shows a placeholder": _PLACEHOLDER,
}
_CODE = frozenset({"python", "javascript", "typescript", "tsx", "go", "rust", "java"})


@define
class Tally:
    """What was counted for one language."""

    commits: int = 0
    sentences: int = 0
    flaws: Counter[str] = field(factory=Counter[str])
    examples: list[str] = field(factory=list[str])

    def add(self, sentence: str) -> None:
        """Count one sentence."""
        self.sentences += 1
        found = list(flaws(sentence))
        self.flaws.update(found)
        if found:
            self.flaws["any of these"] += 1
            self.examples.append(f"{', '.join(found)}: {sentence}")


def flaws(sentence: str) -> Iterator[str]:
    """What is wrong with a sentence; nothing for one that tells something."""
    for name, pattern in _KINDS.items():
        if pattern.search(sentence):
            yield name
    for pair in _PAIR.findall(sentence):
        left, right = (pair[0], pair[1]) if pair[0] or pair[1] else (pair[2], pair[3])
        if left == right:
            yield "shows two sides alike"
            break
    if len(sentence) > _LONGEST:
        yield "is too long"


def sentences_of(found: Difference) -> Iterator[tuple[str, str]]:
    """(language, sentence) of each symbol that was there before and after and means something else."""
    for file in found.files:
        language = language_of(file.path)
        for entry in file.changes:
            if language in _CODE and entry.change.alters_meaning and entry.change.old and entry.change.new:
                yield language or "", entry.sentence


def newest(repository: pygit2.Repository, count: int) -> Iterator[pygit2.Commit]:
    """The newest commits with one parent that change a source file."""
    for commit in repository.walk(repository.head.target, SortMode.TOPOLOGICAL | SortMode.TIME):
        if len(commit.parents) != 1 or count <= 0:
            continue
        changed = commit.parents[0].tree.diff_to_tree(commit.tree).deltas
        if any(language_of(delta.new_file.path) in _CODE for delta in changed):
            count -= 1
            yield commit


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history.sentences", description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path, metavar="CLONE")
    parser.add_argument("--commits", type=int, default=50, help="of each clone (default: 50)")
    parser.add_argument("--examples", type=int, default=0, help="how many flawed sentences to print for each language")
    parser.add_argument("--all", action="store_true", help="print every sentence")
    chosen = parser.parse_args(arguments)
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for clone in chosen.clones:
        _count(clone, chosen.commits, tallies, everything=chosen.all)
    names = ["says nothing", "shows a placeholder", "shows two sides alike", "is too long", "any of these"]
    rows = [
        [language, str(tally.commits), str(tally.sentences), *(_share(tally, name) for name in names)]
        for language, tally in sorted(tallies.items())
    ]
    whole = Tally(sum(t.commits for t in tallies.values()), sum(t.sentences for t in tallies.values()))
    for tally in tallies.values():
        whole.flaws.update(tally.flaws)
    rows.append(["all", str(whole.commits), str(whole.sentences), *(_share(whole, name) for name in names)])
    print(table(["language", "commits", "sentences", *names], rows))
    for language, tally in sorted(tallies.items()):
        for example in tally.examples[: chosen.examples]:
            print(f"{language}: {example}")
    return 0


def _count(clone: Path, commits: int, tallies: dict[str, Tally], *, everything: bool) -> None:
    repository = pygit2.Repository(str(clone))
    worktree = Worktree(clone, git=True)
    for commit in newest(repository, commits):
        try:
            found = difference(worktree, [str(commit.parent_ids[0]), str(commit.id)], base=clone)
        except MemlspError as problem:
            print(f"{clone.name} {str(commit.id)[:8]}: {problem}", file=sys.stderr)
            continue
        seen: set[str] = set()
        for language, sentence in sentences_of(found):
            tallies[language].add(sentence)
            seen.add(language)
            if everything:
                print(f"{clone.name} {str(commit.id)[:8]} {sentence}")
        for language in seen:
            tallies[language].commits += 1


def _share(tally: Tally, name: str) -> str:
    count = tally.flaws[name]
    return f"{count} ({count / max(tally.sentences, 1):.1%})"


if __name__ == "__main__":
    sys.exit(main())
