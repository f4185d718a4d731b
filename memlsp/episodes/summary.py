"""Summarises a draft as an episode: title, intent, outcome, changed symbols, commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memlsp.code.vocabulary import patterns
from memlsp.episodes.boundaries import only_continues, only_states
from memlsp.episodes.drafts import EpisodeDraft, Stretch
from memlsp.episodes.observation import stems, without_references
from memlsp.model.change import ChangeKind
from memlsp.model.episode import CommandRun, Episode, KeptChange, Outcome
from memlsp.model.one_line import joined
from memlsp.store.core.rows import from_milliseconds

LONGEST_TITLE = 72
LONGEST_INTENT = 600
_MOST_RUNS = 60
_MOST_TOLD = 60

_PATTERNS = patterns(__name__)


def episode_of(draft: EpisodeDraft, *, closed_at: int | None = None, closed_by: str = "") -> Episode:
    """A draft as an episode; `closed_at` in milliseconds since 1970 when it is over."""
    stretches = draft.stretches
    changes = changes_of(draft)
    commands = tuple(sorted((run for stretch in stretches for run in stretch.commands), key=lambda run: run.at))
    return Episode(
        id=draft.id,
        title=title_of(draft),
        intent=intent_of(draft),
        outcome=outcome_of(draft, closed=closed_at is not None),
        began_at=from_milliseconds(draft.began),
        last_at=from_milliseconds(draft.last),
        closed_at=None if closed_at is None else from_milliseconds(max(closed_at, draft.last)),
        closed_by=closed_by if closed_at is not None else "",
        branch=draft.branch,
        sources=tuple(dict.fromkeys(stretch.source for stretch in stretches)),
        sessions=tuple(dict.fromkeys(stretch.session for stretch in stretches if stretch.session)),
        events=sum(stretch.number for stretch in stretches),
        paths=tuple(dict.fromkeys(path for stretch in stretches for path in stretch.paths)),
        symbols=_symbols(changes),
        sentences=_sentences(changes),
        commands=_shortened(commands),
        commits=tuple(dict.fromkeys(commit for stretch in stretches for commit in stretch.commits)),
    )


def changes_of(draft: EpisodeDraft) -> tuple[KeptChange, ...]:
    """The changes of its stretches that git did not take back; all of them where it took all."""
    made = [(change, stretch.taken) for stretch in draft.stretches for change in stretch.changes]
    left = [change for change, taken in made if (ref := change.new or change.old) is None or ref.path not in taken]
    return tuple(left or (change for change, _ in made))


def title_of(draft: EpisodeDraft) -> str:
    """One line: the first informative request, else a commit's subject, else the changes of symbols, else whatever
    there is."""
    return next((_fitted(line) for line in _possible_titles(draft) if line), "Nothing yet")


def _possible_titles(draft: EpisodeDraft) -> Iterator[str]:
    """What an episode may be called, the best first; lines may be empty."""
    asked = [line for stretch in draft.stretches if _asks(stretch) and (line := first_line(stretch.prompt))]
    yield from (line for line in asked if len(list(stems(line))) > 1 and not _PATTERNS["question"].match(line))
    subjects = [stretch.subject for stretch in draft.stretches if stretch.subject]
    yield from (first_line(subject) for subject in subjects if not _PATTERNS["empty_subject"].match(subject))
    yield title_of_changes(changes_of(draft))
    yield from asked
    yield from (first_line(subject) for subject in subjects[:1])
    yield from _titles_of_acts(draft)


def _titles_of_acts(draft: EpisodeDraft) -> Iterator[str]:
    """What was changed, run or read."""
    if paths := dict.fromkeys(path for stretch in draft.stretches for path in stretch.paths):
        yield f"Change {_files(paths)}"
    if runs := [run.command for stretch in draft.stretches for run in stretch.commands]:
        yield f"Run {' '.join(runs[-1].split())}"
    if seen := sorted({path for stretch in draft.stretches for path in stretch.signs.seen}):
        yield f"Read {_files(seen)}"


def _files(paths: Iterable[str]) -> str:
    return _enumerated([path.rsplit("/", 1)[-1] for path in paths])


def _asks(stretch: Stretch) -> bool:
    """False for a prompt that asks for no task, such as a rule that led to no work."""
    worked = stretch.paths or stretch.commits or stretch.commands
    return not only_continues(stretch.prompt) and bool(worked or not only_states(stretch.prompt))


def first_line(text: str) -> str:
    """The first sentence of a prompt or subject without courtesies and code; "" for a merge, or when none is left."""
    text = _PATTERNS["tags"].sub(" ", text) if without_references(text) else ""
    for part in _PATTERNS["sentence_end"].split(text):
        plain = _PATTERNS["numbered"].sub("", " ".join(part.split()).strip(" \t-*>"))
        line = _PATTERNS["courtesy"].sub("", plain.lstrip("# ")).strip(" \t.,;:!")
        if len(line) > 2 and any(letter.isalpha() for letter in line):
            return line[0].upper() + line[1:]
    return ""


def intent_of(draft: EpisodeDraft) -> str:
    """The first request in its own words, and the latest when that is another."""
    prompts = [stretch for stretch in draft.stretches if stretch.prompt.strip()]
    asked = [stretch.prompt.strip() for stretch in prompts if _asks(stretch)]
    if not asked:
        return ""
    text = asked[0] if len(asked) == 1 or asked[-1] == asked[0] else f"{asked[0]}\n{asked[-1]}"
    return text if len(text) <= LONGEST_INTENT else text[: LONGEST_INTENT - 1].rstrip() + "…"


def title_of_changes(changes: Sequence[KeptChange]) -> str:
    """The changes of symbols as a title: `Add fetch and parse`, `Replace retry by tenacity.retry in fetch`."""
    net = _net(changes)
    if not net:
        return ""
    groups: dict[str, list[str]] = {}
    for change in net:
        groups.setdefault(_verb(change), []).append(_spoken(change))
    if len(net) == 1:
        swapped = _swapped(net[0])
        if swapped:
            return swapped
    verb = max(groups, key=lambda word: (len(groups[word]), _VERBS.index(word)))
    first = f"{verb} {_enumerated(groups.pop(verb))}"
    rest = [f"{word.lower()} {_enumerated(names)}" for word, names in groups.items() if len(names) <= 2]
    return f"{first}, {rest[0]}" if len(rest) == 1 and len(groups) == 1 else first


_VERBS = ("Change", "Move", "Rename", "Remove", "Add")  # the more informative later


def _net(changes: Sequence[KeptChange]) -> list[KeptChange]:
    """The net changes: one for each symbol, none for members of an added or removed symbol."""
    last: dict[tuple[str, str], KeptChange] = {}
    for change in changes:
        here = change.new or change.old
        if here is None or change.kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}:
            continue
        origin = change.old or here
        before = last.pop((origin.path, origin.name), None)
        if before is not None and before.old is None:  # it was added within the episode
            if change.new is None:
                continue
            change = KeptChange(before.kinds, None, change.new, before.sentence)  # noqa: PLW2901 - what it comes to
        last[here.path, here.name] = change
    whole = {key for key, change in last.items() if change.old is None or change.new is None}
    return [
        change
        for (path, name), change in last.items()
        if name and not any((path, name[:at]) in whole for at, letter in enumerate(name) if letter == ".")
    ] or list(last.values())


def _verb(change: KeptChange) -> str:
    if change.old is None:
        return "Add"
    if change.new is None:
        return "Remove"
    if ChangeKind.RENAMED in change.kinds:
        return "Rename"
    return "Move" if ChangeKind.MOVED in change.kinds else "Change"


def _spoken(change: KeptChange) -> str:
    here = change.new or change.old
    if here is None:
        return ""
    name = here.name or here.path.rsplit("/", 1)[-1]
    if change.old is not None and change.new is not None and ChangeKind.RENAMED in change.kinds:
        return f"{change.old.name} to {change.new.name.rsplit('.', 1)[-1]}"
    return name


def _swapped(change: KeptChange) -> str:
    """`Replace A by B in NAME` where one call went and another came."""
    if change.new is None:
        return ""
    where = change.new.name or change.new.path
    if (both := _PATTERNS["swapped_call"].search(change.sentence)) is not None:
        return f"Replace {both[2]} by {both[1]} in {where}"
    new, old = _PATTERNS["new_call"].search(change.sentence), _PATTERNS["old_call"].search(change.sentence)
    return f"Replace {old[1]} by {new[1]} in {where}" if new is not None and old is not None else ""


def outcome_of(draft: EpisodeDraft, *, closed: bool) -> Outcome:
    """The outcome: abandoned when all of its work was discarded, else by its commits; once closed by its last tests."""
    written = [stretch for stretch in draft.stretches if stretch.paths]
    if written and all(stretch.undone for stretch in written):
        return Outcome.ABANDONED
    committed = any(stretch.commits for stretch in draft.stretches)
    if committed and (closed or draft.is_committed):
        return Outcome.COMMITTED
    if not closed:
        return Outcome.OPEN
    tests = [stretch.tests for stretch in draft.stretches if stretch.tests is not None]
    if tests:
        return Outcome.TESTED if tests[-1] else Outcome.FAILED
    return Outcome.ENDED


def _symbols(changes: Sequence[KeptChange]) -> tuple[tuple[str, str], ...]:
    refs = (change.new or change.old for change in changes)
    return tuple(dict.fromkeys((ref.path, ref.name) for ref in refs if ref is not None))


def _sentences(changes: Sequence[KeptChange]) -> tuple[str, ...]:
    latest = dict.fromkeys(change.sentence for change in reversed(changes) if change.sentence)
    return tuple(reversed(list(latest)[:_MOST_TOLD]))


def _shortened(commands: Sequence[CommandRun]) -> tuple[CommandRun, ...]:
    last: dict[tuple[str, bool | None], CommandRun] = {}
    for run in commands:
        last.pop((run.command, run.worked), None)
        last[run.command, run.worked] = run
    return tuple(list(last.values())[-_MOST_RUNS:])


def _enumerated(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(name for name in names if name))
    return joined(names, 2 if len(names) > 3 else 3)


def _fitted(line: str) -> str:
    line = " ".join(line.split())
    if len(line) <= LONGEST_TITLE:
        return line
    cut = line[: LONGEST_TITLE - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > LONGEST_TITLE // 2 else cut).rstrip(" ,;:-(") + "…"
