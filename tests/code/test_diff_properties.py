"""Rules about differences that hold for any code, over the sources of every language in `fixtures/edits` and over this
project's own."""

from __future__ import annotations

import ast
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from benchmarks.stalecode.grid import Case, Grid, edited, load_grids
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.explanation import SourceText, explain_change
from memlsp.code.diff.repetitions import without_repetitions
from memlsp.code.diff.sentences import LONGEST, sentence
from memlsp.code.languages.detection import describe
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.syntax.parser import parse
from memlsp.code.syntax.scopes import resolve
from memlsp.code.syntax.tree import Tree
from memlsp.model.change import ChangeKind, DetailKind, SymbolChange, SymbolRef

ROOT = Path(__file__).resolve().parents[2]
GRIDS = {grid.language: grid for grid in load_grids(ROOT / "fixtures" / "edits")}
COSMETIC = frozenset({ChangeKind.COSMETIC})
OWN = sorted((ROOT / "memlsp").glob("**/*.py"))[::12]  # a part of the program keeps this fast


@cache
def read(path: str, source: str) -> Outline:
    return outline(path, source.encode())


def sources(grid: Grid) -> Iterator[tuple[str, str]]:
    """The files of a grid that are code."""
    for path, text in grid.base.items():
        found = describe(path, text.encode()[:200])
        if found is not None and found.scopes:
            yield path, text


def told(path: str, old: str, new: str) -> tuple[SymbolChange, ...]:
    return diff([read(path, old)], [read(path, new)])


def meant(path: str, old: str, new: str) -> list[SymbolChange]:
    """The changes that are more than cosmetic."""
    return [change for change in told(path, old, new) if not change.kinds <= COSMETIC]


# --- nothing is nothing


@pytest.mark.parametrize("language", GRIDS)
def test_a_file_is_no_different_from_itself(language: str) -> None:
    for path, text in GRIDS[language].base.items():
        assert told(path, text, text) == ()


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_of_this_project_is_no_different_from_itself(path: Path) -> None:
    text = path.read_text("utf-8")
    assert told(path.name, text, text) == ()


# --- layout is cosmetic


def tokens_of(language: Language, source: str) -> list[tuple[int, int, bool]]:
    """Where the leaves and comments of a source stand, in order, as byte offsets; True for comments."""
    tree = parse(language, source.encode())
    assert tree is not None
    spans = {(tree.start[at], tree.end[at], False) for at in range(len(tree.kind)) if tree.is_leaf(at)}
    spans |= {(comment.start, comment.end, True) for comment in tree.comments}
    found: list[tuple[int, int, bool]] = []
    for span in sorted(spans):
        if span[1] > span[0] and (not found or span[0] >= found[-1][1]):
            found.append(span)
    return found


def loosened(path: str, source: str, seed: int) -> str:
    """The same tokens with more white space: where there was some there may be more, lines are indented at random and
    parted by empty ones. Nothing is moved to another line, since some languages end statements with lines, and no
    comment is parted from what it documents."""
    language = describe(path, source.encode()[:200])
    assert language is not None
    chance = random.Random(seed)
    data = source.encode()
    out: list[bytes] = []
    at, after_comment = 0, False
    for start, end, comment in tokens_of(language, source):
        gap = data[at:start]
        if gap and not gap.strip() and at:
            if b"\n" in gap or data[at - 1 : at] == b"\n":
                more = b"" if after_comment else b"\n" * chance.choice([0, 0, 0, 1, 2])
                gap = gap[: gap.rfind(b"\n") + 1] + more + chance.choice([b"", b"\t", b"      ", b" "])
            else:
                gap += b" " * chance.choice([0, 0, 1, 4])
        out += (gap, data[start:end])
        at, after_comment = end, comment
    return (b"".join(out) + data[at:]).decode()


INDENTED = frozenset({"python"})  # layout means something there; its own mangler is below


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("language", [name for name in GRIDS if name not in INDENTED])
def test_more_white_space_is_cosmetic(language: str, seed: int) -> None:
    for path, text in sources(GRIDS[language]):
        ugly = loosened(path, text, seed)
        assert ugly != text
        assert meant(path, text, ugly) == []


def mangled(source: str, seed: int) -> str:
    """Python in an ugly layout: other indentation and quotes, empty lines, odd spaces, lines broken inside brackets."""
    import io
    import tokenize

    chance = random.Random(seed)
    step = " " * chance.choice([1, 2, 3, 8])
    brackets = 0
    out: list[str] = []
    fresh = True
    strings = 0
    targets = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            continue
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            out.append("\n" if token.type == tokenize.NL or chance.random() < 0.8 else "\n\n")
            fresh = True
        elif token.type != tokenize.ENDMARKER:
            name = tokenize.tok_name[token.type]
            if name == "FSTRING_START":
                strings += 1
            if fresh:
                out.append(step * (token.start[1] // 4) if not brackets else " " * chance.randrange(9))
                fresh = False
            elif not strings or name == "FSTRING_START":
                out.append(" " * chance.choice([1, 1, 1, 3]))
            if token.type == tokenize.STRING and text[:1] == '"' and text[:3] != '"""' and "'" not in text:
                text = f"'{text[1:-1]}'" if "\\" not in text else text
            out.append(text)
            if name == "FSTRING_END":
                strings -= 1
            brackets += text in ("(", "[", "{") and token.type == tokenize.OP
            brackets -= text in (")", "]", "}") and token.type == tokenize.OP
            targets = (targets or text == "for") and text != "in"  # the grammar takes no line break among those
            if brackets and text == "," and chance.random() < 0.3 and not strings and not targets:
                out.append("\n")
                fresh = True
    return "".join(out)


def plain_lines(path: Path) -> bool:
    """A file that the mangler can take: before Python 3.12 an f-string is one token, and 3.12's parts are glued. One
    that is a docstring and no more has nothing in it to make ugly."""
    text = path.read_text("utf-8")
    if len(ast.parse(text).body) < 2:
        return False
    return "\\\n" not in text and not (sys.version_info >= (3, 12) and ('f"' in text or "f'" in text))


@pytest.fixture(scope="module")
def formatted(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, tuple[str, str]]:
    """This project's files in an ugly layout, and as ruff formats that: one process for all of them."""
    folder = tmp_path_factory.mktemp("ugly")
    ugly: dict[Path, str] = {}
    for number, path in enumerate(OWN):
        if plain_lines(path):
            ugly[path] = mangled(path.read_text("utf-8"), number)
            (folder / f"f{number}.py").write_text(ugly[path], "utf-8")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", str(folder)]
    subprocess.run(command, check=True, timeout=60)
    return {
        path: (ugly[path], (folder / f"f{number}.py").read_text("utf-8"))
        for number, path in enumerate(OWN)
        if path in ugly and not read(path.name, ugly[path]).has_errors  # the grammar takes some layouts for errors
    }


def test_what_ruff_makes_of_an_ugly_file_is_cosmetic(formatted: dict[Path, tuple[str, str]]) -> None:
    assert len(formatted) > 5
    for path, (ugly, neat) in formatted.items():
        assert ugly != neat
        assert meant(path.name, ugly, neat) == [], path


def test_an_ugly_layout_of_a_file_of_this_project_is_cosmetic(formatted: dict[Path, tuple[str, str]]) -> None:
    for path, (ugly, _) in formatted.items():
        assert meant(path.name, path.read_text("utf-8"), ugly) == [], path


PRETTIER = ROOT / ".tools" / "npm" / "node_modules" / ".bin" / "prettier"
FORMATTERS: dict[str, tuple[str, list[str]]] = {
    "go": ("gofmt", []),
    "rust": ("rustfmt", ["--edition", "2021", "--emit", "stdout", "--quiet"]),
    "javascript": (str(PRETTIER), ["--stdin-filepath", "x.js"]),
    "typescript": (str(PRETTIER), ["--stdin-filepath", "x.ts"]),
}


@pytest.mark.parametrize("language", FORMATTERS)
def test_what_the_formatter_of_a_language_does_is_cosmetic(language: str) -> None:
    program, arguments = FORMATTERS[language]
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"no {Path(program).name} on this machine (tests/tools/install.sh brings prettier)")
    if language not in GRIDS:
        pytest.skip(f"no sources in {language}")
    tried = subprocess.run([found, "--version"], capture_output=True, timeout=60, check=False)
    if tried.returncode != 0 and program == "rustfmt":
        pytest.skip("rustfmt is a stand-in here that has no toolchain behind it")
    for path, text in sources(GRIDS[language]):
        ugly = loosened(path, text, 7)
        given = [argument.replace("x.", f"x{Path(path).suffix}"[:2]) for argument in arguments]
        done = subprocess.run([found, *given], input=ugly, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        neat = done.stdout
        assert neat != ugly
        assert meant(path, ugly, neat) == [], path


# --- locals


def renamed_locals(path: str, source: str) -> str:
    """Every true local under another name, by the scopes that the outline itself reads. Parameters keep theirs where a
    caller may use it."""
    language = describe(path, source.encode()[:200])
    assert language is not None
    tree = parse(language, source.encode())
    assert tree is not None
    names = resolve(tree)
    kept = _fixed(path, source, language)
    places: dict[tuple[int, int], tuple[bytes, ...]] = {}
    for node in names.local:
        text = tree.text[node]
        span = (tree.start[node], tree.end[node])
        if text in kept or text in language.selves or tree.source[slice(*span)] != text.encode():
            continue
        new = f"{text}_zz".encode()
        places[span] = (text.encode(), b": ", new) if _is_shorthand(tree, node) else (new,)
    for node, woven in names.woven.items():
        start, end = tree.start[node], tree.end[node]
        text = tree.source[start:end]
        for name, _ in woven:
            if name not in kept:
                text = text.replace(b"{" + name.encode(), b"{" + name.encode() + b"_zz")
        places[start, end] = (text,)
    data = tree.source
    for (start, end), pieces in sorted(places.items(), reverse=True):
        data = data[:start] + b"".join(pieces) + data[end:]
    return data.decode()


def _fixed(path: str, source: str, language: Language) -> frozenset[str]:
    """Names that somebody outside may use: of parameters, where they can be passed by name or take an object apart, and
    of functions inside of functions, which are symbols."""
    symbols = read(path, source).symbols
    kept = {symbol.simple_name for symbol in symbols}
    for parameter in (p for symbol in symbols for p in symbol.facts.parameters):
        if language.named_parameters or not parameter.name.isidentifier():
            kept.update(re.findall(r"\w+", parameter.name))
    return frozenset(kept)


def _is_shorthand(tree: Tree, node: int) -> bool:
    """`{a}` was read as `{a: a}`: two nodes at one place."""
    return node > 0 and tree.start[node - 1] == tree.start[node] and tree.is_leaf(node - 1) and node - 1 in tree.hidden


NOT_READ = {"kotlin": 'a local in "$name" is not seen as one'}


@pytest.mark.parametrize("language", GRIDS)
def test_renaming_every_local_is_cosmetic(language: str) -> None:
    if language in NOT_READ:
        pytest.xfail(NOT_READ[language])
    changed = 0
    for path, text in sources(GRIDS[language]):
        other = renamed_locals(path, text)
        changed += other != text
        assert meant(path, text, other) == [], path
    assert changed, "no file had a local to rename"


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_renaming_every_local_of_a_file_of_this_project_is_cosmetic(path: Path) -> None:
    text = path.read_text("utf-8")
    assert meant(path.name, text, renamed_locals(path.name, text)) == []


# --- there and back

MIRRORED = {
    kind: DetailKind(
        kind.value.replace("_added", "_REMOVED").replace("_removed", "_ADDED").replace("_wrapped", "_UN").lower()
    )
    for kind in DetailKind
    if kind.value.endswith(("_added", "_removed"))
}
PARTED = frozenset({ChangeKind.EXTRACTED, ChangeKind.INLINED, ChangeKind.SPLIT, ChangeKind.MERGED})
NOT_MIRRORED = {
    "cpp/moved-into-the-class"  # a declaration takes in its definition: which of two goes on depends on the side
}


def both_ways(case: Case) -> tuple[list[SymbolChange], list[SymbolChange]]:
    base = GRIDS[case.language].base
    after = edited(base, case.steps)
    paths = [path for path in {**base, **after} if base.get(path) != after.get(path)]
    old = [read(path, base[path]) for path in paths if path in base]
    new = [read(path, after[path]) for path in paths if path in after]
    return list(diff(old, new)), list(diff(new, old))


def places(changes: Sequence[SymbolChange], *, mirrored: bool) -> Counter[tuple[SymbolRef | None, SymbolRef | None]]:
    found: Counter[tuple[SymbolRef | None, SymbolRef | None]] = Counter()
    for change in changes:
        found[(change.new, change.old) if mirrored else (change.old, change.new)] += 1
    return found


def said(change: SymbolChange, *, mirrored: bool) -> Counter[tuple[DetailKind, str | None, str | None]]:
    """What the details say, without names: a mirrored one is named by what is new now."""
    found: Counter[tuple[DetailKind, str | None, str | None]] = Counter()
    for detail in change.details:
        if mirrored:
            found[MIRRORED.get(detail.kind, detail.kind), detail.new, detail.old] += 1
        else:
            found[detail.kind, detail.old, detail.new] += 1
    return found


@pytest.mark.parametrize("language", GRIDS)
def test_the_way_back_is_the_mirrored_way(language: str) -> None:
    for case in GRIDS[language].cases:
        there, back = both_ways(case)
        if f"{language}/{case.id}" in NOT_MIRRORED or any(
            change.kinds & PARTED or change.alternatives for change in [*there, *back]
        ):
            continue  # what could have become several has one origin, seen from there
        assert places(there, mirrored=False) == places(back, mirrored=True), case.id
        by_place = {(change.new, change.old): change for change in back}
        for change in there:
            other = by_place[change.old, change.new]
            assert said(change, mirrored=False) == said(other, mirrored=True), case.id
            assert change.similarity == pytest.approx(other.similarity, abs=0.01), case.id


# --- a difference is always told


@pytest.mark.parametrize("language", GRIDS)
def test_where_both_texts_are_there_every_changed_function_has_something_to_say(language: str) -> None:
    base = GRIDS[language].base
    for case in GRIDS[language].cases:
        after = edited(base, case.steps)
        paths = [path for path in base if path in after and base[path] != after[path]]
        full = [
            explain_change(
                change,
                SourceText(change.old.path, base[change.old.path].encode()),
                SourceText(change.new.path, after[change.new.path].encode()),
            )
            if change.old and change.new
            else change
            for change in diff([read(p, base[p]) for p in paths], [read(p, after[p]) for p in paths])
        ]
        for entry in without_repetitions(full):
            change = entry.change
            if change.old is None or change.new is None or not change.alters_meaning or entry.follows:
                continue
            assert change.details or change.old.kind is not change.new.kind, case.id
            assert not [d for d in change.details if d.kind is DetailKind.BODY and not (d.old or d.new)], case.id
            assert len(sentence(change)) <= LONGEST
