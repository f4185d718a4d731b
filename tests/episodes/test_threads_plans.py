"""Plans and next steps: what opens an item, what closes it, and what is a hint and no proof."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memlsp.episodes.code_threads import EventContext
from memlsp.episodes.plan_threads import REPLACED, commit_notes, message_changes, next_steps, plan_changes
from memlsp.model.thread import Thread, ThreadKind

START = datetime(2026, 11, 1, tzinfo=UTC)
NEXT = """Retries go through tenacity now, and the tests pass.

## Next steps

1. Move the timeout into the settings
2. **Document** the new exception
   - in the reference
3. Let me know if you want the old API kept

Bye.
"""


def origin(minute: int, session: str = "s", source: str = "claude-code") -> EventContext:
    return EventContext(f"key{minute}{session}", START + timedelta(minutes=minute), source, session)


class Book:
    """The threads as they stand after some events."""

    def __init__(self) -> None:
        self.threads: dict[str, Thread] = {}

    def plan(self, minute: int, *items: tuple[str, str], session: str = "s") -> None:
        self._keep(plan_changes(items, origin(minute, session), list(self.threads.values())))

    def say(self, minute: int, text: str, session: str = "s") -> None:
        self._keep(message_changes(text, origin(minute, session), list(self.threads.values())))

    def commit(self, minute: int, subject: str) -> None:
        self._keep(commit_notes(subject, origin(minute, "", "git"), list(self.threads.values())))

    def _keep(self, states: tuple[Thread, ...]) -> None:
        self.threads.update({thread.id: thread for thread in states})

    def open(self) -> list[str]:
        return [thread.text for thread in self.threads.values() if thread.is_open]


def test_what_a_plan_leaves_open_is_open_until_it_is_done() -> None:
    book = Book()
    book.plan(1, ("Write the parser", "completed"), ("Test the parser", "in_progress"), ("Document it", "pending"))
    assert book.open() == ["Test the parser", "Document it"]
    book.plan(2, ("Write the parser", "completed"), ("Test the parser", "completed"), ("Document it", "pending"))
    assert book.open() == ["Document it"]
    (closed,) = [thread for thread in book.threads.values() if not thread.is_open]
    assert closed.closed_by == "done in the plan of claude-code"


def test_an_item_in_other_words_is_the_same_item() -> None:
    book = Book()
    book.plan(1, ("Test the parser of dates", "pending"))
    book.plan(2, ("Test the parser of dates and times", "in_progress"))
    assert book.open() == ["Test the parser of dates and times"]
    assert len(book.threads) == 1


def test_a_plan_that_forgets_an_item_does_not_close_it() -> None:
    book = Book()
    book.plan(1, ("Test the parser", "pending"))
    book.plan(2, ("Deploy to staging", "pending"))
    assert book.open() == ["Test the parser", "Deploy to staging"]
    assert "does not say what became of it" in next(iter(book.threads.values())).note


def test_an_item_that_another_agent_does_is_done() -> None:
    book = Book()
    book.plan(1, ("Write the date parser", "pending"), session="a")
    book.plan(2, ("Write the date parser", "completed"), session="b")
    assert book.open() == []


def test_an_item_that_is_cancelled_is_taken_off() -> None:
    book = Book()
    book.plan(1, ("Write the parser", "pending"))
    book.plan(2, ("Write the parser", "cancelled"))
    assert [thread.closed_by for thread in book.threads.values()] == ["taken off the plan by claude-code"]


def test_the_same_plan_again_and_an_older_one_change_nothing() -> None:
    book = Book()
    book.plan(1, ("Write the parser", "pending"))
    book.plan(2, ("Write the parser", "completed"))
    before = dict(book.threads)
    book.plan(2, ("Write the parser", "completed"))
    book.plan(1, ("Write the parser", "pending"))
    assert book.threads == before


def test_the_steps_below_a_heading_are_read_without_offers_and_details() -> None:
    assert next_steps(NEXT) == ("Move the timeout into the settings", "Document the new exception")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Next step: run the migration.", ("run the migration.",)),
        ("**Next steps:**\n- a thing to do\n- another thing", ("a thing to do", "another thing")),
        ("**Remaining:** the two failing tests", ("the two failing tests",)),
        ("TODO next: rename the module", ("rename the module",)),
        ("### Remaining work\n\n* [ ] port the CLI\n* [x] port the core", ("port the CLI",)),
        ("What's left:\n1) docs for the flag", ("docs for the flag",)),
        ("Next steps: none.", ()),
        ("Remaining:\n- Nothing, all done", ()),
        ("Done. Next steps:\n- raise the retries\n- document them", ("raise the retries", "document them")),
        ("I changed it. Next steps: test the backoff; write the docs.", ("test the backoff", "write the docs")),
        ("The loop is bounded now. Next: test the backoff.", ("test the backoff.",)),
        ("**All done.** **Next steps:** fuzz the parser", ("fuzz the parser",)),
        ("It works.\n\nNext: (1) fuzz the parser, and (2) time it", ("fuzz the parser", "time it")),
        ("Bounded (see the log). Remaining: 2 tests", ("2 tests",)),
        ("Fertig. Nächste Schritte:\n- Doku schreiben\n- Schalter entfernen", ("Doku schreiben", "Schalter entfernen")),
        ("Fait. Prochaines étapes :\n- écrire la doc", ("écrire la doc",)),
        ("Listo. Próximos pasos: escribir la guía", ("escribir la guía",)),
        ("Fertig. Noch offen: nichts", ()),
        ("All good. What's left is to wire the metrics.", ("wire the metrics.",)),
        ("What remains is to port the CLI", ("port the CLI",)),
        ("I looked at what is left of the cache.", ()),
        ("It is done. Next steps: none.", ()),
        ('The wizard says "Next: pay" and what comes next: nothing.', ()),
        ("I rename it next, and it is done. Next to it stands the old one: keep it.", ()),
        ("All tests pass.", ()),
        ("The next steps of the wizard are drawn in `wizard.py`.", ()),
        ("```\nNext steps:\n- inside code\n```", ()),
        ("Would you like me to go on?\n- yes\n- no", ()),
    ],
)
def test_next_steps_are_read_where_they_are_said(text: str, steps: tuple[str, ...]) -> None:
    assert next_steps(text) == steps


def test_only_the_last_list_of_a_session_counts() -> None:
    book = Book()
    book.say(1, "Next steps:\n- port the CLI to the new parser\n- write the docs")
    book.say(2, "Next steps:\n- write the docs for it")
    assert book.open() == ["write the docs for it"]
    assert REPLACED in {thread.closed_by for thread in book.threads.values()}


def test_a_message_without_a_list_takes_nothing_back() -> None:
    book = Book()
    book.say(1, "Next steps:\n- port the CLI")
    book.say(2, "Done with the tests.")
    book.say(1, "Next steps:\n- port the CLI")
    assert book.open() == ["port the CLI"]


def test_what_sounds_done_is_noted_and_stays_open() -> None:
    book = Book()
    book.say(1, "Next steps:\n- Port the CLI to the new parser")
    book.commit(2, "Port the CLI to the new parser")
    (thread,) = book.threads.values()
    assert thread.is_open
    assert thread.kind is ThreadKind.NEXT
    assert thread.note.startswith("perhaps done: a commit says")
