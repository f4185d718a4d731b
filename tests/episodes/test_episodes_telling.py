"""Episodes as a person would tell them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memlsp.episodes.boundaries import begins, goes_on
from memlsp.episodes.drafts import EpisodeDraft, Stretch, derived_id, draft_of, draft_value
from memlsp.episodes.event_joiner import discarded_files, is_test_run
from memlsp.episodes.observation import Signs, stem, stems, without_references
from memlsp.episodes.summary import LONGEST_TITLE, first_line, outcome_of, title_of
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommandRun, KeptChange, Outcome
from memlsp.model.symbol import SymbolKind


def stretch(key: str = "k", **more: object) -> Stretch:
    return Stretch(key, 1_000, 2_000, "claude-code", "s", **more)  # pyright: ignore[reportArgumentType] - fields by name


def draft(*stretches: Stretch) -> EpisodeDraft:
    return EpisodeDraft("e1", stretches)


def change(kinds: set[ChangeKind], old: str | None, new: str | None, sentence: str = "") -> KeptChange:
    def ref(name: str | None) -> SymbolRef | None:
        return SymbolRef("a.py", name, SymbolKind.FUNCTION) if name else None

    return KeptChange(frozenset(kinds), ref(old), ref(new), sentence)


ADDED, REMOVED, BEHAVIOUR = {ChangeKind.ADDED}, {ChangeKind.REMOVED}, {ChangeKind.BEHAVIOUR}


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Can you please replace the retry loop by tenacity? It is ugly.", "Replace the retry loop by tenacity"),
        ("hi, I want you to add a `--json` flag to `stats`.", "Add a `--json` flag to `stats`"),
        ("Fix #1234: the cart forgets its items\n\nTraceback ...", "Fix #1234: the cart forgets its items"),
        ("```py\nx = 1\n```\nRename x to count", "Rename x to count"),
        ("<system-reminder>be kind</system-reminder> Sort the imports", "Sort the imports"),
    ],
)
def test_a_title_is_the_request_without_courtesies_and_code(prompt: str, title: str) -> None:
    assert title_of(draft(stretch(prompt=prompt))) == title


def test_a_title_is_short_whatever_was_asked() -> None:
    title = title_of(draft(stretch(prompt="Replace " + "every very long word of this request " * 9)))
    assert len(title) <= LONGEST_TITLE
    assert title.endswith("…")


def test_a_request_that_says_nothing_leaves_the_title_to_the_commit() -> None:
    told = draft(stretch("a", prompt="fix it"), stretch("b", subject="Round totals to cents (#12)"))
    assert title_of(told) == "Round totals to cents"


def test_without_words_the_symbols_name_the_episode() -> None:
    assert title_of(draft(stretch(changes=(change(ADDED, None, "fetch"), change(ADDED, None, "parse"))))) == (
        "Add fetch and parse"
    )
    swapped = change(BEHAVIOUR, "fetch", "fetch", "`fetch` now calls `tenacity.retry`, no longer calls `Retry`.")
    assert title_of(draft(stretch(changes=(swapped,)))) == "Replace Retry by tenacity.retry in fetch"


def test_what_was_added_and_removed_again_is_not_told() -> None:
    gone = (change(ADDED, None, "attempt"), change(REMOVED, "attempt", None), change(BEHAVIOUR, "fetch", "fetch"))
    assert title_of(draft(stretch(changes=gone))) == "Change fetch"


def test_what_was_added_and_changed_is_added() -> None:
    grown = (change(ADDED, None, "fetch"), change(BEHAVIOUR, "fetch", "fetch"))
    assert title_of(draft(stretch(changes=grown))) == "Add fetch"


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"paths": ("a.py",), "committed": True, "commits": ("c",)}, Outcome.COMMITTED),
        ({"paths": ("a.py",), "tests": True}, Outcome.TESTED),
        ({"paths": ("a.py",), "tests": False}, Outcome.FAILED),
        ({"paths": ("a.py",), "undone": True, "tests": True}, Outcome.ABANDONED),
        ({"prompt": "what is this?"}, Outcome.ENDED),
    ],
)
def test_the_outcome_is_the_strongest_thing_that_was_seen(more: dict[str, Any], outcome: Outcome) -> None:
    assert outcome_of(draft(stretch(**more)), closed=True) is outcome


_RUNS = (
    "pytest -q; python -m pytest tests; npm test; npm run test:unit; cargo nextest run; go test ./...; make check; "
    "./gradlew test; mvn -q verify; npx vitest run; uv run pytest; bundle exec rspec; cd x && tox -e py311"
)


@pytest.mark.parametrize("command", _RUNS.split("; "))
def test_test_runs_are_known(command: str) -> None:
    assert is_test_run(command)


@pytest.mark.parametrize(
    "command", ["git status", "ls tests", "cat pytest.ini", "npm install", "make docs", "echo testing"]
)
def test_other_commands_are_no_test_runs(command: str) -> None:
    assert not is_test_run(command)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("git checkout -- a.py b.py", ("a.py", "b.py")),
        ("git checkout main", None),
        ("git checkout .", ()),
        ("git restore ./a.py", ("a.py",)),
        ("git restore --staged a.py", None),
        ("git reset --hard HEAD~1", ()),
        ("git reset a.py", None),
        ("git stash", ()),
        ("git stash pop", None),
        ("git stash list", None),
        ("echo 'git", None),
    ],
)
def test_what_throws_changes_away_is_known_with_its_files(command: str, files: tuple[str, ...] | None) -> None:
    assert discarded_files(command) == files


@pytest.mark.parametrize(
    "prompt",
    [
        "still fails",
        "go on",
        "yes",
        "also handle None",
        "no, use the other one",
        "now run the tests",
        "thanks!",
        "mach weiter",
        "continúa",
        "vas-y",
    ],
)
def test_prompts_that_go_on(prompt: str) -> None:
    assert goes_on(prompt)
    assert not begins(prompt)


@pytest.mark.parametrize(
    "prompt", ["Add a dark theme to the settings page", "Now the cli: print the url of the template folder"]
)
def test_prompts_that_say_nothing_of_what_was_before(prompt: str) -> None:
    assert not goes_on(prompt)


@pytest.mark.parametrize("prompt", ["next task: the footer", "Something else: why is CI red?", "Next, parse dates"])
def test_prompts_that_begin_something(prompt: str) -> None:
    assert begins(prompt)
    assert not goes_on(prompt)


def test_numbers_of_pulls_and_what_a_merge_says_are_not_seen() -> None:
    assert without_references("Merge branch 'main' into feature-x") == ""
    assert without_references("Merge pull request #12 from ann/retry") == ""
    assert "12" not in without_references("Retry three times (#12, GH-34)")
    assert list(stems("Retry fetchUser for #12")) == [stem(word) for word in ("retry", "fetch", "user", "fetchuser")]


def test_a_draft_is_kept_as_it_is() -> None:
    run = CommandRun("pytest", worked=False, at=datetime(2026, 11, 2, 9, tzinfo=UTC), exit_code=1)
    kept = draft(
        stretch(
            signs=Signs(words=("b", "a"), names=("x",)),
            commands=(run,),
            changes=(change(BEHAVIOUR, "fetch", "fetch", "`fetch` changed."),),
            events=(3, 4),
        )
    )
    assert draft_of(draft_value(kept)) == kept


def test_the_id_of_an_episode_follows_from_its_first_event() -> None:
    assert derived_id("e", "k") == derived_id("e", "k") != derived_id("e", "l")
    assert len(derived_id("e", "k")) == 8


def test_a_line_of_nothing_but_courtesy_is_empty() -> None:
    assert first_line("please!") == ""


@pytest.mark.parametrize(
    "rule", ["Never commit .env files", "deploys go to Coolify now, not Vercel", "continue", "continúa"]
)
def test_a_prompt_that_asks_for_no_work_titles_nothing(rule: str) -> None:
    work = stretch("b", prompt="Bound the retry loop in fetch", paths=("src/net.py",))
    assert title_of(draft(stretch("a", prompt=rule), work)) == "Bound the retry loop in fetch"
    assert title_of(draft(stretch("a", prompt=rule), stretch("b", paths=("src/net.py",)))) == "Change net.py"


def test_the_next_task_is_titled_by_what_it_is() -> None:
    assert first_line("Next task: bound the cache") == "Bound the cache"
