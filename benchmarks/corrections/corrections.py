"""The suite `corrections`: is what a person says once kept, and the rest of a prompt left alone?

A case is a prompt with the passages of it that outlast its task, if any. A prompt counts as found when something was
kept that agrees with such a passage, and as a false alarm when something was kept and nothing of it agrees. Keeping a
whole page around a passage agrees with it as well; the column `words` therefore says what share of the words that were
kept belong to a passage, and what share of the passages was kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from attrs import frozen

from benchmarks.corrections import former_rules
from benchmarks.documents.labels import print_documents
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, share, table
from benchmarks.stalecode.grading import drawn_interval
from memlsp.beliefs.mining.corrections import from_prompt
from memlsp.beliefs.mining.findings import MinedStatement
from memlsp.model.errors import NoSuchFile

PRECISION, RECALL = 0.90, 0.75
"""What the design asks for, on the sealed half."""

HALVES = ("open", "check", "sealed")
"""Folders of cases: those of the fit, those of the fit's author that no fit sees, and those that judge."""

_QUICK = 5  # one case of so many
_AGREES = 0.5  # of the words of the shorter one of a passage and what was kept
_WORD = re.compile(r"[^\W_]+")
_KEYWORDS = re.compile(
    r"(?i)\b(?:always|never|must(?: not|n't)?|should(?:n't| not)?|don['\u2019]?t|do not|prefer|avoid|only|use\b.+\bnot"
    r"|from now on|instead of|remember)\b"
)


@frozen
class LabelledPrompt:
    """A prompt. `lasting` are the passages that outlast it, () for none; `source` is its project, which is in one half
    only; `part` says how it was made."""

    text: str
    lasting: tuple[str, ...]
    kind: str
    person: bool
    source: str
    part: str


@frozen
class KeptStatement:
    """A statement that was kept, with its kind, "" for none; `person` is None where nobody says about whom it is."""

    text: str
    kind: str = ""
    person: bool | None = None


Reader = Callable[[str], Sequence[KeptStatement]]


@frozen
class Verdict:
    """What was made of one prompt: whether something was kept, and whether it agrees with a passage; of what agrees,
    whether kind and scope are right; and the words kept, those of them in a passage, and those of the passages."""

    case: LabelledPrompt
    kept: bool
    found: bool
    kind: bool
    scope: bool
    words: tuple[int, int, int]

    @property
    def wrong(self) -> bool:
        """True for a false alarm."""
        return self.kept and not self.found


def run_corrections(folder: Path, data: Path | None = None, *, quick: bool = False) -> Report:
    """Measure, and print the tables. `folder` holds the `HALVES` with their `.jsonl` files, and `documents/` with
    labels of lines, whose texts are in the clones in `data`; without those that table is left out. Passes when the
    targets are met on the sealed half. Raises NoSuchFile without cases, KeyError for what is not of their form."""
    halves = {name: cases_in(folder / name)[:: _QUICK if quick else 1] for name in HALVES}
    rows: list[Sequence[str]] = []
    scores: dict[str, dict[str, float]] = {}
    for half, cases in halves.items():
        for way, read in READERS.items():
            verdicts = [verdict(case, read(case.text)) for case in cases]
            rows.append(_row(half if way == OURS else "", way, verdicts))
            scores[f"{half}: {way}"] = score(verdicts)
        rows.append(())
    head = ("cases", "by", "found", "false", "precision", "recall", "F1", "words", "kind")
    print(table(head, rows[:-1], left=2))
    print()
    _print_parts(halves)
    ours = scores[f"sealed: {OURS}"]
    met = ours["precision"] >= PRECISION and ours["recall"] >= RECALL
    print(
        f"\nasked for on the sealed half: precision {PRECISION:.2f}, recall {RECALL:.2f}: {'met' if met else 'missed'}"
    )
    if data is not None:
        print()
        scores |= print_documents(folder / "documents", data)
    wrong = [
        {"text": case.text, "lasting": list(case.lasting), "kept": [each.text for each in kept]}
        for case in halves["open"]
        for kept in [READERS[OURS](case.text)]
        if bool(kept) is not bool(case.lasting)
    ]
    return Report("corrections", scores.pop(f"sealed: {OURS}"), scores, wrong, passed=met)


def cases_in(folder: Path) -> list[LabelledPrompt]:
    """The cases of a half, without those that two people would label differently."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise NoSuchFile(f"no cases in {folder}", "they are in fixtures/corrections of the checkout")
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [_case(row) for row in rows if not row.get("unsure")]


def _case(row: Mapping[str, object]) -> LabelledPrompt:
    lasting = cast("list[str]", row["lasting"])
    source = str(row["source"])
    return LabelledPrompt(
        str(row["text"]),
        tuple(lasting) if row["keep"] else (),
        str(row["kind"]),
        row["scope"] == "person",
        source if source.startswith("own") else source.partition(":")[0],
        _PARTS[str(row["origin"])],
    )


_PARTS = {
    "rephrased": "rephrased lines",
    "transcript": "turns of transcripts",
    "in passing": "made up",
    "task": "made up",
    "issue": "issues and pulls",
    "pull request": "issues and pulls",
    "own": "made up",
    "chat": "made up",
}


# --- who reads

OURS = "memlsp"
AT_ONCE = "memlsp, at once"
"""What is kept without being asked; the rest of `OURS` are proposals that wait."""


def _ours(text: str) -> list[KeptStatement]:
    return [_kept(each) for each in from_prompt(text)]


def _at_once(text: str) -> list[KeptStatement]:
    return [_kept(each) for each in from_prompt(text) if each.direct]


def _kept(found: MinedStatement) -> KeptStatement:
    return KeptStatement(found.text, found.kind.value, found.personal)


def _former(text: str) -> list[KeptStatement]:
    return [KeptStatement(each) for each in former_rules.kept(text)]


def _by_keywords(text: str) -> list[KeptStatement]:
    return [KeptStatement(each) for each in re.split(r"(?<=[.!?])\s+|\n", text) if _KEYWORDS.search(each)]


def _everything(text: str) -> list[KeptStatement]:
    return [KeptStatement(text)]


READERS: Mapping[str, Reader] = {
    OURS: _ours,
    AT_ONCE: _at_once,
    "memlsp 0.1.0": _former,
    "keyword list": _by_keywords,
    "everything": _everything,
}


# --- what it is worth


def verdict(case: LabelledPrompt, kept: Sequence[KeptStatement]) -> Verdict:
    """Judge what was kept of a prompt."""
    right = [each for each in kept if any(agree(each.text, passage) for passage in case.lasting)]
    mine, gold = _words(each.text for each in kept), _words(case.lasting)
    return Verdict(
        case,
        kept=bool(kept),
        found=bool(right),
        kind=any(each.kind == case.kind for each in right),
        scope=any(each.person is case.person for each in right),
        words=(len(mine), len(mine & gold), len(gold)),
    )


def agree(kept: str, passage: str) -> bool:
    """True when half of the words of the shorter one are in the other."""
    mine, gold = _words([kept]), _words([passage])
    return bool(mine and gold) and len(mine & gold) >= _AGREES * min(len(mine), len(gold))


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.lower())}


def score(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Counts, and shares from 0 to 1, which are not a number where nothing was asked. Words, kinds and scopes are of
    the prompts that were found."""
    found, kept = [each for each in verdicts if each.found], [each for each in verdicts if each.kept]
    gold = sum(bool(each.case.lasting) for each in verdicts)
    precision, recall = _of(len(found), len(kept)), _of(len(found), gold)
    told = [each for each in found if each.words[0]]
    return {
        "cases": len(verdicts),
        "lasting": gold,
        "precision": precision,
        "recall": recall,
        "f1": _of(2 * len(found), len(kept) + gold),
        "words in a passage": _of(sum(each.words[1] for each in told), sum(each.words[0] for each in told)),
        "words of the passages": _of(sum(each.words[1] for each in told), sum(each.words[2] for each in told)),
        "kinds": _of(sum(each.kind for each in found), len(found)),
        "scopes": _of(sum(each.scope for each in found), len(found)),
    }


def _of(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _row(half: str, way: str, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    figures = score(verdicts)
    groups = list(_by_source(verdicts))
    found, wrong = sum(each.found for each in verdicts), sum(each.wrong for each in verdicts)
    return (
        half,
        way,
        fraction(found, int(figures["lasting"])),
        fraction(wrong, sum(each.kept for each in verdicts)),
        *(_bounded(figures[name], drawn_interval(groups, _measure(name))) for name in ("precision", "recall", "f1")),
        f"{share(figures['words in a passage'])} / {share(figures['words of the passages'])}",
        share(figures["kinds"]) if way == OURS else "",
    )


def _measure(name: str) -> Callable[[Sequence[Verdict]], float]:
    return lambda verdicts: score(verdicts)[name]


def _bounded(value: float, bounds: tuple[float, float]) -> str:
    return f"{share(value)} ({share(bounds[0])}-{share(bounds[1])})"


def _by_source(verdicts: Iterable[Verdict]) -> Iterator[list[Verdict]]:
    groups: dict[str, list[Verdict]] = {}
    for each in verdicts:
        groups.setdefault(each.case.source, []).append(each)
    yield from groups.values()


def _print_parts(halves: Mapping[str, Sequence[LabelledPrompt]]) -> None:
    """What memlsp does with each origin of a case, and how far kinds and scopes agree."""
    rows: list[Sequence[str]] = []
    for half, cases in halves.items():
        verdicts = [verdict(case, READERS[OURS](case.text)) for case in cases]
        for part in dict.fromkeys(_PARTS.values()):
            some = [each for each in verdicts if each.case.part == part]
            gold = [each for each in some if each.case.lasting]
            rest = [each for each in some if not each.case.lasting]
            rows.append(
                (
                    half if part == next(iter(_PARTS.values())) else "",
                    part,
                    fraction(sum(each.found for each in gold), len(gold)),
                    fraction(sum(each.kept for each in rest), len(rest)),
                    share(score(some)["kinds"]),
                    share(score(some)["scopes"]),
                )
            )
        rows.append(())
    head = ("cases", "origin", "found of what lasts", "kept of the rest", "kinds right", "scopes right")
    print(table(head, rows[:-1], left=2))
