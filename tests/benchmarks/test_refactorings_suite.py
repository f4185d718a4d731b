"""The suite `refactorings`: how reports are read, what counts as told, and what is printed of it."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from benchmarks.history.refactorings import judged
from benchmarks.history.refactorings_gold import ORACLE, Change, Label, Oracle
from benchmarks.history.refactorings_reports import Happening, happenings
from benchmarks.history.refactorings_systems import told_by_diff, told_by_hash, told_by_names
from benchmarks.suites import run_suite
from memlsp.code.syntax.outline import outline
from memlsp.model.errors import NoSuchFile

BEFORE = (
    "def price(rows):\n    total = 0\n    for row in rows:\n        total += row.count * row.cost\n    return total\n"
)
AFTER = BEFORE.replace("price", "net_price")
RENAMED = "Rename Method public price(rows) renamed to public net_price(rows) in class shop.__module__"


def place(*names: str) -> frozenset[str]:
    return frozenset(names)


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (RENAMED, Happening("rename method", ("price", "net_price"), (place("shop"),))),
        (
            "Pull Up Method public cell() : Cell from class a.b.Sub to public cell() : Cell from class a.b.Base",
            Happening("move method", ("cell",), (place("Sub"), place("Base"))),
        ),
        (
            (
                "Extract And Move Method public put(author Author) : void extracted from public add(name String) : "
                "void in class a.Service & moved to class a.Store"
            ),
            Happening("extract method", ("put",), (place("add"), place("Service"), place("Store"))),
        ),
        (
            (
                "Move And Inline Method public isOut(x Map<K, V>) : boolean moved from class a.B.C to class a.B "
                "& inlined to public find(all List<X>) : List<X>"
            ),
            Happening("inline method", ("isOut",), (place("find"), place("C"), place("B"))),
        ),
        (
            "Add Parameter limit : int in method public fetch(url String, limit int) : Row from class a.Client",
            Happening("add parameter", ("limit",), (place("fetch"), place("Client"))),
        ),
        (
            "Localize Parameter graph to graph in method public inspect(reporter) from class a.Inspectors",
            Happening("remove parameter", ("graph",), (place("inspect"), place("Inspectors"))),
        ),
        (
            "Rename Variable old : int to limit : int in method public fetch(limit int) : Row from class a.Client",
            Happening("rename parameter", ("old", "limit"), (place("fetch"), place("Client"))),
        ),
        (
            "Add Parameter limit : Int in method public open(limit Int) : Row from class a.Client.Companion",
            Happening("add parameter", ("limit",), (place("open"), place("Client"))),
        ),
        (
            "Add Parameter limit : Int in method public File.rows(limit Int) : Row from class a.Rows.module",
            Happening("add parameter", ("limit",), (place("rows"), place("Rows"))),
        ),
        (
            "Remove Parameter limit : Int in method public see(limit Int) from class a.Shop.listens.Listener",
            Happening("remove parameter", ("limit",), (place("see"), place("Listener", "listens"))),
        ),
        (
            "Move And Rename Class npjdist.__module__ moved and renamed to npdist.__module__",
            Happening("move file", ("npjdist", "npdist")),
        ),
        (
            "Extract Superclass a.Base from classes [a.One, a.Two]",
            Happening("extract class", ("Base",), (place("One", "Two"),)),
        ),
    ],
)
def test_a_report_is_read(report: str, expected: Happening) -> None:
    assert happenings(report) == [expected]


@pytest.mark.parametrize(
    "report",
    [
        "Rename Variable old : int to new : int in method public fetch(limit int) : Row from class a.Client",
        "Extract Variable batches : int in method public fetch() : void from class a.Client",
        "Split Conditional if(a && b) to [if(a), if(b)] in method public fetch() : void from class a.Client",
    ],
)
def test_a_report_about_statements_says_nothing_of_a_symbol(report: str) -> None:
    assert happenings(report) == []


def test_kotlin_is_told_as_the_oracle_spells_it() -> None:
    before = "class Shop(val size: Int) { constructor(a: Int, b: Int) : this(a) }\nfun File.rows() = open(this)\n"
    after = before.replace("val size: Int", "val size: Int, log: Log").replace("b: Int", "c: Int")
    sources = [[outline("a/Shop.kt", text.encode())] for text in (before, after.replace("rows()", "rows(limit: Int)"))]
    for teller in (told_by_diff, told_by_names, told_by_hash):
        told = teller(*sources)
        own, top = (place("Shop"), place("Shop")), (place("rows"), place("Shop", "ShopKt", "a"))
        assert Happening("add parameter", ("log",), own) in told
        assert Happening("rename parameter", ("b", "c"), own) in told
        assert Happening("add parameter", ("limit",), top) in told


def change(*labels: tuple[str, bool]) -> Change:
    found = tuple(Label(report, one, true) for report, true in labels for one in happenings(report))
    return Change("somebody/shop", "python", "c0ffee", found)


def test_what_is_told_and_labelled_is_right_and_each_label_is_used_once() -> None:
    told = [Happening("rename method", ("price", "net_price"), (place("shop"),))]
    twice = change((RENAMED, True), (RENAMED.replace("shop.", "other.shop."), True))
    result = judged(told, twice)
    assert (len(result.right), len(result.missed), len(result.wrong)) == (1, 1, 0)


def test_what_nobody_labelled_is_counted_against_the_teller() -> None:
    result = judged([Happening("rename method", ("a", "b"), (place("shop"),))], change((RENAMED, True)))
    assert (len(result.right), len(result.missed), len(result.wrong)) == (0, 1, 1)


def test_what_was_labelled_false_is_refuted_when_it_is_told() -> None:
    result = judged([Happening("rename method", ("price", "net_price"), (place("shop"),))], change((RENAMED, False)))
    assert (len(result.wrong), result.refuted) == (1, 1)


def test_kinds_that_a_dataset_knows_nothing_of_are_not_scored() -> None:
    result = judged([Happening("return type", (), (place("price"), place("shop")))], change((RENAMED, True)))
    assert result.wrong == ()


def test_a_repository_is_in_one_part_whatever_the_case_of_its_name() -> None:
    parts = {Change(name, "python", "x", ()).part for name in ("Somebody/Shop", "somebody/shop", "SOMEBODY/SHOP")}
    assert len(parts) == 1


def clone(folder: Path) -> Path:
    """A bare repository laid out like the oracle, with one commit of one project in it."""
    repository = pygit2.init_repository(str(folder), bare=True)
    data = [
        {
            "repository": "https://github.com/somebody/shop.git",
            "sha1": "aaa",
            "refactorings": [{"type": "Rename Method", "description": RENAMED, "validation": "TP"}],
        }
    ]
    about = {"parentCommitId": "bbb", "filesBefore": ["shop.py"], "filesCurrent": ["shop.py", "huge.py"]}
    files: dict[str, str] = {
        f"{ORACLE}/python-dataset/data.json": json.dumps(data),
        f"{ORACLE}/kotlin-dataset/data.json": "[]",
        f"{ORACLE}/javascript-dataset/data.json": "[]",
        f"{ORACLE}/commits/shop-aaa.json": json.dumps(about),
        f"{ORACLE}/commits/shop-bbb/shop.py": BEFORE,
        f"{ORACLE}/commits/shop-aaa/shop.py": AFTER,
    }
    index = pygit2.Index()
    for path, text in files.items():
        index.add(pygit2.IndexEntry(path, repository.create_blob(text.encode()), pygit2.enums.FileMode.BLOB))
    tree = index.write_tree(repository)
    author = pygit2.Signature("Oracle", "oracle@example.org", 0, 0)
    repository.create_commit("HEAD", author, author, "One commit", tree, [])
    return folder


def test_a_clone_is_found_in_the_folder_that_holds_it_and_read_from_its_objects(tmp_path: Path) -> None:
    clone(tmp_path / "RefactoringMiner")
    oracle = Oracle(tmp_path)
    (found,) = oracle.changes()
    sources = oracle.sources(found)
    assert found.repository == "somebody/shop"
    assert sources.before == {"shop.py": BEFORE.encode()}
    assert sources.after == {"shop.py": AFTER.encode()}  # what is not in the clone is left out


def test_a_folder_without_a_clone_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="RefactoringMiner"):
        Oracle(tmp_path)


def test_the_suite_prints_its_table_and_writes_all_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.json"
    run_suite("refactorings", clone(tmp_path / "repo"), target, quick=True)
    printed = capsys.readouterr().out
    written = json.loads(target.read_text(encoding="utf-8"))
    assert "hash + similarity" in printed
    assert [case["verdict"] for case in written["cases"]] == ["right"]
    assert written["score"][f"{Change('somebody/shop', '', '', ()).part} rename recall"] == 1.0


def test_the_suite_asks_for_its_data() -> None:
    with pytest.raises(NoSuchFile, match="RefactoringMiner"):
        run_suite("refactorings", None, None)
