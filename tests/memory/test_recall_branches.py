"""What was learned on a branch that never came here does not speak here."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Limits, RevisionAction
from memlsp.model.place import Place
from memlsp.model.recall import Omission, RecallOptions

SAID = "The courier retries with jitter"
FETCH = Place("client.py", symbol="fetch")


def learn_on(project: Project, branch: str, *, commit: bool = True, at: Place | None = None) -> str:
    """Go to a new branch, change the client there, learn something; the belief's id. The branch stays checked out."""
    project.git("checkout", "--quiet", "-b", branch)
    project.replace("client.py", "time.sleep(attempt)", "time.sleep(attempt + jitter())")
    with Memory.open(project.root) as memory:
        id = memory.remember(SAID, at=[at] if at else []).belief.id
    if commit:
        project.commit("Retry with jitter")
    else:
        project.git("checkout", "--quiet", "--", ".")
    return id


def heard(project: Project, *, branch_aware: bool = True) -> list[str]:
    with Memory.open(project.root) as memory:
        answer = memory.recall("courier retries jitter", RecallOptions(branch_aware=branch_aware))
    return [hit.judgement.belief.id for hit in answer.hits]


def go(project: Project, *words: str) -> None:
    project.git("checkout", "--quiet", *words)


def test_it_speaks_on_its_own_branch_and_not_on_the_trunk(project: Project) -> None:
    id = learn_on(project, "jitter")
    assert heard(project) == [id]
    go(project, "main")
    assert heard(project) == []
    assert heard(project, branch_aware=False) == [id]
    with Memory.open(project.root) as memory:
        assert memory.recall("courier retries jitter").left_out == (Omission(id, "branch"),)


def test_a_branch_that_says_much_does_not_drown_what_speaks_here(project: Project) -> None:
    with Memory.open(project.root) as memory:
        here = memory.remember("The courier is asked for a parcel's weight before its price").belief.id
    project.git("checkout", "--quiet", "-b", "jitter")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    with Memory.open(project.root) as memory:
        for number in range(60):
            memory.remember(f"Courier {number} retries with jitter {number}")
    go(project, "main")
    assert heard(project) == [here]


def test_it_speaks_once_the_branch_was_merged(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    assert heard(project) == []
    project.git("merge", "--quiet", "--no-edit", "jitter")
    assert heard(project) == [id]


def test_it_speaks_once_the_branch_was_merged_without_a_merge_commit_and_deleted(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    project.git("merge", "--quiet", "--ff-only", "jitter")
    assert heard(project) == [id]
    project.git("branch", "--quiet", "-d", "jitter")
    assert heard(project) == [id]


@pytest.mark.parametrize("deleted", [False, True])
@pytest.mark.parametrize("goes_on", [False, True])
def test_it_speaks_once_the_branch_was_squashed(project: Project, *, deleted: bool, goes_on: bool) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    project.git("merge", "--quiet", "--squash", "jitter")
    project.commit("Jitter (#7)")
    if goes_on:
        project.replace("client.py", "attempt + jitter()", "attempt * 2")
        project.commit("Wait in another way")
    if deleted:
        project.git("branch", "--quiet", "-D", "jitter")
    assert heard(project) == [id]


def test_it_speaks_once_its_commits_were_rebased_and_the_branch_deleted(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    project.git("cherry-pick", "jitter")
    project.git("branch", "--quiet", "-D", "jitter")
    assert heard(project) == [id]


def test_it_stays_silent_when_the_branch_was_thrown_away(project: Project) -> None:
    learn_on(project, "jitter")
    go(project, "main")
    project.git("branch", "--quiet", "-D", "jitter")
    assert heard(project) == []


def test_it_stays_silent_when_git_has_thrown_the_commits_away_too(project: Project) -> None:
    learn_on(project, "jitter")
    with Memory.open(project.root) as memory:
        memory.remember("The courier retries with jitter, twice")  # learned on a commit that will be gone
    go(project, "main")
    project.git("branch", "--quiet", "-D", "jitter")
    project.git("reflog", "expire", "--expire=now", "--all")
    project.git("gc", "--quiet", "--prune=now")
    assert "twice" not in " ".join(heard_texts(project))


def heard_texts(project: Project) -> list[str]:
    with Memory.open(project.root) as memory:
        return [hit.judgement.belief.text for hit in memory.recall("courier retries jitter").hits]


def test_where_git_cannot_tell_the_code_decides(project: Project) -> None:
    id = learn_on(project, "jitter", at=FETCH)
    with Memory.open(project.root) as memory:
        memory.revise(id, RevisionAction.CONFIRM)
    go(project, "main")
    project.git("branch", "--quiet", "-D", "jitter")
    assert heard(project) == [], "the code of the branch is not here"
    project.write("unrelated.py", "a = 1\n")
    project.replace("client.py", "time.sleep(attempt)", "time.sleep(attempt + jitter())")
    project.commit("The same, written again")
    assert heard(project) == [id]


def test_a_branch_on_which_nothing_was_committed_brought_nothing(project: Project) -> None:
    id = learn_on(project, "jitter", commit=False)
    assert heard(project) == [id]
    go(project, "main")
    assert heard(project) == []


def test_what_was_learned_before_the_first_commit_of_a_branch_waits_for_its_merge(project: Project) -> None:
    id = learn_on(project, "jitter")  # the commit at which it was learned is one of main
    go(project, "main")
    assert heard(project) == []
    project.git("merge", "--quiet", "jitter")
    assert heard(project) == [id]


def test_the_trunk_speaks_on_every_branch_also_on_one_that_is_behind(project: Project) -> None:
    project.git("branch", "--quiet", "old")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    with Memory.open(project.root) as memory:
        id = memory.remember(SAID).belief.id
    go(project, "old")
    assert heard(project) == [id]
    go(project, "-b", "new")
    assert heard(project) == [id]


def test_what_came_to_the_trunk_speaks_on_branches_that_are_behind(project: Project) -> None:
    project.git("branch", "--quiet", "old")
    id = learn_on(project, "jitter")
    go(project, "old")
    assert heard(project) == []
    project.git("branch", "--quiet", "--force", "main", "jitter")
    assert heard(project) == [id]


def test_a_branch_that_goes_on_after_its_merge_keeps_to_itself_what_is_new(project: Project) -> None:
    learn_on(project, "jitter")
    with Memory.open(project.root) as memory:
        merged = memory.remember("The courier retries with jitter, twice").belief.id
    go(project, "main")
    project.git("merge", "--quiet", "--no-ff", "--no-edit", "jitter")
    go(project, "jitter")
    project.write("more.py", "y = 1\n")
    project.commit("More")
    with Memory.open(project.root) as memory:
        newer = memory.remember("The courier retries with jitter, three times").belief.id
    go(project, "main")
    assert merged in heard(project)
    assert newer not in heard(project)


def test_a_detached_head_hears_what_leads_to_it(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "--detach", "main")
    assert heard(project) == []
    go(project, "--detach", "jitter")
    assert heard(project) == [id]


def test_what_was_learned_on_a_detached_head_speaks_where_its_commit_leads(project: Project) -> None:
    go(project, "--detach", "main")
    project.write("other.py", "x = 1\n")
    commit = project.commit("Apart")
    with Memory.open(project.root) as memory:
        id = memory.remember(SAID).belief.id
    go(project, "main")
    assert heard(project) == []
    project.git("merge", "--quiet", commit)
    assert heard(project) == [id]


def test_during_a_rebase_its_branch_is_the_one_that_is_checked_out(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    project.replace("client.py", "time.sleep(attempt)", "time.sleep(9)")
    project.commit("Conflict")
    go(project, "jitter")
    with pytest.raises(Exception, match="rebase"):
        project.git("rebase", "main")
    assert heard(project) == [id]


def test_a_linked_worktree_hears_its_own_branch(project: Project, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    project.git("worktree", "add", "--quiet", "-b", "jitter", str(linked))
    with Memory.open(linked) as memory:
        id = memory.remember(SAID).belief.id
        assert [hit.judgement.belief.id for hit in memory.recall("courier retries jitter").hits] == [id]
    assert heard(project) == []


def test_a_clone_does_not_hear_of_a_branch_that_was_not_fetched(project: Project, tmp_path: Path) -> None:
    project.git("config", "remote.origin.url", "https://example.org/shop.git")
    project.git("checkout", "--quiet", "-b", "jitter")
    project.write("other.py", "x = 1\n")
    project.commit("Apart")
    with Memory.open(project.root) as memory:
        memory.remember("The courier retries with jitter, twice")
    project.git("clone", "--quiet", "--single-branch", "--branch", "main", str(project.root), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.git("config", "remote.origin.url", "https://example.org/shop.git")
    assert heard(clone) == []
    clone.git("fetch", "--quiet", str(project.root), "jitter")
    clone.git("merge", "--quiet", "FETCH_HEAD")
    assert heard_texts(clone) == ["The courier retries with jitter, twice"]


def test_a_locked_rule_and_the_user_s_own_speak_everywhere(project: Project) -> None:
    id = learn_on(project, "jitter")
    with Memory.open(project.root) as memory:
        memory.revise(id, RevisionAction.LOCK)
    go(project, "main")
    assert heard(project) == [id]


def test_a_condition_decides_before_what_git_knows(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.remember(
            "The courier retries with jitter in releases", limits=Limits(conditions=(("branch", "release/*"),))
        )
        everywhere = memory.remember(
            "The courier retries with jitter", limits=Limits(conditions=(("branch", "*"),))
        ).belief.id
    assert heard(project) == [everywhere]
    go(project, "-b", "release/1")
    assert len(heard(project)) == 2


def test_without_git_everything_speaks(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        id = memory.remember(SAID).belief.id
        assert [hit.judgement.belief.id for hit in memory.recall("courier retries jitter").hits] == [id]


def test_before_the_first_commit_a_branch_hears_itself(tmp_path: Path) -> None:
    project = Project(tmp_path / "new")
    with Memory.open(project.root) as memory:
        memory.remember(SAID)
    assert len(heard(project)) == 1


def test_hover_lens_and_findings_are_as_silent_as_recall(project: Project) -> None:
    learn_on(project, "jitter", at=FETCH)
    go(project, "main")
    with Memory.open(project.root) as memory:
        line = 4
        assert memory.applying("client.py", line) == ()
        assert memory.lenses("client.py") == ()
        assert memory.findings("client.py") == ()
        assert memory.attention() == ()
        assert memory.about("client.py") == ()
        assert memory.why(FETCH).beliefs == ()
        project.git("merge", "--quiet", "jitter")
        memory.files_changed(None)
        assert len(memory.applying("client.py", line)) == 1


def test_what_is_said_again_on_the_trunk_is_the_trunk_s(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    assert heard(project) == []
    with Memory.open(project.root) as memory:
        assert memory.remember(SAID).belief.id == id
    assert heard(project) == [id]
    go(project, "jitter")
    assert heard(project) == [id]


def test_what_is_confirmed_where_it_was_silent_belongs_there(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    go(project, "-b", "other")
    with Memory.open(project.root) as memory:
        memory.revise(id, RevisionAction.CONFIRM)
    assert heard(project) == [id]
    go(project, "main")
    assert heard(project) == []


def test_what_is_confirmed_on_a_branch_stays_the_trunk_s(project: Project) -> None:
    with Memory.open(project.root) as memory:
        id = memory.remember(SAID).belief.id
    go(project, "-b", "other")
    with Memory.open(project.root) as memory:
        memory.revise(id, RevisionAction.CONFIRM)
    go(project, "main")
    assert heard(project) == [id]


def test_what_takes_the_place_of_a_branch_s_own_belongs_where_it_is_said(project: Project) -> None:
    id = learn_on(project, "jitter")
    go(project, "main")
    with Memory.open(project.root) as memory:
        new = memory.revise(id, RevisionAction.SUPERSEDE, text="The courier retries with more jitter").belief.id
    assert heard(project) == [new]


def test_a_contradiction_is_told_where_both_of_its_sides_speak(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.remember("The `fetch` timeout is 30 seconds.", at=[FETCH])
    project.git("checkout", "--quiet", "-b", "slower")
    project.write("other.py", "x = 1\n")
    project.commit("Go on")
    with Memory.open(project.root) as memory:
        other = memory.remember("The `fetch` timeout is 90 seconds.", at=[FETCH]).belief.id
        assert len(memory.conflicts.open()) == len(memory.conflicts.at("client.py")) // 2 == 1
    go(project, "main")
    with Memory.open(project.root) as memory:
        assert memory.conflicts.open() == memory.conflicts.of(other) == memory.conflicts.at("client.py") == ()
        memory.conflicts.refresh()
        assert len(memory.conflicts.all()) == 1
    project.git("merge", "--quiet", "--ff-only", "slower")
    with Memory.open(project.root) as memory:
        assert len(memory.conflicts.open()) == len(memory.conflicts.of(other)) == 1
