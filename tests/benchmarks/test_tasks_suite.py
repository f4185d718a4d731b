"""The suite `tasks`: its cases hold together, its agent always does the same, and what it counts is what was told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.tasks.cases import EarlierSession, HastyAct, KnownFact, TaskCase, cases_in, paragraphs
from benchmarks.tasks.real_agent import VARIABLE, run_agent
from benchmarks.tasks.scripted_agent import Notes, ScriptedAgent, Silence, is_doubted
from benchmarks.tasks.sessions import git
from benchmarks.tasks.swecontext import run_swecontext
from benchmarks.tasks.tasks import COLD, HOOKS, NOTES, RECALL, run_tasks

FIXTURES = Path(__file__).parents[2] / "fixtures" / "tasks"
CASES = {case.name: case for case in cases_in(FIXTURES)}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository named owner+shop with two commits, in a folder of clones."""
    root = tmp_path / "clones" / "owner+shop"
    (root / "src").mkdir(parents=True)
    git(None, "init", "--quiet", "--initial-branch=main", str(root))
    for name, value in (("user.name", "A"), ("user.email", "a@b.example")):
        git(root, "config", name, value)
    for number in range(8):
        (root / "src" / f"page_{number}.py").write_text(f"def show_{number}():\n    return {number}\n", "utf-8")
    (root / "src" / "courier.py").write_text("def send(tries=3):\n    return tries\n", "utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "Add the shop")
    (root / "src" / "courier.py").write_text("def send(tries=5):\n    return tries\n", "utf-8")
    git(root, "commit", "--quiet", "--all", "-m", "Try five times")
    return root


def fact(id: str, text: str, *, at: str = "", bears: bool = True, holds: bool = True, rule: bool = False) -> KnownFact:
    return KnownFact(id, text, "", at, "", bears=bears, holds=holds, rule=rule, marks=(text,))


def case_of(shop: Path) -> TaskCase:
    first, second = git(shop, "log", "--reverse", "--format=%H").split()
    return TaskCase(
        name="shop",
        about="",
        repository="owner/shop",
        start=second,
        files=("src/courier.py",),
        prompts=("The courier gives up too early.",),
        sessions=(EarlierSession(first, ()),),
        facts=(
            fact("place", "The courier is in src/courier.py"),
            fact("three", "send tries 3 times", holds=False),
            fact("rule", "Never commit without a test", rule=True),
        ),
        acts=(HastyAct("Bash", {"command": "git commit -am x"}, "rule"),),
        notes="- The courier is in src/courier.py\n- send tries 3 times\n- Never commit without a test\n",
    )


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_fact_of_a_case_is_learned_and_recognised_in_its_own_words(case: TaskCase) -> None:
    learned = {step.get("fact") for earlier in case.sessions for step in earlier.steps}
    for each in case.facts:
        assert each.id in learned
        assert each.is_in(each.text)
        assert not each.said or each.is_in(each.said)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_notes_say_every_fact_but_what_was_corrected_before_they_were_written(case: TaskCase) -> None:
    said = paragraphs(case.notes)
    missing = [each.id for each in case.facts if not any(each.is_in(item) for item in said)]
    assert missing == {"fastify": ["tap"], "miniflux": ["seconds"]}.get(case.name, [])
    assert len(case.notes) / 4 < 700


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_act_breaks_a_rule_that_holds(case: TaskCase) -> None:
    assert all(case.fact(act.breaks).rule and case.fact(act.breaks).holds for act in case.acts)


def test_an_agent_that_is_told_the_place_opens_it_first(shop: Path) -> None:
    case = case_of(shop)
    done = ScriptedAgent(case, shop, Notes(case.notes), seed=1).run(case.prompts[0])
    assert (done.found, done.opened) == (True, 1)
    assert (done.right, done.wrong, done.broken) == (("place", "rule"), ("three",), ())
    assert done.tokens == done.told == len(case.notes) // 4


def test_an_agent_that_is_told_nothing_searches_and_breaks_the_rule(shop: Path) -> None:
    case = case_of(shop)
    runs = [ScriptedAgent(case, shop, Silence(), seed=1).run("`send` gives up too early") for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0].found
    assert (runs[0].told, runs[0].broken) == (0, ("rule",))


def test_a_path_that_is_gone_costs_a_try(shop: Path) -> None:
    case = case_of(shop)
    done = ScriptedAgent(case, shop, Notes("- The courier is in lib/courier.py"), seed=1).run(case.prompts[0])
    assert (done.gone, done.right) == (1, ())


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("| no longer true, the code says: 5. It was: send tries 3 times (fact, A, 2026-11-28, abc)", True),
        ("| send tries 3 times (fact, A, 2026-11-28, abc) [changed since: `send` changed]", True),
        ("[abc] CONTRADICTED · agent · src/courier.py#send | send tries 3 times", True),
        ("| send tries 3 times (fact, A, 2026-11-28, abc) [not yet judged in the present code]", False),
        ('memlsp, contradicted fact for `send` (the code says 5): "send tries 3 times" (A, 2026-11-28, abc)', True),
        ('memlsp, rule for `send`, which changed since: "send tries 3 times" (A, 2026-11-28, abc)', True),
        ("| [abc] changed: send tries 3 times - `send` moved (A, 2026-11-28)", True),
        ("[abc] current · agent · src/courier.py#send | send tries 3 times", False),
    ],
)
def test_only_a_caveat_about_the_code_makes_a_statement_doubted(told: str, expected: bool) -> None:
    assert is_doubted(told) is expected


def test_indented_lines_belong_to_the_item_before_them() -> None:
    assert paragraphs("[abc] current\n  | a\n  | b\n- c\n  d") == ["[abc] current | a | b", "- c d"]


def test_a_named_agent_works_in_the_checkout_and_is_judged_by_what_it_changed(shop: Path, tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(
        "import sys, pathlib\npathlib.Path('src/courier.py').write_text(sys.argv[1])\nprint('done')\n", "utf-8"
    )
    done = run_agent(f"{sys.executable} {script} {{prompt}}", case_of(shop), shop, "fix 'it'")
    assert (done.status, done.changed, done.right) == (0, ("src/courier.py",), ("src/courier.py",))
    assert (shop / "src" / "courier.py").read_text("utf-8") == "fix 'it'"
    with pytest.raises(ValueError, match="prompt"):
        run_agent("agent", case_of(shop), shop, "x")


def test_a_small_case_is_played_and_asked_in_every_way(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "agent.py"
    script.write_text(
        "import pathlib, sys\n"
        "with open(sys.argv[1], 'a') as file:\n"
        "    file.write(' '.join(each for each in ('CLAUDE.md', '.mcp.json') if pathlib.Path(each).exists()) + '\\n')\n"
        "pathlib.Path('src/courier.py').write_text(sys.argv[2])\n",
        "utf-8",
    )
    monkeypatch.setenv(VARIABLE, f"{sys.executable} {script} {tmp_path / 'seen.txt'} {{prompt}}")
    first, second = git(shop, "log", "--reverse", "--format=%H").split()
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "shop.notes.txt").write_text("- send tries 3 times (src/courier.py)\n", "utf-8")
    (folder / "shop.toml").write_text(
        f"""
about = "a default that changed"
repository = "owner/shop"
start = "{second}"
files = ["src/courier.py"]
prompts = ["How often does send try?"]
[[sessions]]
commit = "{first}"
steps = [{{ act = "prompt", text = "Look at the courier" }}, {{ act = "remember", fact = "three", by = "agent" }}]
[[facts]]
id = "three"
text = "send tries 3 times"
at = "src/courier.py#send"
bears = true
holds = false
marks = ["send tries 3 times"]
""",
        "utf-8",
    )
    kept = tmp_path / "kept.json"
    report = run_tasks(folder, shop.parent, quick=True, cache=kept)
    assert report.passed
    assert report.baselines[NOTES]["wrong"] == 1
    assert (report.score["wrong"], report.score["doubted"]) == (0, 1)
    assert {each["way"] for each in report.cases} == {COLD, NOTES, HOOKS, RECALL}
    printed = capsys.readouterr().out
    assert (tmp_path / "seen.txt").read_text("utf-8").split("\n") == ["", "CLAUDE.md", ".mcp.json", ""]
    assert printed.count("right files changed 1/1") == 3
    again = run_tasks(folder, shop.parent, quick=True, cache=kept)
    assert again.score == report.score
    assert "shop: done" not in capsys.readouterr().out


def test_transcripts_are_imported_and_later_tasks_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "clones" / "jiayuanz3+SWEContextBench"
    past = root / "cases" / "SWEContextBench Lite Past Experience"
    related = root / "cases" / "SWEContextBench Lite"
    past.mkdir(parents=True)
    related.mkdir()
    frame = {"cwd": "./runs", "sessionId": "s", "timestamp": "2025-12-12T15:19:53.149Z"}
    edit = {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "./runs/testbed/src/courier.py"}}
    lines = [
        {**frame, "type": "user", "message": {"content": "Fix: repo: owner/shop\nthe courier drops parcels"}},
        {**frame, "type": "assistant", "message": {"content": [edit]}},
        {**frame, "type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": ""}]}},
    ]
    (past / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    patch = "--- a/src/courier.py\n+++ b/src/courier.py\n@@ -1,2 +1,2 @@ def send():\n"
    task = {"repo": "owner/shop", "instance_id": "x", "problem_statement": "parcels of the courier", "patch": patch}
    (related / "x.json").write_text(json.dumps(task), "utf-8")
    git(None, "init", "--quiet", str(root))
    git(root, "add", "--all")
    git(root, "-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", "Cases")
    report = run_swecontext(root.parent)
    assert (report.score["tasks"], report.score["R@10"], report.score["reachable"]) == (1, 1, 1)
    assert "1 sessions imported, 2 observations kept" in capsys.readouterr().out
