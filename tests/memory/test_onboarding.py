"""The history read once, ended and gone on with, and what it is good for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import patience
from project import Project

from memlsp import Memory
from memlsp.model.caller import Caller
from memlsp.model.episode import OnboardingProgress
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing

FETCH = Place("client.py", symbol="fetch")
TAX = Place("pricing/tax.py", symbol="compute_tax")
PATIENCE = 60.0


def commits(project: Project, count: int) -> None:
    """So many small commits over one long file."""
    body = "".join(f"def helper_{n}(url):\n    return get(url, {n}, timeout=30)\n\n\n" for n in range(250))
    for number in range(count):
        project.write("long.py", body.replace("get(url, 7, timeout=30)", f"get(url, 7, timeout={number})"))
        project.commit(f"Wait {number}")


def subjects(memory: Memory) -> list[str]:
    return [episode.subject for episode in memory.commit_episodes(limit=1000)]


def first(judgement: Judgement) -> str:
    return judgement.reasons[0].message


@pytest.fixture
def renamed(project: Project, memory: Memory) -> str:
    """The commit that renamed `fetch`, about which something was remembered before."""
    memory.remember("fetch is tried more than once", at=[FETCH], by=Caller(folder=project.root))
    project.replace("client.py", "def fetch(", "def fetch_all(")
    return project.commit("Rename fetch")


# --- reading


def test_the_history_is_read_once_newest_first(project: Project, memory: Memory) -> None:
    commits(project, 3)
    seen: list[OnboardingProgress] = []
    state = memory.onboard(progress=seen.append)
    assert (state.total, state.present, state.read, state.complete) == (4, 4, 4, True)
    assert [each.present for each in seen] == [1, 2, 3, 4]
    assert subjects(memory) == ["Wait 2", "Wait 1", "Wait 0", "Add the shop"]
    again = memory.onboard()
    assert (again.total, again.read, again.complete) == (4, 0, True)


def test_only_what_is_new_is_read_after_a_commit_and_on_another_branch(project: Project, memory: Memory) -> None:
    memory.onboard()
    project.git("checkout", "--quiet", "-b", "side")
    commits(project, 2)
    assert memory.onboard().read == 2
    project.git("checkout", "--quiet", "main")
    assert memory.onboard().read == 0
    project.git("checkout", "--quiet", "--detach", "side")
    assert memory.onboard().read == 0
    assert memory.stats().onboarded


def test_the_newest_commits_are_read_and_more_when_more_are_asked_for(project: Project, memory: Memory) -> None:
    commits(project, 3)
    assert memory.onboard(most=2).read == 2
    assert subjects(memory) == ["Wait 2", "Wait 1"]
    assert memory.onboard(most=1).read == 0
    assert memory.onboard().read == 2


def test_a_reading_that_was_cancelled_goes_on_where_it_was(project: Project, memory: Memory) -> None:
    commits(project, 40)  # more than the readers can have sent ahead when the second is kept
    seen: list[OnboardingProgress] = []
    state = memory.onboard(progress=seen.append, cancelled=lambda: len(seen) >= 2)
    assert state.stopped == "cancelled"
    assert 2 <= state.read < 41
    assert not memory.stats().onboarded
    rest = memory.onboard()
    assert rest.complete
    assert rest.read == 41 - state.read
    assert len(subjects(memory)) == len(set(subjects(memory))) == 41


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_reading_that_was_killed_goes_on_where_it_was_and_leaves_no_process(project: Project) -> None:
    commits(project, 30)
    command = [sys.executable, "-m", "memlsp", "-C", str(project.root), "onboard"]
    reading = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Memory.open(project.root) as memory:
        until = time.monotonic() + patience(PATIENCE)
        while len(subjects(memory)) < 3 and reading.poll() is None and time.monotonic() < until:
            time.sleep(0.01)  # so that the polling takes no time from a process of low priority
        workers = children_of(reading.pid)
        os.kill(reading.pid, signal.SIGKILL)
        reading.wait(patience(PATIENCE))
        found = subjects(memory)
        assert len(found) >= 3
        until = time.monotonic() + patience(PATIENCE)
        while any(alive(worker) for worker in workers) and time.monotonic() < until:
            time.sleep(0.01)
        assert not any(alive(worker) for worker in workers)
        assert memory.onboard().complete
        assert sorted(subjects(memory)) == sorted(["Add the shop", *(f"Wait {n}" for n in range(30))])
        assert [step for step in memory.commit_episodes("long.py", limit=100) if not step.changes] == []


def children_of(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in listed.split()]


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_one_process_reads_and_the_other_does_without(project: Project, memory: Memory) -> None:
    commits(project, 2)
    with Memory.open(project.root) as other:
        told: list[str] = []

        def progress(_: OnboardingProgress) -> None:
            told.append(other.onboard().stopped)
            other.remember(
                f"fetch is patient, {len(told)}", at=[FETCH], by=Caller(folder=project.root)
            )  # and may write meanwhile

        state = memory.onboard(progress=progress)
        assert (state.stopped, state.present, state.read) == ("", 3, 3)
        assert told == ["busy"] * 3
        after = other.onboard()
        assert (after.stopped, after.read, after.complete) == ("", 0, True)
        assert len(other.beliefs()) == 3


def test_without_git_and_without_commits_there_is_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with Memory.open(tmp_path / "plain") as memory:
        assert memory.onboard().stopped == "no-git"
        assert not memory.stats().onboarded
    empty = Project(tmp_path / "empty")
    with Memory.open(empty.root) as memory:
        assert memory.onboard().stopped == "no-git"


def test_a_memory_that_cannot_be_written_is_left_alone(
    project: Project, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.store.store.Store.read_only", property(lambda _: True))
    assert memory.onboard().stopped == "read-only"


def test_a_shallow_clone_is_read_as_far_as_it_goes(project: Project, tmp_path: Path) -> None:
    commits(project, 3)
    project.git("clone", "--quiet", "--depth", "2", project.root.as_uri(), str(tmp_path / "shallow"))
    with Memory.open(tmp_path / "shallow", data_dir=tmp_path / "own") as memory:
        state = memory.onboard()
        assert (state.total, state.complete) == (2, True)
        assert dict(memory.stats().history.passed_over) == {"cut": 1}


def test_what_is_kept_is_a_tenth_of_the_file_states_at_the_most(project: Project, memory: Memory) -> None:
    commits(project, 60)
    memory.onboard()
    history = memory.stats().history
    assert history.saved is not None
    assert history.saved > 0.9
    assert history.state_bytes > 60 * len((project.root / "long.py").read_bytes())


def test_the_history_of_a_file_names_its_symbols(project: Project, memory: Memory) -> None:
    commits(project, 2)
    place = Place("long.py")
    assert memory.history(place, base=project.root).changes[0].parts == ()
    memory.onboard()
    newest = memory.history(place, base=project.root).changes[0]
    assert len(newest.parts) == 1
    assert "helper_7" in newest.parts[0]
    (episode,) = memory.commit_episodes("client.py")
    assert [change.sentence for change in episode.changes] == ["Added client.py."]


# --- provenance


@pytest.mark.parametrize("onboarded", [True, False])
def test_a_carried_belief_names_the_commit(project: Project, memory: Memory, renamed: str, onboarded: bool) -> None:
    if onboarded:
        memory.onboard()
    (judgement,) = memory.beliefs()
    judgement = memory.belief(judgement.belief.id)
    assert judgement.standing is Standing.CARRIED
    assert first(judgement) == f"carried across {renamed[:8]}: renamed from `fetch` to `fetch_all`"
    assert judgement.reasons[0].commit == renamed
    assert judgement.ties[0].reasons == judgement.reasons


def test_a_hover_names_the_commit_once_the_history_was_read(project: Project, memory: Memory, renamed: str) -> None:
    (plain,) = memory.applying("client.py", 4)
    assert first(plain) == "`fetch` is called `fetch_all` now"
    before = memory.version()
    memory.onboard()
    assert memory.version() != before
    (told,) = memory.applying("client.py", 4)
    assert renamed[:8] in first(told)
    (listed,) = memory.beliefs()
    assert renamed[:8] in first(listed)


def test_every_commit_on_the_way_is_named(project: Project, memory: Memory, renamed: str) -> None:
    project.git("mv", "client.py", "http_client.py")
    moved = project.commit("Move the client")
    memory.onboard()
    (judgement,) = memory.beliefs()
    assert first(judgement) == (
        f"carried across {renamed[:8]}: renamed from `fetch` to `fetch_all`; "
        f"then across {moved[:8]}: moved from client.py to http_client.py"
    )
    assert judgement.reasons[0].commit == moved


def test_a_method_is_carried_along_with_its_class(project: Project, memory: Memory) -> None:
    memory.remember("net and tax", at=[Place("pricing/tax.py", symbol="Invoice.total")], by=Caller(folder=project.root))
    project.replace("pricing/tax.py", "class Invoice", "class Bill")
    commit = project.commit("Rename the invoice")
    memory.onboard()
    (judgement,) = memory.beliefs()
    assert first(judgement) == f"carried across {commit[:8]}: renamed from `Invoice.total` to `Bill.total`"


def test_a_symbol_that_was_moved_and_reworked_is_a_candidate_where_the_commits_took_it(
    project: Project, memory: Memory
) -> None:
    id = memory.remember("fetch is tried more than once", at=[FETCH], by=Caller(folder=project.root)).belief.id
    text = (project.root / "client.py").read_text()
    project.write("http.py", text.replace("def fetch(", "def fetch_page("))
    project.write("client.py", "LIMIT = 3\n")
    moved = project.commit("Move it")
    project.replace("http.py", "time.sleep(attempt)", "rest(attempt * 2, jitter=True)")
    project.replace("http.py", "return get(url, timeout=timeout)", "page = load(url)")
    project.replace("http.py", "except IOError:", "except (OSError, ValueError):")
    project.replace("http.py", "raise TimeoutError(url)", "return page or default(url, fallback=None)")
    project.commit("Rework it")
    assert memory.belief(id).ties[0].candidates == ()
    memory.onboard()
    now = memory.belief(id)
    assert now.standing is Standing.ORPHANED
    assert (now.ties[0].candidates[0].path, now.ties[0].candidates[0].symbol) == ("http.py", "fetch_page")
    assert moved[:8] in first(now)
    assert memory.revise(id, "reanchor").standing is Standing.CURRENT


def test_a_rename_that_is_not_committed_names_no_commit(project: Project, memory: Memory) -> None:
    memory.remember("fetch is tried more than once", at=[FETCH], by=Caller(folder=project.root))
    project.replace("client.py", "def fetch(", "def fetch_all(")
    memory.onboard()
    (judgement,) = memory.beliefs()
    assert memory.belief(judgement.belief.id).reasons[0].commit is None


@pytest.mark.parametrize("onboarded", [True, False])
def test_a_changed_dependency_names_the_commit(project: Project, memory: Memory, onboarded: bool) -> None:
    id = memory.remember("computes the tax on a net price", at=[TAX], by=Caller(folder=project.root)).belief.id
    project.replace("pricing/rates.py", "0.20", "0.25")
    if onboarded:
        memory.onboard()
    assert memory.belief(id).reasons[0].commit is None  # nobody committed it yet
    commit = project.commit("Raise the rate")
    if onboarded:
        memory.onboard()
    assert memory.belief(id).reasons[0].commit == commit
    found = memory.last_change("pricing/rates.py", "RATE")
    assert found is not None
    assert found.commit == commit


def test_a_commit_from_before_the_belief_is_not_its_doing(project: Project, memory: Memory) -> None:
    project.replace("pricing/rates.py", "0.20", "0.22")
    project.commit("Raise the rate")
    id = memory.remember("computes the tax on a net price", at=[TAX], by=Caller(folder=project.root)).belief.id
    project.git("checkout", "--quiet", "-b", "lower")
    project.replace("pricing/rates.py", "0.22", "0.25")
    memory.onboard()
    assert memory.belief(id).reasons[0].commit is None


# --- checkout


def test_an_old_commit_has_its_own_standing_and_coming_back_restores_it(
    project: Project, memory: Memory, renamed: str
) -> None:
    memory.onboard()
    project.replace("pricing/rates.py", "0.20", "0.25")
    project.commit("Raise the rate")
    project.write("late.py", "def settle(orders):\n    for order in orders:\n        order.pay(limit=3)\n")
    project.commit("Settle")
    late = memory.remember(
        "settle pays", at=[Place("late.py", symbol="settle")], by=Caller(folder=project.root)
    ).belief.id
    tax = memory.remember("compute_tax applies 25 %", at=[TAX], by=Caller(folder=project.root)).belief.id
    memory.onboard()
    kept = written(memory)
    now = standings(memory)
    assert now[late] is now[tax] is Standing.CURRENT
    assert Standing.CARRIED in now.values()

    project.git("checkout", "--quiet", f"{renamed}~1")
    memory.files_changed(None)
    then = standings(memory)
    assert then[late] is Standing.ORPHANED
    assert then[tax] is Standing.CONTRADICTED
    assert then[next(id for id in now if now[id] is Standing.CARRIED)] is Standing.CURRENT
    memory.onboard()

    project.git("checkout", "--quiet", "main")
    memory.files_changed(None)
    assert standings(memory) == now
    assert renamed[:8] in first(next(j for j in memory.beliefs() if j.standing is Standing.CARRIED))
    assert written(memory) == kept


def standings(memory: Memory) -> dict[str, Standing]:
    return {judgement.belief.id: judgement.standing for judgement in memory.beliefs()}


def written(memory: Memory) -> str:
    """All that is remembered, as it is stored."""
    return json.dumps([[str(j.belief), *map(str, memory.revisions(j.belief.id))] for j in memory.beliefs()])
