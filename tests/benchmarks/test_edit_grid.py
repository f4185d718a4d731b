"""The grid itself: whole, valid code in every state, and saying what it must."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from tree_sitter import Language, Parser

from benchmarks.stalecode.errors import BadData
from benchmarks.stalecode.grid import GROUPS, STANDINGS, Case, Grid, edited, load_grids
from memlsp.code.languages.detection import describe

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "edits"
GRIDS = {grid.language: grid for grid in load_grids(FOLDER)}
UNSEEN = {grid.language: grid for grid in load_grids(FOLDER.parent / "edits-unseen")}
EVERY = {**GRIDS, **{f"{language}, unseen": grid for language, grid in UNSEEN.items()}}
LANGUAGES = tuple(GRIDS)
FIRST = ("go", "java", "javascript", "python", "rust", "typescript")
UNPARSED = {".mod"}  # go.mod: the tool's own format
OPEN_LORE = {
    "comment",
    "layout",
    "docstring",
    "quotes",
    "parentheses",
    "local-rename",
    "type-hints",
    "rename",
    "rename-comment",
    "move-file",
    "body",
    "condition",
    "literal",
    "deletion",
    "constant",
}


def test_the_grid_has_the_first_six_languages_and_more() -> None:
    assert set(FIRST) < set(LANGUAGES)
    assert tuple(UNSEEN) == FIRST


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_is_covered_or_has_a_reason_not_to_be(language: str) -> None:
    grid = GRIDS[language]
    every = {cell for cells in GROUPS.values() for cell in cells}
    covered = {(case.group, case.cell) for case in grid.cases}
    missing = [
        f"{group}/{cell}"
        for group, cells in GROUPS.items()
        for cell in cells
        if (group, cell) not in covered and cell not in grid.not_applicable
    ]
    assert missing == []
    assert set(grid.not_applicable) <= every
    assert all(len(reason) > 10 for reason in grid.not_applicable.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_enough_cases_with_names_of_their_own(language: str) -> None:
    cases = GRIDS[language].cases
    assert len(cases) >= 30
    assert [name for name, count in Counter(case.id for case in cases).items() if count > 1] == []
    assert {case.expect for case in cases} == set(STANDINGS)


@pytest.mark.parametrize("name", EVERY)
def test_gold_says_why_and_an_edit_edits(name: str) -> None:
    grid = EVERY[name]
    for case in grid.cases:
        assert case.why.endswith("."), case.id
        assert case.path in grid.base, case.id
        assert edited(grid.base, case.steps) != grid.base, case.id


@pytest.mark.parametrize("name", EVERY)
def test_every_state_is_valid_code(name: str) -> None:
    grid = EVERY[name]
    seen: set[tuple[str, str]] = set()
    broken: list[str] = []
    for state, files in [("base", grid.base), *((case.id, edited(grid.base, case.steps)) for case in grid.cases)]:
        for path, text in files.items():
            suffix = PurePosixPath(path).suffix
            if suffix in UNPARSED or (suffix, text) in seen:
                continue
            seen.add((suffix, text))
            if _has_errors(path, text.encode()):
                broken.append(f"{state}: {path}")
            if suffix == ".py":
                compile(text, path, "exec")
    assert broken == []


@pytest.mark.parametrize("language", FIRST)
def test_the_unseen_cases_are_dealt_out_evenly_in_two_sets(language: str) -> None:
    cases = UNSEEN[language].cases
    assert Counter(case.part for case in cases) == {"a": 20, "b": 20}
    assert [name for name, count in Counter(case.id for case in cases).items() if count > 1] == []
    for group in GROUPS:
        dealt = Counter(case.part for case in cases if case.group == group)
        assert abs(dealt["a"] - dealt["b"]) <= 1, group


def test_openlores_sixteen_kinds_are_there_in_python() -> None:
    assert {case.cell for case in GRIDS["python"].cases} >= OPEN_LORE


def test_the_rate_in_another_file_contradicts_the_twenty_percent() -> None:
    case = _case(GRIDS["python"], "rate-in-another-file")
    assert case.belief == "`compute_tax` applies the default 20 % rate"
    assert case.at == "shop/tax.py#compute_tax"
    after = edited(GRIDS["python"].base, case.steps)
    assert "RATE = 0.25\n" in after["shop/rates.py"]
    assert after["shop/tax.py"] == GRIDS["python"].base["shop/tax.py"]
    assert case.expect == "contradicted"


def test_a_replacement_that_does_not_stand_exactly_once_is_refused() -> None:
    base = GRIDS["python"].base
    step = _case(GRIDS["python"], "rate-in-another-file").steps[0]
    with pytest.raises(BadData, match="stands 0 times"):
        edited(base, [step, step])


def test_a_case_that_is_not_well_formed_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "python"
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "a.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "edits.toml").write_text(
        '[[case]]\nid = "odd"\ngroup = "cosmetic"\ncell = "colour"\nbelief = "b"\nat = "a.py"\n'
        'steps = [{ delete = "a.py" }]\nexpect = "orphaned"\nwhy = "Gone."\n',
        encoding="utf-8",
    )
    with pytest.raises(BadData, match="python/odd: no cell colour"):
        load_grids(tmp_path)


def _has_errors(path: str, source: bytes) -> bool:
    language = describe(path, source)
    assert language is not None, path
    parser = Parser(Language(language.grammar()))
    return parser.parse(language.as_parsed(source)).root_node.has_error


def _case(grid: Grid, name: str) -> Case:
    return next(case for case in grid.cases if case.id == name)
