"""Sentences of documentation that people left or rewrote when they changed the code below, from real histories.

Where a commit changed a function and rewrote some of the sentences about it, a rewritten one should have been told, and
its neighbours should not. A rewritten sentence counts only where a word that came or went is also in the change of the
code: others were improved, and were true. Where a commit rewrote none, all are its quiet ones, with less weight.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path

import pygit2
from attrs import frozen

from benchmarks.judgement.drift_gold import is_kept
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.standing.relevance_model import stems_of, texts_of
from memlsp.code.diff.comparison import compare
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.syntax.regions import source_of
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import CODE_KINDS, Symbol

_FILES = (".py", ".js", ".ts", ".go", ".java", ".rb", ".php", ".rs", ".cs", ".c", ".h", ".kt", ".cpp", ".hpp")
_ASIDE = word_set("test tests testing docs doc examples example vendor _vendor packages benches spec dist")
_HARMLESS = frozenset({DetailKind.DOCS, DetailKind.HINT})
_LARGEST, _LONGEST, _MOST_FILES = 150_000, 12_000, 40  # bytes of a file, characters of a function, files of a commit
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z`@:\[*<{])|\s+(?=[:@](?:param|returns?|raises?|throws|type|exception|arg|yields|see)\b)"
    r"|\s+[-*]\s+(?=\S)|</?(?:p|li|ul|summary|remarks|returns|param|exception)\b[^>]*>"
)
_NO_STATEMENT = re.compile(r"… [0-9a-f]{16}|version(?:added|changed)|deprecat|@since|:rtype:|\.\. |^>>>")
_LIKE, _SAME = 0.3, 0.97  # likeness of a sentence to what it was rewritten to
_MOST_REWRITTEN = 0.6  # of the sentences; more of them is a new text
_QUIET_WEIGHT = 0.25  # of a sentence that stayed in a commit that rewrote none


@frozen
class MinedSentence:
    """One sentence beside one change. `place` is the number of the sentence in the documentation of the symbol."""

    repository: str
    commit: str
    path: str
    symbol: str
    place: int
    statement: str
    language: str
    old: Symbol
    new: Symbol
    details: tuple[Detail, ...]
    before: str
    after: str
    rewritten: bool
    weight: float


def is_held_out(repository: str) -> bool:
    """A third of the repositories, by their names: they teach nothing."""
    return int(sha256(repository.encode()).hexdigest(), 16) % 3 == 0


def mined_sentences(name: str, folder: Path, *, most: int, every: int = 40) -> Iterator[MinedSentence]:
    """Read at most `most` commits, the newest first; of those that rewrote nothing one file in `every`."""
    repository = pygit2.Repository(str(folder))
    read = 0
    for commit in repository.walk(repository.head.target, pygit2.enums.SortMode.TIME):
        if len(commit.parents) != 1:
            continue
        read += 1
        if read > most:
            return
        try:
            difference = commit.parents[0].tree.diff_to_tree(commit.tree, context_lines=0)
            deltas = [each.delta for each in difference if each is not None and _is_read(each, commit, every)]
        except KeyError:  # a blob that the snapshot lacks
            continue
        if len(deltas) <= _MOST_FILES:
            for delta in deltas:
                yield from _of_file(name, str(commit.id), repository, delta)


def _is_read(patch: pygit2.Patch, commit: pygit2.Commit, every: int) -> bool:
    path = patch.delta.new_file.path
    if patch.delta.status is not pygit2.enums.DeltaStatus.MODIFIED or not path.endswith(_FILES):
        return False
    if _ASIDE & set(path.lower().split("/")) or "test" in path.rpartition("/")[2].lower():
        return False
    prose: list[int] = []
    code: list[int] = []
    for hunk in patch.hunks:
        for line in hunk.lines:
            text = line.raw_content.strip()
            if line.origin in "+-" and text and not _PROSE.match(text):
                code.append(hunk.old_start)
            elif line.origin == "-" and text:
                prose.append(hunk.old_start)
    if any(0 <= line - other < _NEAR for line in code for other in prose):
        return True
    return bool(code) and int(sha256(f"{commit.id}{path}".encode()).hexdigest(), 16) % every == 0


_PROSE = re.compile(rb'\*|/\*|//|#|"""|@|:|[A-Za-z`]+(?: [a-zA-Z`,.]+){3,}')
_NEAR = 120  # lines from a documentation to the code below


def _of_file(name: str, commit: str, repository: pygit2.Repository, delta: pygit2.DiffDelta) -> Iterator[MinedSentence]:
    try:
        data, other = (repository[each.id].read_raw() for each in (delta.old_file, delta.new_file))
    except KeyError:
        return
    if max(len(data), len(other)) > _LARGEST:
        return
    path = delta.new_file.path
    before, after = outline(path, data), outline(path, other)
    for old in before.symbols:
        new = after.find(old.name, old.ordinal)
        if new is None or old.kind not in CODE_KINDS or new.fingerprint.meaning == old.fingerprint.meaning:
            continue
        if old.facts.docs and new.facts.docs:
            yield from _of_symbol(name, commit, before, old, new, (source_of(old, data), source_of(new, other)))


def _of_symbol(
    name: str, commit: str, read: Outline, old: Symbol, new: Symbol, texts: tuple[str, str]
) -> Iterator[MinedSentence]:
    said = _sentences(old.facts.docs)
    details = tuple(detail for detail in compare(old, new).details if detail.kind not in _HARMLESS)
    if not said or not details or len(texts[0]) > _LONGEST:
        return
    gone = [not is_kept(sentence, new.facts.docs) for sentence in said]
    if any(gone) and sum(gone) > max(2, _MOST_REWRITTEN * len(said)):
        return
    changed = _changed_words(old, new, details)
    told = _sentences(new.facts.docs)
    rewritten = [away and _is_caused(sentence, told, changed) for sentence, away in zip(said, gone, strict=True)]
    if any(gone) and not any(rewritten):
        return
    weight = 1.0 if any(rewritten) else _QUIET_WEIGHT
    for place, sentence in enumerate(said):
        if rewritten[place] or not gone[place]:
            yield MinedSentence(
                repository=name,
                commit=commit,
                path=old.path,
                symbol=old.name,
                place=place,
                statement=sentence,
                language=read.language or "",
                old=old,
                new=new,
                details=details,
                before=texts[0],
                after=texts[1],
                rewritten=rewritten[place],
                weight=weight,
            )


def _sentences(text: str) -> list[str]:
    parts = (part.strip(" *-") for part in _SENTENCE.split(text))
    return [
        part
        for part in parts
        if len(re.findall(r"[A-Za-z]{2,}", part)) >= 4 and len(part) < 400 and not _NO_STATEMENT.search(part)
    ]


def _changed_words(old: Symbol, new: Symbol, details: tuple[Detail, ...]) -> frozenset[str]:
    before, after = Counter(old.facts.tokens), Counter(new.facts.tokens)
    tokens = ((before - after) + (after - before)).keys()
    plain = {word for token in tokens for word in re.findall(r"\w+", token.lower())}
    return stems_of([*tokens, *texts_of(details)]) | plain


def _is_caused(sentence: str, told: list[str], changed: frozenset[str]) -> bool:
    """True where a word that the rewriting added or took is in the change of the code."""

    def words(text: str) -> list[str]:
        return re.findall(r"[^\W_]+", text.lower())

    own = words(sentence)
    likeness, best = max(
        ((SequenceMatcher(None, own, words(each), autojunk=False).ratio(), each) for each in told), default=(0.0, "")
    )
    differing = set(own) ^ set(words(best))
    return _LIKE <= likeness < _SAME and bool(differing & changed or stems_of(differing) & changed)
