"""The package `stalecode`: the line protocol, adapters that misbehave, grading, and a table of a tiny grid."""

from __future__ import annotations

import ast
import json
import math
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from project import Project

from benchmarks.judgement.grid_lines import lines_of
from benchmarks.stalecode import grading, noise
from benchmarks.stalecode.__main__ import main
from benchmarks.stalecode.anchors import definition, stretches
from benchmarks.stalecode.answers import Answers, latest, read_answers
from benchmarks.stalecode.asking import Options, each_case
from benchmarks.stalecode.baselines import LIKENESS, OVERLAP, best_threshold, similarity, word_overlap
from benchmarks.stalecode.chart import chart
from benchmarks.stalecode.errors import AdapterFault, BadData
from benchmarks.stalecode.grading import OPEN, SEALED, Graded
from benchmarks.stalecode.grid import load_grids
from benchmarks.stalecode.pairs import pairs_in
from benchmarks.stalecode.parts import PARTS
from benchmarks.stalecode.process import AdapterProcess, python
from benchmarks.stalecode.run import SIMPLE, report, run
from benchmarks.stalecode.tables import losses
from benchmarks.suites import run_suite

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "benchmarks" / "stalecode"
FIXTURES = ROOT / "fixtures"
HELLO = 'print(\'{"can": ["begin", "remember", "tree", "ask"]}\', flush=True)\n'
CASE = """
[[case]]
id = "{id}"
group = "{group}"
cell = "{cell}"
belief = "`tax` is a share of the net price"
at = "tax.py#tax"
steps = [{{ old = "net * RATE", new = "{new}" }}]
expect = "{expect}"
why = "For a test."
"""
PAIRS = '[[pattern]]\nname = "p"\nconflict = [["The port is 80.", "The port is 90."]]\ntogether = []\n'


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    """Both grids with one language and two cases each, the unseen one sealed; and one pair in each file."""
    for folder, file in (("edits", "edits.toml"), ("edits-unseen", "edits-b.toml")):
        base = tmp_path / folder / "python" / "base"
        base.mkdir(parents=True)
        (base / "tax.py").write_text("RATE = 2\n\n\ndef tax(net):\n    return net * RATE\n", encoding="utf-8")
        (base.parent / "lines.json").write_text('{"tax.py#tax": [4, 5]}', encoding="utf-8")
        spaced = CASE.format(id="spaced", group="cosmetic", cell="layout", new="net  *  RATE", expect="current")
        turned = CASE.format(id="turned", group="meaning", cell="body", new="net / RATE", expect="changed")
        (base.parent / file).write_text(spaced + turned, encoding="utf-8")
    (tmp_path / "contradictions").mkdir()
    for name in ("develop", "opened", "opened-c", "opened-d", "held-out", "sealed-c", "sealed-d"):
        (tmp_path / "contradictions" / f"{name}.toml").write_text(PAIRS, encoding="utf-8")
    return tmp_path


def program(folder: Path, body: str) -> list[str]:
    """The command of an adapter that is this Python text."""
    path = folder / "adapter.py"
    path.write_text(f"import sys, time\n{body}", encoding="utf-8")
    return [sys.executable, str(path)]


# --- the package


def test_the_package_knows_nothing_of_memlsp_but_in_its_adapter_and_nothing_but_the_standard_library() -> None:
    allowed = sys.stdlib_module_names | {"stalecode"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
            assert {name.partition(".")[0] for name in names} <= allowed, path
    assert tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"] == []


def test_the_protocol_tells_every_request_and_every_part() -> None:
    text = (PACKAGE / "PROTOCOL.md").read_text(encoding="utf-8")
    from benchmarks.stalecode.serve import METHODS

    assert [name for name in (*METHODS, *PARTS) if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("folder", ["edits", "edits-unseen"])
def test_the_lines_of_every_place_are_those_of_the_outline(folder: str) -> None:
    for grid in load_grids(FIXTURES / folder):
        kept = {place: list(lines) for place, lines in grid.lines.items() if "#" in place}
        assert kept == lines_of(grid), grid.language
        assert {case.at for case in grid.cases} <= grid.lines.keys()


def test_the_thresholds_of_the_comparing_baselines_are_the_best_on_the_pairs_to_develop_on() -> None:
    pairs = pairs_in(FIXTURES / "contradictions" / "develop.toml")
    for measure, kept in ((word_overlap, OVERLAP), (similarity, LIKENESS)):
        fitted = best_threshold([(measure(pair.first.text, pair.second.text), pair.conflict) for pair in pairs])
        assert fitted == pytest.approx(kept)


# --- adapters


def test_an_adapter_is_asked_in_a_home_of_its_own_and_its_prints_are_no_answers(tmp_path: Path) -> None:
    body = (
        "import os\nfrom stalecode.serve import serve\n"
        "class Mine:\n    name, version = 'mine', '3'\n"
        "    def begin(self, folder, data): print('hello there')\n"
        "    def ask(self, id): return {'trust': True, 'why': os.environ['HOME']}\n"
        "    def tree(self, folder): raise LookupError('no such tree')\n"
        "serve(Mine())\n"
    )
    with AdapterProcess("mine", program(tmp_path, body)) as adapter:
        root = adapter.sandbox.root
        assert (adapter.can, adapter.version) == ({"begin", "ask", "tree"}, "3")
        assert adapter.ask("begin", folder="", data="") == {}
        assert adapter.ask("ask", id="m") == {"trust": True, "why": str(root / "home")}
        assert adapter.ask("tree", folder="") == {"error": "LookupError: no such tree"}
    assert not root.exists()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("sys.exit('no licence')", "ended at `hello` with status 1; its last words: no licence"),
        ("print('Welcome!', flush=True)\nsys.stdin.read()", "answered `hello` with no JSON object: 'Welcome!'"),
        ("print('[]', flush=True)\nsys.stdin.read()", "answered `hello` with no JSON object"),
        ("print('{}', flush=True)\nsys.stdin.read()", "answered hello without `can`"),
        ("time.sleep(600)", "no answer to `hello` within 1 s"),
        ("print('x', end='', flush=True)\ntime.sleep(600)", "no answer to `hello` within 1 s"),
    ],
)
def test_an_adapter_that_does_not_say_what_it_is_is_refused_in_one_sentence(
    tmp_path: Path, body: str, told: str
) -> None:
    with pytest.raises(AdapterFault) as caught:
        AdapterProcess("odd", program(tmp_path, body), patience=1 if "sleep" in body else 60)
    assert str(caught.value).startswith(f"odd: {told}")


def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(AdapterFault, match="none: cannot run /no/such/program"):
        AdapterProcess("none", ["/no/such/program"])


def test_an_adapter_that_never_reads_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    body = (
        "import subprocess\nsys.stdin.readline()\n" + HELLO + "child = subprocess.Popen(['sleep', '600'])\n"
        "open('child', 'w').write(str(child.pid))\ntime.sleep(600)\n"
    )
    adapter = AdapterProcess("deaf", program(tmp_path, body), patience=60)
    adapter._patience = 1  # pyright: ignore[reportPrivateUsage] - only the start may take long
    with pytest.raises(AdapterFault, match="no answer to `learn` within 1 s"):
        adapter.ask("learn", notes=["x" * 1_000_000])
    child = int((adapter.sandbox.home / "child").read_text(encoding="utf-8"))
    assert not _runs(child)
    adapter.close()


def test_a_fault_counts_as_no_answer_and_three_in_a_row_end_the_run(tmp_path: Path) -> None:
    body = "import json\nfor line in sys.stdin:\n    asked = json.loads(line)\n    if asked['op'] == 'hello':\n"
    body += "        print('{\"can\": []}', flush=True)\n    elif asked['id'] == 'good':\n"
    body += "        print('{\"trust\": true}', flush=True)\n    else:\n        sys.exit(3)\n"

    def graded(case: str, answer: object) -> Graded:
        return Graded("edits", OPEN, "b", "g", id=case, why=str(answer))

    with AdapterProcess("frail", program(tmp_path, body)) as adapter:
        cases = ["good", "bad", "bad", "good", "bad", "bad", "bad", "good"]
        asked = each_case(adapter, cases, lambda case: adapter.ask("ask", id=case), graded)
        assert ["status 3" in next(asked).why for _ in range(6)] == [False, True, True, False, True, True]
        with pytest.raises(AdapterFault, match="status 3"):
            next(asked)


# --- a run


def test_a_tiny_grid_becomes_a_table_with_what_is_lost(fixtures: Path) -> None:
    said: list[str] = []
    broken = {"broken": [sys.executable, "-c", "raise SystemExit('not today')"]}
    answers = run({**SIMPLE, **broken}, list(PARTS), Options(fixtures, quick=True), said.append)
    assert said == ["not asked: broken: ended at `hello` with status 1; its last words: not today"]
    by = {(each.name, each.part): each for each in answers}
    assert [(case.half, case.said) for case in by["mtime", "edits"].cases] == [
        (OPEN, True),
        (OPEN, True),
        (SEALED, True),
        (SEALED, True),
    ]
    assert [case.said for case in by["path exists", "edits"].cases] == [False] * 4
    assert grading.missed(by["FTS5", "forgetting"].cases) == 1.0
    text = report(answers)
    assert "### edits, sealed half" in text
    assert "| path exists | .50 (.50-.50) | 1.00 (1.00-1.00) | .00 (.00-.00) | · |" in text
    assert "spaced" not in text
    assert "edits, open, missed: 1.00; better: raw hash .00, mtime .00" in losses(answers, "path exists")
    assert "<svg" in chart(answers, "mtime")


def test_answers_are_kept_without_names_of_what_is_sealed(fixtures: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    answers = run({"mtime": SIMPLE["mtime"]}, ["edits"], Options(fixtures), folder=kept)
    again = read_answers(kept)
    assert sorted(map(repr, again[0].cases)) == sorted(
        repr(case if case.half == OPEN else _nameless(case)) for case in answers[0].cases
    )
    assert report(again) == report(answers)
    (kept / "odd.edits.jsonl.xz").write_bytes(b"odd")
    with pytest.raises(BadData, match=r"odd\.edits"):
        read_answers(kept)


def test_the_last_run_of_a_memory_counts() -> None:
    first, second = (Answers("a", version, "edits", "", 0.0, 0, "", ()) for version in ("1", "2"))
    assert [each.version for each in latest([first, second])] == ["2"]


def test_the_command_prints_a_table_and_says_in_one_line_what_is_wrong(
    fixtures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "chart.svg"
    mine = f"mine={' '.join(python('simple', 'grep'))}"
    words = ["--fixtures", str(fixtures), "--adapter", mine, "--part", "edits", "--chart", str(picture)]
    assert main(words) == 0
    assert "| mine |" in capsys.readouterr().out
    assert "mine" in picture.read_text(encoding="utf-8")
    assert main(["--adapter", "mine"]) == 1
    assert capsys.readouterr().err == "stalecode: not NAME=COMMAND: mine\n"


def test_memlsp_takes_part_as_one_adapter_among_others(
    fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.judgement.stalecode.data_folder", lambda: fixtures)
    written = tmp_path / "result.json"
    assert run_suite("stalecode", None, written, quick=True) == 0
    result = json.loads(written.read_text(encoding="utf-8"))
    assert result["score"]["edits sealed balanced"] == 1.0
    assert result["score"]["contradictions open missed"] == 0.0
    assert result["score"]["forgetting open left"] == 0.0
    assert result["baselines"]["FTS5"]["forgetting open left"] == 1.0
    assert written.with_suffix(".svg").is_file()
    assert "| memlsp " in capsys.readouterr().out


# --- histories


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder of clones with one repository, whose AGENTS.md names a file that a later commit took away; and the
    labels of that."""
    project = Project(tmp_path / "clones" / "me+one")
    project.write("app/a.py", "x = 1\n")
    project.write("app/b.py", "y = 1\n")
    project.write("AGENTS.md", "Read `app/a.py`.\nAnd `app/b.py`.\nBe kind.\n")
    project.commit("Write the guide")
    (project.root / "app" / "a.py").unlink()
    commit = project.commit("Drop a")
    labels = tmp_path / "instructions"
    labels.mkdir()
    row = {"repository": "me/one", "commit": commit, "file": "AGENTS.md"}
    row |= {"stale": [{"line": 1, "class": "path", "born": "yes"}], "quiet": [[2, 3]]}
    (labels / "open.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (labels / "sealed.jsonl").write_text(json.dumps({**row, "repository": "you/gone"}), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["path exists", "memlsp"])
def test_the_lines_of_a_document_that_are_false_now_are_asked_for_at_the_commit(clone: Path, name: str) -> None:
    command = {**SIMPLE, "memlsp": python("memlsp_adapter")}[name]
    options = Options(clone, clone / "clones")
    (answers,) = run({name: command}, ["instructions"], options)
    assert [(case.group, case.said) for case in answers.cases] == [("path", True), ("quiet", False), ("quiet", False)]
    assert grading.precision(answers.cases) == grading.recall(answers.cases) == 1.0
    assert run({name: command}, ["instructions"], Options(clone)) == []


@pytest.fixture
def oracle(tmp_path: Path) -> Path:
    """Clones of an oracle and of the repository that it speaks of: a method is born, its file moves, its body changes,
    and then something else does."""
    source = "package a;\n\nclass Tax {\n    int of(int net) {\n        return net * 2;\n    }\n}\n"
    project = Project(tmp_path / "me+tax")
    project.write("Tax.java", source)
    born = project.commit("Begin")
    (project.root / "Tax.java").unlink()
    project.write("a/Tax.java", source)
    moved = project.commit("Move")
    project.write("a/Tax.java", source.replace("* 2", "* 3"))
    changed = project.commit("Raise")
    project.write("b.txt", "b")
    start = project.commit("Something else")
    tags = [(changed, "BODY"), (moved, "FILE_MOVE"), (born, "INTRODUCTION")]
    entry: dict[str, object] = {"repositoryName": "tax", "file": "a/Tax.java", "element": "of"}
    entry["startCommitHash"] = start
    entry["commits"] = [{"commitHash": commit, "changeTags": [tag]} for commit, tag in tags]
    papers = Project(tmp_path / "SQMLab+history-finder")
    papers.write("oracle/historyfinder-oracle/tax.json", json.dumps(entry))
    papers.commit("Publish")
    return tmp_path


@pytest.mark.parametrize("name", ["raw hash", "memlsp"])
def test_a_method_is_looked_for_between_two_commits_that_changed_it(oracle: Path, name: str) -> None:
    found = stretches(oracle)
    assert [(each.path, each.later_path, each.symbol, each.lines, each.alarm) for each in found] == [
        ("a/Tax.java", "a/Tax.java", "Tax.of", (4, 6), False),
        ("a/Tax.java", "a/Tax.java", "Tax.of", (4, 6), True),
        ("Tax.java", "a/Tax.java", "Tax.of", (4, 6), False),
    ]
    command = {**SIMPLE, "memlsp": python("memlsp_adapter")}[name]
    (answers,) = run({name: command}, ["anchors"], Options(FIXTURES, oracle))
    moved = {"raw hash": (True, 0.0), "memlsp": (False, 1.0)}[name]
    assert [(case.said, case.value) for case in answers.cases] == [(False, 1.0), (True, 1.0), moved]


def test_a_definition_is_found_when_there_is_one_alone() -> None:
    python_text = "class A:\n    @x\n    def f(\n        self,\n    ):\n        return 1\n\n    def g(self): pass\n"
    assert definition(python_text, "f", "a.py") == ("A.f", (3, 6))
    java = 'class A {\n    void f() {\n        g("}");\n        return f(1);\n    }\n    abstract int g();\n}\n'
    assert definition(java, "f", "A.java") == ("A.f", (2, 5))
    assert definition(java, "g", "A.java") is None
    assert definition(java.replace("abstract int g();", "void f(int x) {}"), "f", "A.java") is None


def test_a_history_is_played_with_a_question_wherever_a_task_begins() -> None:
    (answers,) = run({"FTS5": SIMPLE["FTS5"]}, ["recall"], Options(FIXTURES, FIXTURES / "codememory"))
    assert len(answers.cases) == 6
    assert grading.mean_value(answers.cases) == 1.0
    assert {case.half for case in answers.cases} == {OPEN}


@pytest.mark.parametrize("part", ["edits", "contradictions"])
def test_sixty_cases_are_labelled_twice_without_a_name_that_hints(part: str) -> None:
    found = noise.drawn(part, FIXTURES)
    assert len(found) == 60
    kept = [json.loads(line) for line in (PACKAGE / "labels" / f"{part}.jsonl").read_text("utf-8").splitlines()]
    labels = {row["case"]: row["label"] for row in kept}
    assert "of 60 equal, kappa" in noise.agreement(found, labels)
    with pytest.raises(BadData, match="no label for 60"):
        noise.agreement(found, {number: label for number, label in labels.items() if number != 60})


# --- measures


def cases(*said: tuple[bool, bool | None]) -> list[Graded]:
    """Graded cases of one base: gold, and what was said."""
    return [Graded("edits", OPEN, "b", "g", alarm=alarm, said=each) for alarm, each in said]


def test_silence_is_never_right_and_who_says_always_the_same_has_half() -> None:
    silent = cases((True, None), (False, None))
    assert (grading.missed(silent), grading.false_alarms(silent), grading.balanced(silent)) == (1.0, 1.0, 0.0)
    trusting = cases((True, False), (True, False), (False, False))
    assert (grading.balanced(trusting), grading.right(trusting)) == (0.5, pytest.approx(1 / 3))
    assert math.isnan(grading.precision(trusting))
    assert math.isnan(grading.exact(trusting))


def test_two_labellings_agree_beyond_chance() -> None:
    assert grading.kappa([("a", "a"), ("b", "b")]) == 1.0
    assert grading.kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == 0.0


def _nameless(case: Graded) -> Graded:
    return next(each for each, _ in grading.sealed_tally([case]))


def _runs(process: int) -> bool:
    """Whether a process runs, waited for a while: what was killed is gone when somebody has reaped it."""
    until = monotonic() + 30
    for _ in _until(until):
        try:
            state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
    return True


def _until(end: float) -> Iterator[None]:
    while monotonic() < end:
        yield
