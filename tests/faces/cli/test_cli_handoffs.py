from __future__ import annotations

from command_run import Run


def left(run: Run, *words: str) -> str:
    return run("handoff", "write", "Round the tax", "--next", "round refunds", *words).stdout.strip()


def test_writing_prints_the_new_id_alone(run: Run) -> None:
    id = left(run, "--done", "total rounds", "--at", "pricing/tax.py#compute_tax")
    (listed,) = run.json("handoff", "list")
    assert listed["id"] == id
    assert (listed["made_by"], listed["next"], listed["done"]) == ("person", ["round refunds"], ["total rounds"])


def test_without_a_command_it_lists_what_waits(run: Run) -> None:
    id = left(run)
    printed = run("handoff").stdout
    assert printed.startswith(f"{id} · Ann Ode · just now")
    assert "Round the tax" in printed


def test_when_nothing_waits_it_says_so_on_stderr(run: Run) -> None:
    result = run("handoff")
    assert (result.stdout, result.stderr) == ("", "no handoff waits\n")
    assert run.json("handoff", "list") == []


def test_showing_changes_nothing_and_claiming_does(run: Run) -> None:
    id = left(run)
    assert "next: round refunds" in run("handoff", "show", id).stdout
    assert run.json("handoff", "show")["claimed_by"] is None
    assert run.json("handoff", "claim", id[:5], "--agent", "cursor")["claimed_by"] == "cursor"
    assert "taken by cursor" in run("handoff").stdout
    assert "cursor took handoff" in run("handoff", "claim", id, "--agent", "codex", status=1).stderr


def test_an_unknown_id_is_an_error_in_one_line(run: Run) -> None:
    result = run("handoff", "show", "nowhere", status=1)
    assert result.stderr.startswith("memlsp: no handoff 'nowhere' (")


def test_catching_up_grows_with_the_time_away(run: Run) -> None:
    run("remember", "The default is 20 %", "--at", "pricing/tax.py#compute_tax")
    assert len(run("catch-up", "--since", "1h").stdout.splitlines()) == 1
    digest = run("catch-up", "--since", "2d").stdout
    assert "Decided:\n  new: The default is 20 %" in digest
    assert run.json("catch-up", "--since", "5w")["size"] == "story"


def test_a_time_that_is_none_is_wrong_usage(run: Run) -> None:
    assert "not a time" in run("catch-up", "--since", "lately", status=2).stderr


def test_brief_prints_what_an_agent_would_be_told(run: Run) -> None:
    assert run("brief").stdout == ""
    left(run)
    assert "| open: round refunds" in run("brief").stdout
