from __future__ import annotations

from datetime import timedelta

import pytest
from handed import NOON, Told, change, episode_of, handoff, thread_of

from memlsp.episodes.handoffs import handoff_of, stuck_at
from memlsp.model.handoff import Handoff
from memlsp.model.thread import Thread, ThreadKind

FAILED = "FAILED tests/test_net.py::test_retry - assert 3 == 5\n1 failed"


def made(told: Told, *threads: Thread, **more: object) -> Handoff:
    found = handoff_of(told.as_session(), told.events, threads=threads, **more)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_session_in_which_nothing_happened_leaves_nothing() -> None:
    told = Told().prompt("What does fetch do?").say("It fetches. Do you want to know more?")
    assert handoff_of(told.as_session(), told.events) is None


def test_a_session_without_events_leaves_nothing() -> None:
    assert handoff_of(Told().as_session(), []) is None


def test_what_was_done_is_told_by_the_changes_of_symbols() -> None:
    told = Told().prompt("Retry three times, please")
    told.edit("src/net.py", change("src/net.py", "fetch", "`fetch` now retries."))
    found = made(told)
    assert found.done == ("`fetch` now retries.",)
    assert found.places == ("src/net.py#fetch",)
    assert found.title == "Retry three times, please"


def test_the_latest_sentence_about_a_symbol_stands_for_the_others() -> None:
    told = Told()
    for sentence in ("`fetch` retries twice.", "`fetch` retries thrice."):
        told.edit("src/net.py", change("src/net.py", "fetch", sentence))
    assert made(told).done == ("`fetch` retries thrice.",)


def test_an_episode_says_what_was_done_and_what_it_was_about() -> None:
    told = Told().prompt("go on").edit("src/net.py")
    found = made(told, episodes=[episode_of("Replace the retry loop", sentences=("`fetch` uses tenacity.",))])
    assert (found.title, found.done) == ("Replace the retry loop", ("`fetch` uses tenacity.",))
    assert not found.asked


def test_a_title_that_was_cut_gives_way_to_the_request() -> None:
    request = "Replace the retry loop by tenacity and keep the jitter"
    told = Told().prompt(request).edit("src/net.txt")
    found = made(told, episodes=[episode_of("Replace the retry loop by…", intent=request)])
    assert found.title == request


def test_unfinished_plan_items_come_next_and_those_begun_first() -> None:
    told = Told().edit("a.txt").plan(read="completed", test="pending", write="in_progress", drop="cancelled")
    assert made(told).next_steps == ("write (begun)", "test")


def test_only_the_latest_plan_counts() -> None:
    told = Told().edit("a.txt").plan(old="pending").plan(new="pending")
    assert made(told).next_steps == ("new",)


def test_open_threads_come_next_with_their_place() -> None:
    told = Told().edit("src/net.py")
    found = made(told, thread_of("TODO: jitter", symbol="fetch"), thread_of("test_retry", ThreadKind.TEST, "t.py"))
    assert found.next_steps == ("failing test: test_retry (t.py)", "TODO: jitter (src/net.py#fetch)")


def test_what_was_said_to_come_next_keeps_its_order() -> None:
    told = Told().edit("a.txt").say("Next steps:\n1. zip it\n2. test it\n3. add it")
    said = [thread_of(text, ThreadKind.NEXT, "") for text in ("add it", "test it", "zip it")]
    assert made(told, *said).next_steps == ("zip it", "test it", "add it")


def test_a_question_that_nobody_answered_is_left_open() -> None:
    told = Told().edit("a.txt").say("It is done.\n- The old name is kept. Should it be deprecated first?")
    assert made(told).questions == ("Should it be deprecated first?",)
    assert made(told.prompt("yes, do that")).questions == ()


def test_it_got_stuck_where_a_command_failed_last() -> None:
    told = Told().edit("a.txt").failed("cd /x && pytest -q 2>&1 | tail -3", FAILED)
    assert made(told).stuck == ("`pytest -q` failed (exit 1): FAILED tests/test_net.py::test_retry - assert 3 == 5")


def test_a_command_that_worked_later_is_not_where_it_got_stuck() -> None:
    assert stuck_at(Told().failed("pytest -q a.py", FAILED).ran("python -m pytest").events) == ""


def test_another_subcommand_that_worked_proves_nothing() -> None:
    assert "git push" in stuck_at(Told().failed("git push", "fatal: no upstream").ran("git status").events)


def test_an_edit_after_the_failure_is_mentioned() -> None:
    assert "edited since, and not run again" in stuck_at(Told().failed("pytest", FAILED).edit("a.txt").events)


@pytest.mark.parametrize("command", ["grep -rn retry src", "ls nowhere", "cat missing.txt", "which node"])
def test_not_finding_something_is_no_failure(command: str) -> None:
    assert stuck_at(Told().failed(command).events) == ""


def test_an_experiment_that_failed_long_ago_is_forgotten() -> None:
    told = Told().failed("python try.py", "ValueError: no such thing")
    assert stuck_at(told.events)
    assert stuck_at(told.ran("ls").ran("ls src").ran("cat a.py").events) == ""


def test_commits_and_passing_tests_are_done() -> None:
    told = Told().edit("a.py", change("a.py", "f", "`f` rounds.")).ran("pytest -q").committed("Round the tax")
    assert made(told).done == ("committed c0ffeec0ff Round the tax", "`pytest -q` passed")
    assert not made(told).is_open


def test_of_what_was_committed_git_tells_better() -> None:
    told = Told().edit("a.py", change("a.py", "f", "`f` rounds.")).committed("Round the tax")
    told.edit("a.py", change("a.py", "g", "`g` floors."))
    assert made(told).done == ("committed c0ffeec0ff Round the tax", "`g` floors.")


def test_a_session_that_did_not_end_by_itself_says_so() -> None:
    told = Told().edit("a.txt")
    found = handoff_of(told.as_session(ended=False), told.events)
    assert found is not None
    assert not found.ended


def test_the_same_session_makes_the_same_handoff() -> None:
    told = Told().edit("a.txt")
    assert made(told) == made(told)
    assert made(told).id != made(told, number=1).id != made(Told(session="s2").edit("a.txt")).id


def test_it_expires_after_a_week() -> None:
    told = Told().edit("a.txt")
    assert made(told).expires_at == told.events[-1].at + timedelta(days=7)


def test_a_later_session_overtakes_what_it_finished() -> None:
    first = handoff("h1", age=timedelta(hours=1))
    assert first.is_overtaken_by(handoff("h2", done=("committed c0ffee Retry",), next_steps=()))
    assert not first.is_overtaken_by(handoff("h2", next_steps=()))
    assert not first.is_overtaken_by(handoff("h2", places=("other.py",)))
    assert not handoff("h2").is_overtaken_by(first)


def test_times_are_those_of_the_session() -> None:
    told = Told().edit("a.txt")
    assert made(told).created_at == NOON + timedelta(minutes=1)
