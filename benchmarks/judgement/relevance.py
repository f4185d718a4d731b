"""The suite `relevance`: is what an edit breaks said, and what it leaves alone not.

Each row is a statement, the files before and after an edit, and gold: `contradicted` (the code now says something
else), `changed` (somebody should look), `quiet` (nothing that the statement speaks of is another). The rows come in
classes; those of sealed files are counted and never told, neither printed nor in the JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen

from benchmarks.judgement.relevance_rows import RelevanceRow, relevance_rows
from benchmarks.judgement.replay import judged_after
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import percent, table
from benchmarks.stalecode.grid import Files
from memlsp.beliefs.claims.claims import claims_of
from memlsp.beliefs.claims.stems import any_form
from memlsp.beliefs.claims.symbol_state import name_stems
from memlsp.beliefs.standing.relevance_model import stems_of
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.regions import source_of
from memlsp.model.belief import BeliefKind
from memlsp.model.errors import NoSuchFile
from memlsp.model.place import Place
from memlsp.model.standing import Standing

_PARTS = ("open", "sealed")
_GOLD = ("contradicted", "changed", "quiet")
_WORKERS = 2
MOST_ALARMS, LEAST_FOUND = 0.08, 0.95  # of the quiet rows; of the others
SIGNS = ("contradicted", "changed, a warning", "changed", "quiet")
"""How loud a face is about a belief, the loudest first."""


@frozen
class Row:
    """One statement and one edit."""

    id: str
    part: str
    group: str  # its class
    before: Files
    after: Files
    at: Place
    belief: str
    kind: BeliefKind
    gold: str


@frozen
class Told:
    """What each judge makes of a row: one of SIGNS."""

    row: Row
    sign: str
    reason: str
    others: Mapping[str, str]


def run_relevance(folder: Path, clones: Path | None, *, quick: bool = False, only: str = "") -> Report:
    """Judge the rows of `open/*.jsonl` and `sealed/*.jsonl`, print the counts, and return the report.

    `quick` leaves the sealed rows out; `only` takes those whose `part/class/id` holds this text. Without `clones` the
    rows of real code are left out. It passes where the sealed rows (else the open ones) meet the targets. Raises
    NoSuchFile for a folder without rows, and for clones that lack a repository.
    """
    rows = [row for row in _rows(folder, clones, quick=quick) if only in f"{row.part}/{row.group}/{row.id}"]
    told = _told_all(rows)
    score: dict[str, float] = {}
    baselines: dict[str, dict[str, float]] = {name: {} for name in _BASELINES}
    for part in _PARTS:
        of_part = [each for each in told if each.row.part == part]
        if not of_part:
            continue
        print(f"\n{part}, {len(of_part)} rows\n\n{_classes(of_part)}\n\n{_judges(of_part)}")
        score |= {f"{part} {key}": value for key, value in _counts(of_part, lambda each: each.sign).items()}
        for name, found in baselines.items():
            counts = _counts(of_part, lambda each, name=name: each.others[name])
            found |= {f"{part} {key}": value for key, value in counts.items()}
    judging = next((part for part in reversed(_PARTS) if f"{part} rows" in score), "")
    passed = score.get(f"{judging} false alarms", 0) <= MOST_ALARMS and score.get(f"{judging} found", 1) >= LEAST_FOUND
    cases = [
        {"id": each.row.id, "class": each.row.group, "wanted": each.row.gold, "told": each.sign, "reason": each.reason}
        for each in told
        if each.row.part == "open"
    ]
    _print_wrong(told)
    return Report("relevance", score, baselines, cases, passed)


def judged(row: Row) -> Told:
    """One row, judged by memlsp and by the baselines."""
    others = {name: judge(row) for name, judge in _BASELINES.items()}
    try:
        seen = judged_after(row.before, row.after, row.at, row.belief, row.kind).judgement
    except Exception as error:  # noqa: BLE001 - one row that breaks must not hide the others
        return Told(row, "quiet", f"{type(error).__name__}: {error}", others)
    reason = "; ".join(f"{one.code}: {one.message}" for one in seen.reasons)
    if seen.standing.holds or seen.aside:
        return Told(row, "quiet", reason, others)
    if seen.standing is Standing.CONTRADICTED:
        return Told(row, "contradicted", reason, others)
    return Told(row, SIGNS[1] if any(tie.likely for tie in seen.ties) else SIGNS[2], reason, others)


# --- the baselines


def _by_touch(row: Row) -> str:
    """Everything that touches the symbol or a file that it does not stand in."""
    old, new = _text(row.at, row.before), _text(row.at, row.after)
    elsewhere = any(row.before.get(path) != row.after.get(path) for path in row.before if path != row.at.path)
    return "changed" if old != new or elsewhere else "quiet"


def _by_words(row: Row) -> str:
    """A word of the statement among the words that came or went in any file."""
    claims = claims_of(row.belief)
    said = claims.stems | {one for mention in claims.mentions for one in name_stems(mention.text)}
    touched: set[str] = set()
    for path in row.before.keys() | row.after.keys():
        old, new = (Counter(side.get(path, "").splitlines()) for side in (row.before, row.after))
        touched |= stems_of(((old - new) + (new - old)).keys())
    return "changed" if any(any_form((one,), frozenset(touched)) for one in said) else "quiet"


_BASELINES: Mapping[str, Callable[[Row], str]] = {"all that touches it": _by_touch, "words in the change": _by_words}


def _text(place: Place, files: Files) -> str | None:
    source = files.get(place.path, "").encode()
    symbol = outline(place.path, source).find(place.symbol or "")
    return None if symbol is None else source_of(symbol, source)


# --- running


def _rows(folder: Path, clones: Path | None, *, quick: bool) -> Iterator[Row]:
    files = [(part, path) for part in _PARTS for path in sorted((folder / part).glob("*.jsonl"))]
    if not files:
        raise NoSuchFile(f"no rows in {folder}", "fixtures/relevance of a checkout has them")
    for part, path in files:
        if not (quick and part == "sealed"):
            yield from (_row(part, each) for each in relevance_rows(path, clones))


def _row(part: str, row: RelevanceRow) -> Row:
    path, _, symbol = row.at.partition("#")
    after = {name: text for name, text in {**row.before, **row.after}.items() if text is not None}
    place, kind = Place(path, symbol=symbol or None), BeliefKind(row.kind)
    return Row(row.id, part, row.group, row.before, after, place, row.statement, kind, row.gold)


def _told_all(rows: Sequence[Row]) -> list[Told]:
    if len(rows) < 4 * _WORKERS:
        return [judged(row) for row in rows]
    # spawned, for a forked child would inherit locks and open stores
    with ProcessPoolExecutor(_WORKERS, mp_context=get_context("spawn")) as pool:
        return list(pool.map(judged, rows, chunksize=8))


# --- counting


def _counts(told: Sequence[Told], sign: Callable[[Told], str]) -> dict[str, float]:
    pairs = Counter((each.row.gold, sign(each)) for each in told)
    total = Counter(each.row.gold for each in told)
    loud = {gold: total[gold] - pairs[gold, "quiet"] for gold in _GOLD}
    due = total["contradicted"] + total["changed"]
    return {
        "rows": len(told),
        "contradicted": pairs["contradicted", "contradicted"],
        "weaker": loud["contradicted"] - pairs["contradicted", "contradicted"],
        "silent": pairs["contradicted", "quiet"],
        "changed": loud["changed"] - pairs["changed", "contradicted"],
        "changed, told contradicted": pairs["changed", "contradicted"],
        "changed, silent": pairs["changed", "quiet"],
        "quiet": pairs["quiet", "quiet"],
        "alarms by contradicted": pairs["quiet", "contradicted"],
        "alarms by changed": loud["quiet"] - pairs["quiet", "contradicted"],
        "false alarms": loud["quiet"] / total["quiet"] if total["quiet"] else 0.0,
        "found": (loud["contradicted"] + loud["changed"]) / due if due else 1.0,
    }


_COLUMNS = (
    "contradicted",
    "weaker",
    "silent",
    "changed",
    "changed, told contradicted",
    "changed, silent",
    "quiet",
    "alarms by contradicted",
    "alarms by changed",
)


def _classes(told: Sequence[Told]) -> str:
    rows: list[list[str]] = []
    groups = list(dict.fromkeys(each.row.group for each in told))
    for group in (*groups, ""):
        of_group = [each for each in told if group in {"", each.row.group}]
        counts = _counts(of_group, lambda each: each.sign)
        if not group:
            rows.append([])
        rows.append([group or "all", *(f"{counts[column]:.0f}" if counts[column] else "·" for column in _COLUMNS)])
    head = ["class", "contrad.", "weaker", "SILENT", "changed", "too loud", "silent", "quiet", "ALARM c", "alarm ch"]
    return table(head, rows)


def _judges(told: Sequence[Told]) -> str:
    due = [each for each in told if each.row.gold != "quiet"]
    quiet = [each for each in told if each.row.gold == "quiet"]
    rows: list[list[str]] = []
    for name in ("memlsp", *_BASELINES):

        def loud(each: Told, name: str = name) -> bool:
            return (each.sign if name == "memlsp" else each.others[name]) != "quiet"

        rows.append([name, percent(sum(map(loud, due)), len(due)), percent(sum(map(loud, quiet)), len(quiet))])
    return table(["judge", "found", "false alarms"], rows)


def _print_wrong(told: Sequence[Told]) -> None:
    for each in told:
        row = each.row
        right = each.sign == row.gold or (row.gold == "changed" and each.sign == SIGNS[1])
        if row.part == "open" and not right:
            print(f"- {row.group} {row.id}: expected {row.gold}, got {each.sign}")
            print(f"    belief  {row.belief}  ({row.at})")
            if each.reason:
                print(f"    reason  {each.reason[:200]}")
