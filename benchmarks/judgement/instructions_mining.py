"""Lines of instruction files (AGENTS.md, CLAUDE.md, rules, agents) that a later commit repaired, mined from histories.

A candidate is a line that a commit changed or deleted and that names a path, a command, a symbol or a number which the
commit's other lines do not name any more. The tree of the parent bears on it: what is gone there, or a commit that
changed documents alone, speaks for a statement that was false already. A person reads the candidates and labels them;
only the labels are published. `python -m benchmarks.judgement.instructions_mining --data DIR --out FILE` writes the
candidates, with `--labels FILE` the file states with their labels.
"""

from __future__ import annotations

import json
import re
import subprocess
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from time import monotonic

from attrs import asdict, evolve, frozen

from benchmarks.judgement.drift_mining import repositories_in

_NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONTRIBUTING.md", "copilot-instructions.md", ".cursorrules")
_FOLDERS = (".claude", ".cursor/rules", ".github/instructions", ".windsurf/rules", ".github/agents", ".agents")
_SPECS = (*(f":(glob)**/{name}" for name in _NAMES), *(f":(glob)**/{f}/**/*.md*" for f in _FOLDERS))
_DOCUMENTS = (".md", ".mdc", ".mdx", ".rst", ".txt", ".cursorrules")
_DATA = (".lock", ".jsonl", "-lock.json", "-lock.yaml", ".svg", ".mbox", ".min.js", ".csv", ".ipynb", ".html")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
_SUFFIX = (
    r"\.(?:py|tsx?|jsx?|mjs|cjs|json|toml|ya?ml|mdx?|mdc|go|rs|sh|java|cs|sql|css|html|lock|rb|swift|kt|vue|proto)"
)
_PATH = re.compile(
    rf"(?<![\w/:.@~$>-])(?:\.{{0,2}}/)?[.\w@-][\w.@-]*(?:/[\w.@-]+)*(?:{_SUFFIX}\b(?![\w/])|/(?=[\s`),.]|$))(?::\d+)?"
)
_QUOTED_PATH = re.compile(r"\.?[\w.@-]+(?:/[\w.@-]+)+/?(?::\d+)?")
_NUMBER = re.compile(r"(?<![\w.-])v?\d[\d,]*(?:\.\d+)*(?:\.x)?\+?(?!\w)")
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_STALE = re.compile(
    r"stale|outdated|drift|wrong|incorrect|inaccura|fix|correct|out of date|obsolete|dead|broken|sync", re.IGNORECASE
)
_ALIKE = 0.5  # ratio of two lines that are one line before and after
_MOST_PAIRED = 60  # added lines of a hunk that are looked at
_LARGEST_SHARE = 0.6  # of a file's lines; a commit that replaces more writes it anew
_SECONDS = 25.0  # for the commits of one repository
_LONGEST_SEARCH = 6.0  # seconds
_READ = frozenset({"amd/gaia"})
_LATER = 20  # commits that a line outlives to count as left alone
_MOST_OF_COMMIT, _MOST_OF_REPOSITORY = 10, 45


@frozen
class RepairedLine:
    """A line of an instruction file that a commit changed, at the commit's parent."""

    repository: str
    commit: str  # the parent
    repair: str
    file: str
    line: int
    group: str  # the class that its tokens suggest
    old: str
    new: str
    evidence: str
    subject: str
    born: str = ""  # yes, no, or unknown: whether it held when it was written


@frozen
class _Removed:
    file: str
    line: int
    old: str
    new: str


def is_instruction(path: str) -> bool:
    """True for a file that tells an agent or a contributor how to work here."""
    return PurePosixPath(path).name in _NAMES or (
        path.endswith((".md", ".mdc")) and any(f"{folder}/" in path for folder in _FOLDERS)
    )


def part_of(repository: str) -> str:
    """`open` or `sealed`, by a hash of the repository's name; what was read when rules were planned is open."""
    return "sealed" if repository not in _READ and sha256(repository.lower().encode()).digest()[0] % 2 else "open"


def git(folder: Path, *arguments: str, seconds: float | None = None) -> str:
    """What git says, or nothing when it fails or takes longer."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode("utf-8", "replace")


@cache
def tree_of(folder: Path, commit: str) -> Mapping[str, frozenset[str]]:
    """Every file and folder of a commit, by its last name."""
    files = git(folder, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in {*files, *(parent for file in files for parent in _parents(file))}:
        found[path.rpartition("/")[2]].add(path)
    return {name: frozenset(paths) for name, paths in found.items()}


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def path_is_there(path: str, file: str, tree: Mapping[str, frozenset[str]], *, whole: bool = False) -> bool:
    """True when a tree has the path as it is written, beside the file that names it, or as the end of a longer one,
    which is not enough when `whole` is asked.
    """
    wanted = re.sub(r":\d+(-\d+)?$", "", path).removeprefix("./").removeprefix("@").strip("/")
    named = tree.get(wanted.rpartition("/")[2], frozenset())
    beside = str(PurePosixPath(file).parent / wanted)
    return any(each in {wanted, beside} or (not whole and each.endswith("/" + wanted)) for each in named)


def candidates(name: str, folder: Path) -> list[RepairedLine]:
    """The candidates of one history, newest first."""
    found: list[RepairedLine] = []
    seen: set[tuple[str, str]] = set()
    started = 0.0
    for commit, parent, subject, removed in _repairs(folder):
        started = started or monotonic()  # reading the history is not counted
        if len(found) >= 2 * _MOST_OF_REPOSITORY or monotonic() - started > _SECONDS:
            break
        fresh = [each for each in removed if (parent, each.old.strip()) not in seen]
        seen |= {(parent, each.old.strip()) for each in fresh}
        of_commit = list(_of_commit(name, folder, commit, parent, subject, fresh))
        found += of_commit if name == "amd/gaia" else of_commit[:_MOST_OF_COMMIT]
    tree_of.cache_clear()
    found.sort(key=lambda each: not _STALE.search(each.subject))
    return found[: 150 if name == "amd/gaia" else _MOST_OF_REPOSITORY]


def _repairs(folder: Path) -> Iterator[tuple[str, str, str, list[_Removed]]]:
    log = git(
        folder,
        "log",
        "--no-merges",
        "--format=%x00%H %P%x01%s%x01",
        "-p",
        "-U0",
        "--no-renames",
        "--diff-filter=M",
        "--no-color",
        "-n",
        "1500",
        "HEAD",
        "--",
        *_SPECS,
    )
    found: list[tuple[str, str, str, str]] = []
    for block in log.split("\0")[1:]:
        hashes, subject, diff = block.split("\1", 2)
        commit, _, parent = hashes.partition(" ")
        if parent and " " not in parent:
            found.append((commit, parent, subject, diff))
    for commit, parent, subject, diff in sorted(found, key=lambda each: not _STALE.search(each[2])):
        yield commit, parent, subject, list(_removed(diff))


def _removed(diff: str) -> Iterator[_Removed]:
    added_all = {line[1:].strip() for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")}
    file, line = "", 0
    old: list[tuple[int, str]] = []
    new: list[str] = []
    for text in (*diff.splitlines(), "@@ -0,0 +0,0 @@"):
        hunk = _HUNK.match(text)
        if hunk or text.startswith("diff "):
            for number, was in old:
                if was.strip() not in added_all:
                    yield _Removed(file, number, was, _pair(was, new))
            old, new = [], []
        if hunk:
            line = int(hunk[1])
        elif text.startswith("--- "):
            file = text[6:]
        elif text.startswith("-"):
            old.append((line, text[1:]))
            line += 1
        elif text.startswith("+") and not text.startswith("+++"):
            new.append(text[1:])


def _pair(old: str, new: Sequence[str]) -> str:
    ratio, best = _ALIKE, ""
    matcher = SequenceMatcher(None, "", old)
    for each in new[:_MOST_PAIRED]:
        matcher.set_seq1(each)
        if matcher.real_quick_ratio() > ratio and matcher.quick_ratio() > ratio and matcher.ratio() > ratio:
            ratio, best = matcher.ratio(), each
    return best


def tokens_of(text: str) -> dict[str, str]:
    """What a line names, with its shape: path, command, symbol, version or number."""
    found: dict[str, str] = {}
    for span in CODE_SPAN.findall(text):
        words = span.split()
        if len(words) > 1:
            found[span] = "command"
        elif _QUOTED_PATH.fullmatch(span) or _PATH.fullmatch(span):
            found[span] = "path"
        else:
            found[span] = "version" if _NUMBER.fullmatch(span) else "symbol"
    for path in _PATH.findall(text):
        if "://" not in path and not path[0].isdigit():
            found[path] = "path"
    for number in _NUMBER.findall(_PATH.sub(" ", text)):
        found.setdefault(number, "version" if "." in number else "number")
    return found


def _of_commit(
    name: str, folder: Path, commit: str, parent: str, subject: str, removed: Sequence[_Removed]
) -> Iterator[RepairedLine]:
    by_file = Counter(each.file for each in removed)
    few = [each for each in removed if _is_small(folder, parent, each.file, by_file[each.file])]
    dropped = {each: _without(tokens_of(each.old), each.new) for each in few}
    gained = {each: _without(tokens_of(each.new), each.old) for each in few}
    if not any(dropped.values()):
        return
    changed = git(folder, "diff-tree", "-r", "--name-only", "--no-commit-id", commit).splitlines()
    documents = all(path.endswith(_DOCUMENTS) for path in changed)
    tree = tree_of(folder, parent)
    words = {w for tokens in (*dropped.values(), *gained.values()) for t, s in tokens.items() for w in _words(t, s)}
    stale = bool(_STALE.search(subject))
    there = _words_there(folder, parent, words) if documents or stale else frozenset(words)
    for each in few:
        old = {t: _is_there(t, s, each.file, tree, there) for t, s in dropped[each].items()}
        new = {t: _is_there(t, s, each.file, tree, there) for t, s in gained[each].items()}
        dead = any(state == "gone" for state in old.values())
        coming = any(state == "gone" for state in new.values())
        lost = any(s == "path" and old.get(t) == "gone" for t, s in dropped[each].items())
        if not old:
            continue
        if not (dead and each.new) and not (lost and stale) and not (documents and each.new and stale):
            continue
        if coming and not documents:
            continue  # the commit made the new statement true, so the old one held
        group = next((dropped[each][t] for t, s in old.items() if s == "gone"), next(iter(dropped[each].values())))
        evidence = ("docs only; " if documents else "") + "; ".join(
            f"{sign}{token} {state}" for sign, states in (("-", old), ("+", new)) for token, state in states.items()
        )
        yield RepairedLine(name, parent, commit, each.file, each.line, group, each.old, each.new, evidence, subject)


def _without(tokens: Mapping[str, str], text: str) -> dict[str, str]:
    return {token: shape for token, shape in tokens.items() if token not in text}


def _is_small(folder: Path, parent: str, file: str, removed: int) -> bool:
    return is_instruction(file) and removed <= _LARGEST_SHARE * max(1, len(text_of(folder, parent, file)))


@cache
def text_of(folder: Path, commit: str, file: str) -> tuple[str, ...]:
    """The lines of a file at a commit; none when it is not there."""
    return tuple(git(folder, "show", f"{commit}:{file}").splitlines())


def _words(token: str, shape: str) -> list[str]:
    """The words of a token that code would hold."""
    if shape in {"path", "number", "version"}:
        return []
    return (
        [w for w in re.findall(r"[A-Za-z_][\w-]*", token) if len(w) > 3]
        if shape == "symbol"
        else [w for w in re.findall(r"[\w:.-]+", token)[1:] if len(w) > 3 and not w[0].isdigit() and w.strip(".-")]
    )


def _words_there(folder: Path, commit: str, words: Iterable[str]) -> frozenset[str]:
    """The words that files other than documents and data hold; all of them where the search takes too long."""
    wanted = sorted(words)
    if not wanted:
        return frozenset()
    flags = [part for word in wanted for part in ("-e", word)]
    left_out = (f":(exclude,glob)**/*{end}" for end in (*_DOCUMENTS, *_DATA))
    out = git(folder, "grep", "-F", "-I", "-h", "-o", *flags, commit, "--", *left_out, seconds=_LONGEST_SEARCH)
    found = frozenset(out.splitlines())
    return frozenset(w for w in wanted if w in found or any(w in each for each in found)) if out else frozenset(wanted)


def _is_there(token: str, shape: str, file: str, tree: Mapping[str, frozenset[str]], there: frozenset[str]) -> str:
    if shape == "path":
        return "here" if path_is_there(token, file, tree) else "gone"
    words = _words(token, shape)
    return ("here" if all(w in there for w in words) else "gone") if words else "?"


def born_true(folder: Path, row: RepairedLine) -> str:
    """Whether what the line names was there when it was written; `unknown` for numbers and prose."""
    blame = git(folder, "blame", "-M", "-l", "-s", "-L", f"{row.line},{row.line}", row.commit, "--", row.file)
    birth = blame.split(" ", 1)[0].lstrip("^")
    dropped = _without(tokens_of(row.old), row.new)
    tree_now, there_now = tree_of(folder, row.commit), _words_of(folder, row.commit, dropped)
    gone = {t: s for t, s in dropped.items() if _is_there(t, s, row.file, tree_now, there_now) == "gone"}
    if not birth or not gone:
        return "unknown"
    tree, there = tree_of(folder, birth), _words_of(folder, birth, gone)
    return "yes" if any(_is_there(t, s, row.file, tree, there) == "here" for t, s in gone.items()) else "no"


def _words_of(folder: Path, commit: str, tokens: Mapping[str, str]) -> frozenset[str]:
    return _words_there(folder, commit, {w for t, s in tokens.items() for w in _words(t, s)})


def left_alone(folder: Path, row: RepairedLine) -> set[int]:
    """The lines of the row's file that the repair left alone and that are there 20 commits later and today."""
    chain = git(folder, "rev-list", "--first-parent", "--ancestry-path", f"{row.repair}..HEAD").split()
    if len(chain) < _LATER:
        return set()
    now = text_of(folder, row.commit, row.file)
    kept = Counter(text.strip() for text in text_of(folder, row.repair, row.file))
    later = Counter(text.strip() for text in text_of(folder, chain[-_LATER], row.file))
    last = Counter(text.strip() for text in text_of(folder, "HEAD", row.file)) or later  # the file may have moved
    return {
        number
        for number, text in enumerate(now, 1)
        if len(text.split()) > 1 and kept[text.strip()] and later[text.strip()] and last[text.strip()]
    }


def states(rows: Sequence[RepairedLine], folders: Mapping[str, Path]) -> Iterator[dict[str, object]]:
    """One row for each file at each commit: the labelled lines, and those left alone, each text of a file once."""
    by_state: defaultdict[tuple[str, str, str], list[RepairedLine]] = defaultdict(list)
    for row in rows:
        by_state[row.repository, row.commit, row.file].append(row)
    told = {(row.repository, row.file, row.old.strip()) for row in rows}  # what is stale once is quiet nowhere
    for (repository, commit, file), of_state in sorted(by_state.items()):
        folder = folders[repository]
        text = text_of(folder, commit, file)
        quiet: list[int] = []
        for line in sorted(left_alone(folder, of_state[0]) - {row.line for row in of_state}):
            if (repository, file, text[line - 1].strip()) not in told:
                told.add((repository, file, text[line - 1].strip()))
                quiet.append(line)
        stale = [{"line": row.line, "class": row.group, "born": row.born} for row in of_state]
        yield {"repository": repository, "commit": commit, "file": file, "stale": stale, "quiet": _ranges(quiet)}


def _ranges(lines: Sequence[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def main() -> None:
    """Write the candidates, or with labels the file states."""
    parser = ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a file of candidates; with --labels, a folder")
    parser.add_argument("--labels", type=Path, help="JSON lines: a candidate with the class that a reader gave it")
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    folders = repositories_in(asked.data)
    if asked.labels is None:
        with asked.out.open("w") as out:
            for name, folder in folders.items():
                if not asked.only or name in asked.only:
                    found = candidates(name, folder)
                    text_of.cache_clear()
                    print(f"{name} {len(found)}", flush=True)
                    out.writelines(json.dumps(asdict(row)) + "\n" for row in found)
                    out.flush()
        return
    rows = [RepairedLine(**json.loads(line)) for line in asked.labels.read_text().splitlines()]
    rows = [evolve(row, born=born_true(folders[row.repository], row)) for row in rows]
    for part in ("open", "sealed"):
        of_part = [row for row in rows if part_of(row.repository) == part]
        with (asked.out / f"{part}.jsonl").open("w") as out:
            out.writelines(json.dumps(row) + "\n" for row in states(of_part, folders))


if __name__ == "__main__":
    main()
