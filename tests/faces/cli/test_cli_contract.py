"""The contract for scripts: arguments, JSON keys, exit statuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click import Context
from command_run import Run
from project import Project

from memlsp.faces.cli import app
from memlsp.faces.cli.app import memlsp

BELIEF_KEYS = {
    "id", "text", "kind", "scope", "authority", "confidence", "standing", "reasons", "anchors", "source", "created_at",
}  # fmt: skip


def remember(run: Run, *words: str) -> str:
    """Remember, and give back the id that was printed."""
    return run("remember", *words).stdout.strip()


def test_remember_prints_the_new_id_alone_on_stdout(run: Run) -> None:
    printed = run("remember", "the default is 20 %", "--at", "pricing/tax.py:6", "--kind", "decision").stdout
    assert re.fullmatch(r"[a-z0-9]{6,12}\n", printed)


def test_beliefs_are_a_list_of_objects_with_the_documented_keys(run: Run, project: Project) -> None:
    id = remember(
        run, "compute_tax applies the default 20 % rate", "--at", "pricing/tax.py#compute_tax", "--kind", "fact"
    )
    project.replace("pricing/rates.py", "0.20", "0.25")
    (belief,) = run.json("beliefs")
    assert belief.keys() >= BELIEF_KEYS
    assert belief["id"] == id
    assert belief["kind"] == "fact"
    assert belief["scope"] == "symbol"
    assert belief["authority"] == "person"
    assert belief["standing"] == "contradicted"
    assert belief["source"] == "cli"
    assert belief["anchors"] == [{"path": "pricing/tax.py", "symbol": "compute_tax", "line": 6}]
    assert belief["reasons"][0].keys() == {"code", "message", "path", "symbol", "commit", "at"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", belief["created_at"])


@pytest.mark.parametrize("place", ["client.py:6", "client.py#fetch", "./client.py:4", "client.py:4:5"])
def test_why_finds_the_symbol_of_every_form_of_place(run: Run, place: str) -> None:
    id = remember(run, "fetch tries three times", "--at", "client.py#fetch")
    why = run.json("why", place)
    assert why.keys() == {"beliefs", "conflicts", "documents", "history"}
    assert [belief["id"] for belief in why["beliefs"]] == [id]
    (change,) = why["history"]
    assert change.keys() == {"commit", "author", "date", "subject", "change", "clauses", "parts"}
    assert (change["author"], change["subject"]) == ("Ann Ode", "Add the shop")
    assert re.fullmatch(r"[0-9a-f]{40}", change["commit"])


def test_recall_gives_hits_tokens_and_what_was_left_out(run: Run) -> None:
    id = remember(run, "fetch retries three times", "--at", "client.py#fetch")
    answer = run.json("recall", "how do we retry")
    assert answer.keys() == {"hits", "work", "tokens", "left_out", "conflicts"}
    (hit,) = answer["hits"]
    assert hit.keys() >= {"id", "text", "standing", "score", "why"}
    assert (hit["id"], hit["standing"]) == (id, "current")
    assert answer["tokens"] > 0


def test_history_is_a_list_of_changes(run: Run) -> None:
    (change,) = run.json("history", "client.py#fetch")
    assert change["subject"] == "Add the shop"


def test_a_history_that_is_cut_says_how_many_commits_are_left(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.faces.cli.beliefs.show._COUNTING", 60.0)
    monkeypatch.setattr("memlsp.faces.cli.beliefs.show.attended", lambda: True)
    for tries in range(3, 7):
        project.replace("client.py", f"retries={tries}", f"retries={tries + 1}")
        project.commit(f"Try {tries + 1} times")
    assert "and 3 earlier commits: --limit 4" in run("history", "client.py#fetch", "--limit", "2").stderr
    assert "and 1 earlier commit: --history 8" in run("why", "client.py#fetch", "--history", "4").stderr
    assert "earlier" not in run("history", "client.py#fetch", "--limit", "5").stderr
    monkeypatch.setattr("memlsp.faces.cli.beliefs.show.attended", lambda: False)
    assert "and earlier commits: --limit 4" in run("history", "client.py#fetch", "--limit", "2").stderr  # nobody waits


def test_revise_walks_through_the_life_of_a_belief(run: Run, project: Project, attended: None) -> None:
    id = remember(run, "fetch tries three times", "--at", "client.py#fetch")
    project.replace("client.py", "retries=3", "retries=5")
    new = run("revise", id, "supersede", "fetch tries five times").stdout.strip()
    assert new != id
    assert run("revise", new, "lock").stdout.strip() == new
    refused = run("revise", new, "retire", "--agent", "robot", status=1)
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    run("revise", new, "unlock")
    run("revise", new, "retire")
    assert run.json("beliefs") == []
    past = {belief["id"]: belief["standing"] for belief in run.json("beliefs", "--all")}
    assert past == {id: "superseded", new: "retired"}
    run("revise", new, "rollback")
    assert run.json("belief", new)["standing"] == "current"


def test_an_orphan_can_be_tied_to_a_new_place(run: Run, project: Project) -> None:
    id = remember(run, "one invoice each", "--at", "pricing/tax.py#Invoice.total")
    project.write("pricing/tax.py", "def other():\n    return 1\n")
    assert run.json("belief", id)["standing"] == "orphaned"
    run("revise", id, "reanchor", "--at", "pricing/tax.py#other")
    shown = run.json("belief", id)
    assert (shown["standing"], shown["anchors"][0]["symbol"]) == ("current", "other")


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "x is y", "--at", "nowhere.py:3"),
        ("remember", "x is y", "--at", "client.py#gone"),
        ("remember", "  "),
        ("why", "client.py#fetcher"),
        ("why", "../outside.py:1"),
        ("belief", "zzzzzz"),
        ("revise", "zzzzzz", "confirm"),
        ("history", "nowhere.py:1"),
    ],
)
def test_an_error_of_the_users_is_one_line_and_status_1(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, status=1)
    assert result.stdout == ""
    assert result.stderr.startswith("memlsp: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("remembr", "x"),
        ("remember",),
        ("remember", "x", "--kind", "hunch"),
        ("remember", "x", "--scope", "galaxy"),
        ("remember", "x", "--until", "soon"),
        ("why", "client.py:0"),
        ("revise", "abc", "forget"),
        ("revise", "abc", "confirm", "some text"),
        ("recall", "x", "--budget", "0"),
        ("eval", "nothing"),
    ],
)
def test_wrong_usage_is_status_2(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words, status=2).stdout == ""


def test_every_command_teaches_itself(run: Run) -> None:
    listed = run("--help").stdout
    names = re.findall(r"^  ([a-z][a-z-]+)  ", listed, flags=re.MULTILINE)
    assert names == memlsp.list_commands(Context(memlsp))
    for name in names:
        assert "Usage: memlsp" in run(name, "--help").stdout


def test_every_text_about_an_option_is_shown(run: Run) -> None:
    def texts_below(words: tuple[str, ...], told: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from ((words, text) for text in told.get("options", {}).values())
        for name, below in told.get("commands", {}).items():
            yield from texts_below((*words, name), below)

    commands = tomllib.loads(Path(app.__file__).with_name("commands.toml").read_text("utf-8"))
    texts = [each for name, told in commands.items() for each in texts_below((name,), told)]
    shown = {words: " ".join(run(*words, "--help").stdout.split()) for words, _ in texts}
    for words, text in texts:
        declared, _, about = text.partition(": ")
        assert [each for each in (*re.split("[ /]", declared), about) if each not in shown[words]] == [], words
    assert len(shown) > 20


def test_eval_teaches_what_the_data_of_every_suite_is(run: Run) -> None:
    suites = [line.split()[0] for line in run("eval").stdout.splitlines()]
    taught = re.findall(r"^    ([a-z]+)  ", run("eval", "--help").stdout, flags=re.MULTILINE)
    assert taught == suites


def test_ctrl_c_ends_a_command_with_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_words: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memlsp.memory.Memory.diff", interrupt)
    ended = run("diff", status=130)
    assert (ended.stdout, ended.stderr) == ("", "memlsp: interrupted\n")


def test_text_can_come_from_standard_input(run: Run) -> None:
    id = run("remember", "-", stdin="prices are floats\n").stdout.strip()
    assert run.json("belief", id)["text"] == "prices are floats"


def test_a_secret_in_the_text_is_not_stored(run: Run) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    id = remember(run, f"deploys use the token {token}")
    assert token not in run("belief", id, "--json").stdout


def test_control_characters_in_memory_do_not_reach_the_terminal(run: Run) -> None:
    id = remember(run, "red \x1b[31malert\x07 and \u202ereversed")
    assert not set(run("belief", id).stdout) & {"\x1b", "\x07", "\u202e"}


def test_control_characters_in_what_went_wrong_do_not_reach_the_terminal(run: Run) -> None:
    told = run("import", "/nowhere/\x1b]0;owned\x07\u202e", status=1).stderr
    assert told == "memlsp: no such file: /nowhere/]0;owned\n"


def test_status_and_doctor_speak_json(run: Run) -> None:
    remember(run, "prices are floats", "--at", "pricing/tax.py")
    status = run.json("status")
    assert status["standings"] == {"current": 1}
    assert all(check["ok"] is not False for check in run.json("doctor"))


def test_the_installed_program_runs_as_its_own_process(project: Project, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memlsp", "-C", str(project.root), "remember", "prices are floats"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=True,
    )
    listed = subprocess.run(
        [sys.executable, "-m", "memlsp", "beliefs", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=project.root / "pricing",
        check=True,
    )
    assert [belief["id"] for belief in json.loads(listed.stdout)] == [done.stdout.strip()]


def test_the_author_of_an_agents_belief_is_shown_whole(run: Run) -> None:
    remember(run, "prices are floats", "--at", "pricing/tax.py", "--agent", "Bot (v2)")
    assert "Bot (v2) (agent)" in run("beliefs").stdout


def test_a_filter_that_fits_nothing_does_not_call_the_memory_empty(run: Run) -> None:
    remember(run, "prices are floats", "--at", "pricing/tax.py")
    assert "nothing is remembered yet" not in run("beliefs", "--standing", "orphaned").stderr


def test_a_deleted_file_can_be_asked_about(run: Run, project: Project) -> None:
    id = remember(run, "fetch tries three times", "--at", "client.py#fetch")
    (project.root / "client.py").unlink()
    assert [belief["id"] for belief in run.json("beliefs", "--path", "client.py")] == [id]
    assert [belief["id"] for belief in run.json("why", "client.py")["beliefs"]] == [id]


def test_a_place_in_another_project_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("x = 1\n")
    run("remember", "x is 1", "--at", str(tmp_path / "elsewhere.py"), status=1)


def test_remember_says_at_once_what_the_code_contradicts(run: Run) -> None:
    told = run("remember", "compute_tax applies 25 % by default", "--at", "pricing/tax.py#compute_tax")
    assert "contradicted fact" in told.stderr
    assert "`compute_tax` has RATE=0.2, not 25 %" in told.stderr
    planned = run("remember", "compute_tax must apply 30 % by default", "--at", "pricing/tax.py#compute_tax")
    assert "ahead rule" in planned.stderr
    assert "not 30 %" in planned.stderr
    assert [each["standing"] for each in run.json("beliefs")] == ["contradicted", "ahead"]
