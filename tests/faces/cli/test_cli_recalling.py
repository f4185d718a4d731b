"""`memlsp recall` and `receipts`: what scripts and people read."""

from __future__ import annotations

from command_run import Run
from project import Project

from memlsp import Memory


def remember(run: Run, *words: str) -> str:
    return run("remember", *words).stdout.strip()


def test_explain_says_why_it_is_there_and_why_others_are_not(run: Run, project: Project) -> None:
    id = remember(run, "fetch retries three times, the courier drops calls", "--at", "client.py#fetch")
    project.git("checkout", "--quiet", "-b", "other")
    apart = remember(run, "the courier drops every tenth call")
    project.git("checkout", "--quiet", "main")
    far = remember(run, "the default colour is blue")
    told = run("recall", "why does fetch retry by default when the courier drops calls", "--explain")
    assert id in told.stdout
    assert 'matches "fetch", "retry", "courier", "drops", "calls"' in told.stdout
    assert "said by a person" in told.stdout
    assert f"left out: {apart} (learned on a branch that is not here; --all-branches asks those too)" in told.stderr
    assert f"left out: {far} (far less to the point than the best)" in told.stderr
    assert apart in run("recall", "courier drops", "--all-branches").stdout


def test_explain_names_what_was_left_out_for_one_reason_on_one_line(run: Run) -> None:
    ids = {remember(run, f"the courier waits, number {number}") for number in range(15)}
    told = run("recall", "courier waits", "--limit", "1", "--explain").stderr.splitlines()[0]
    assert told.endswith(" and 2 more (beyond --limit)")
    assert sum(id in told for id in ids) == 12


def test_an_answer_says_what_contradicts_it_and_where_alone_it_applies(run: Run) -> None:
    first = remember(run, "The request timeout is 30 seconds", "--when", "env=staging")
    second = remember(run, "The request timeout is 60 seconds", "--when", "env=staging")
    told = run("recall", "request timeout")
    assert " for env=staging, " in told.stdout
    assert told.stdout.count(", in conflict · ") == 2
    assert "current" not in told.stdout
    (line,) = [line for line in told.stderr.splitlines() if line.startswith("contradiction: ")]
    assert first in line
    assert second in line
    assert len(run.json("recall", "request timeout")["conflicts"]) == 1


def test_settling_reads_what_waits_for_the_encoder(run: Run) -> None:
    remember(run, "the courier drops every tenth call")
    assert "memlsp settle does it now" in run("doctor").stdout
    assert "1 text encoded" in run("settle").stdout
    assert "memlsp settle does it now" not in run("doctor").stdout


def test_without_explain_one_line_counts_what_was_left_out(run: Run) -> None:
    for number in range(3):
        remember(run, f"the courier waits, number {number}")
    told = run("recall", "courier waits", "--limit", "1")
    assert told.stderr.splitlines() == ["left out: 2 (beyond --limit)"]


def test_work_answers_beside_beliefs(run: Run, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    commit = project.commit("Retry the courier five times")
    run("onboard")
    answer = run.json("recall", "how often is the courier tried")
    assert answer["hits"] == []
    (work,) = answer["work"]
    assert work.keys() == {"id", "title", "at", "who", "symbols", "score", "why", "detail"}
    assert (work["id"], work["title"], work["symbols"]) == (commit, "Retry the courier five times", ["client.py#fetch"])
    assert run.json("recall", "how often is the courier tried", "--no-work")["work"] == []
    assert f"[commit {commit[:10]}]" in run("recall", "how often is the courier tried").stdout


def test_as_of_asks_the_memory_as_it_was(run: Run, project: Project) -> None:
    id = remember(run, "fetch retries three times")
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Retry more")
    run("revise", id, "supersede", "fetch retries five times")
    texts = [hit["text"] for hit in run.json("recall", "fetch retries", "--as-of", "HEAD~1")["hits"]]
    assert texts == ["fetch retries three times"]
    assert "neither a date nor a commit" in run("recall", "fetch", "--as-of", "nowhere", status=1).stderr


def test_receipts_say_who_asked_what_and_what_was_served(run: Run) -> None:
    assert run("receipts").stderr == "nothing was told yet\n"
    id = remember(run, "fetch retries three times")
    other = remember(run, "the parcels have a colour")
    run("recall", "how often does fetch retry")
    run("recall", "which colour", "--as-of", "HEAD")
    newest, oldest = run.json("receipts")
    assert newest.keys() == {
        *("id", "at", "surface", "asker", "session", "query", "as_of", "served", "left_out", "tokens")
    }
    assert (oldest["asker"], oldest["query"], oldest["as_of"]) == ("cli", "how often does fetch retry", None)
    assert (oldest["served"], newest["served"], newest["as_of"]) == ([id], [other], "HEAD")
    assert [each["query"] for each in run.json("receipts", "--belief", id[:5])] == [oldest["query"]]
    told = run("receipts", "--belief", id).stdout
    assert "“how often does fetch retry”  1 served" in told
    assert "which colour" not in told


def test_the_page_of_a_belief_shows_where_it_was_served(run: Run) -> None:
    id = remember(run, "fetch retries three times")
    assert "served" not in run("belief", id).stdout
    run("recall", "how often does fetch retry")
    run("recall", "fetch")
    told = run("belief", id).stdout
    assert "served 2 times, which is no evidence; latest:" in told
    assert "“fetch”" in told
    assert [each["query"] for each in run.json("belief", id)["served"]] == ["fetch", "how often does fetch retry"]


def test_use_moves_neither_confidence_nor_rank(run: Run) -> None:
    first = remember(run, "the courier waits at the door")
    second = remember(run, "the courier waits at the gate")
    before = [hit["id"] for hit in run.json("recall", "courier waits")["hits"]]
    confidence = run.json("belief", second)["confidence"]
    for _ in range(5):
        run("recall", "gate")
    assert [hit["id"] for hit in run.json("recall", "courier waits")["hits"]] == before
    assert {first, second} == set(before)
    assert run.json("belief", second)["confidence"] == confidence


def test_every_surface_leaves_a_receipt_that_names_it(run: Run, project: Project) -> None:
    id = remember(run, "fetch retries three times", "--at", "client.py#fetch")
    run("why", "client.py#fetch")
    with Memory.open(project.root) as memory:
        memory.record_telling("hover", [id], "fetch retries three times", asker="lsp", about="client.py#fetch")
    hover, why = run.json("receipts")
    assert (why["surface"], why["query"], why["served"]) == ("why", "client.py#fetch", [id])
    assert (hover["surface"], hover["asker"], hover["tokens"]) == ("hover", "lsp", 7)
    assert "why client.py#fetch  1 served" in run("receipts", "--belief", id).stdout


def test_stats_say_what_was_told_to_whom_and_what_came_of_it(run: Run, project: Project) -> None:
    assert "nothing yet" in run("stats").stdout
    id, other = remember(run, "never push to github"), remember(run, "the parcels have a colour")
    with Memory.open(project.root) as memory:
        memory.revise(id, "lock")
        for surface, asker, session, served in (
            ("start", "claude-code", "claude-code one", [id, other]),
            ("act", "claude-code", "claude-code one", [id]),
            ("done", "claude-code", "claude-code one", [id]),
            ("act", "codex", "codex two", [id]),
            ("why", "mcp:Codex", "codex two", []),
        ):
            memory.record_telling(surface, served, "some words", asker=asker, session=session)
    stats = run.json("stats")
    told = stats["told"]
    assert (stats["locked"], stats["learned"]) == (1, 0)
    assert (told["sessions"], told["obeyed"], told["broken"], told["unknown"]) == (2, 0, 1, 1)
    assert told["latest"] == {"session": "codex two", "beliefs": 1, "corrections": 1}
    assert {day["asker"]: (day["times"], day["tokens"]) for day in told["days"]} == {
        "claude-code": (2, 6),
        "codex": (2, 6),
    }
    shown = run("stats").stdout
    assert "Claude Code: 6 tokens in 2" in shown
    assert "1 locked, 0 learned" in shown
    assert "2 sessions; the latest was told 1 belief, 1 of them a person's" in shown
    assert "0 were left and 1 done all the same; of 1 nobody knows" in shown
