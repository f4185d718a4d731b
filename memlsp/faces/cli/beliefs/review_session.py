"""The review queue in a terminal: one item at a time, one key for each answer. Each decision is stored at once, so that
it stays however the session ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import click
from attrs import frozen

from memlsp.faces.cli.beliefs.review_page import heading, page
from memlsp.faces.cli.keyboard import Keyboard
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.belief import Author
from memlsp.model.caller import Caller
from memlsp.model.errors import MemlspError
from memlsp.model.review import ReviewItem, ReviewKind


@frozen
class AnswerKey:
    """An answer: its key, the word in whose brackets it is shown, the choice, its explanation, and the input that it
    asks for first."""

    key: str
    word: str
    choice: str
    about: str
    asks: str = ""


_KEYS: Mapping[ReviewKind, tuple[AnswerKey, ...]] = {
    ReviewKind.PROPOSAL: (
        AnswerKey("s", "same", "same", "the same: one statement, with both sources"),
        AnswerKey("w", "words", "same", "the same, in these words", "statement"),
        AnswerKey("a", "admit", "admit", "hold it true; you stand behind it"),
        AnswerKey("e", "edit", "admit", "hold it true in other words", "statement"),
        AnswerKey("r", "reject", "reject", "do not want it; it is never proposed again"),
    ),
    ReviewKind.STALE: (
        AnswerKey("c", "confirm", "confirm", "still true, for the code as it is now"),
        AnswerKey("s", "supersede", "supersede", "something else is true now", "statement"),
        AnswerKey("r", "retire", "retire", "no longer true"),
        AnswerKey("t", "tie", "reanchor", "it belongs to another place", "place"),
        AnswerKey("w", "where", "scope", "it applies only under a condition", "condition"),
    ),
    ReviewKind.CONFLICT: (
        AnswerKey("1", "1st", "first", "the first takes the place of the second"),
        AnswerKey("2", "2nd", "second", "the second takes the place of the first"),
        AnswerKey("b", "both", "both", "both stand, and nobody is asked again while neither is reworded"),
        AnswerKey("w", "where", "apart", "each applies under a condition of its own", "conditions"),
    ),
}
_MOVES = (
    ("n", "next", "leave it for later"),
    ("p", "previous", "back to the one before"),
    ("d", "diff", "the whole difference"),
    ("u", "undo", "take back the last decision of this sitting"),
    ("?", "?", "what the keys do"),
    ("q", "quit", "stop; what was decided stays, and the rest waits"),
)
_NEXT = frozenset({"n", " ", "\r", "\n", "j", "\x1b[C", "\x1b[B"})
_PREVIOUS = frozenset({"p", "k", "\x1b[D", "\x1b[A"})
_QUIT = frozenset({"q", "\x1b", "\x04"})


class ReviewSession:
    """One person's way through the queue."""

    def __init__(
        self,
        memory: Memory,
        items: Sequence[ReviewItem],
        *,
        author: Author | None = None,
        session: str = "",
        keyboard: Keyboard | None = None,
    ) -> None:
        self._memory = memory
        self._ids = [item.id for item in items]
        self._author = author
        self._session = session
        self._keyboard = keyboard or Keyboard()
        self._decided: dict[str, str] = {}  # in order: the last one is undone first
        self._gone: set[str] = set()
        self._at = 0
        self._whole = False

    @property
    def decided(self) -> int:
        """The number of decisions in this session."""
        return len(self._decided)

    @property
    def left(self) -> int:
        """The number of items that still wait."""
        return len(self._ids) - len(self._decided) - len(self._gone)

    @property
    def summary(self) -> str:
        """The line that ends the session."""
        if not self.left:
            return f"{self.decided} decided; nothing waits any more"
        return f"{self.decided} decided, {count_of(self.left, 'decision')} left; memlsp review goes on from there"

    def run(self) -> None:
        """Ask until all is decided or the person quits. Raises KeyboardInterrupt for Ctrl-C; decisions until then
        stay."""
        with self._keyboard.held():
            while self.left:
                item = self._waiting(self._ids[self._at])
                if item is None:
                    self._move(1)
                    continue
                self._show(item)
                if not self._answered(item):
                    return

    def _waiting(self, id: str) -> ReviewItem | None:
        """The item as it is now; None when it is decided, also through a decision about another item."""
        if id in self._decided or id in self._gone:
            return None
        item = self._memory.review.still(id)
        if item is None:
            self._gone.add(id)
            click.echo(click.style(f"{id} has been settled meanwhile", dim=True))
        return item

    def _show(self, item: ReviewItem) -> None:
        click.echo()
        click.echo(click.style(f"── {heading(item, self._at + 1, len(self._ids))} {'─' * 40}", fg="cyan"))
        for line in page(item, self._memory.review.changes(item), datetime.now(UTC), whole=self._whole):
            click.echo(line)
        self._whole = False
        click.echo()

    def _answered(self, item: ReviewItem) -> bool:
        """Handle keys until the person moves on; False to end the session."""
        keys = {each.key: each for each in _KEYS[item.kind] if each.choice in item.choices}
        while True:
            click.echo(_menu(list(keys.values())), nl=False)
            pressed = self._keyboard.key()
            click.echo(_echoed(pressed))
            if pressed in _QUIT:
                return False
            if pressed in _NEXT:
                self._move(1)
                return True
            if pressed in _PREVIOUS:
                self._move(-1)
                return True
            if pressed == "d":
                self._whole = True
                return True
            if pressed == "u":
                if self._undone():
                    return True
            elif pressed in keys:
                if self._decide(item, keys[pressed]):
                    return True
            else:
                _explain(list(keys.values()))

    def _move(self, by: int) -> None:
        for _ in self._ids:
            self._at = (self._at + by) % len(self._ids)
            if self._ids[self._at] not in self._decided and self._ids[self._at] not in self._gone:
                return

    def _decide(self, item: ReviewItem, key: AnswerKey) -> bool:
        text: str | None = None
        conditions: dict[str, list[tuple[str, str]]] = {}
        try:
            if key.asks == "statement":
                text = self._keyboard.line("statement: ", item.judgements[0].belief.text)
            elif key.asks == "place":
                text = self._keyboard.line("place (PATH, PATH:LINE or PATH#Qualified.name): ", _candidate(item))
            elif key.asks:
                for judgement in item.judgements:
                    conditions[judgement.belief.id] = self._conditions(judgement.belief.id)
            if (key.asks in {"statement", "place"} and not (text or "").strip()) or (
                key.asks.startswith("condition") and not any(conditions.values())
            ):
                click.echo("nothing was given, so nothing is decided")
                return False
            given = {id: pairs for id, pairs in conditions.items() if pairs}
            decision = self._memory.review.settle(
                item.id,
                key.choice,
                text,
                conditions=given.get(item.id) if key.choice == "scope" else given or None,
                by=Caller(author=self._author, source="review", session=self._session),
            )
        except MemlspError as error:
            hint = f" ({plain(error.hint)})" if error.hint else ""
            click.echo(click.style(f"not done: {plain(str(error))}{hint}", fg="red"))
            return False
        self._decided[item.id] = key.choice
        shown = decision.judgement.belief.id if decision.judgement is not None else item.id
        click.echo(click.style(f"{_done(key.choice)}: {shown}", fg="green"))
        self._move(1)
        return True

    def _conditions(self, id: str) -> list[tuple[str, str]]:
        line = self._keyboard.line(f"{id} applies when (KEY=VALUE, several with commas, empty for always): ", "")
        pairs: list[tuple[str, str]] = []
        for part in line.split(","):
            key, sign, value = part.partition("=")
            if part.strip() and not sign:
                click.echo(f"not a condition: {plain(part)}; write KEY=VALUE, such as env=staging")
                return []
            if part.strip():
                pairs.append((key, value))
        return pairs

    def _undone(self) -> bool:
        if not self._decided:
            click.echo("nothing was decided in this sitting; memlsp review --undo takes back the last one before")
            return False
        try:
            decision = self._memory.review.undo(author=self._author, source="review", session=self._session)
        except MemlspError as error:
            click.echo(click.style(f"not undone: {plain(str(error))}", fg="red"))
            return False
        self._decided.pop(decision.item, None)
        self._gone.clear()  # items that the decision settled too may wait again
        click.echo(click.style(f"undone: {decision.choice} of {decision.item}", fg="green"))
        if decision.item in self._ids:
            self._at = self._ids.index(decision.item)
        return True


def _menu(keys: Sequence[AnswerKey]) -> str:
    answers = "  ".join(_bracketed(each.key, each.word) for each in keys)
    moves = "  ".join(_bracketed(key, word) for key, word, _ in _MOVES)
    return f"{answers}   {click.style(moves, dim=True)} > "


def _bracketed(key: str, word: str) -> str:
    return f"[{key}]{word.removeprefix(key)}"


def _explain(keys: Sequence[AnswerKey]) -> None:
    for key, about in [*((each.key, each.about) for each in keys), *((key, about) for key, _, about in _MOVES)]:
        click.echo(f"  {key}  {about}")


def _echoed(pressed: str) -> str:
    return pressed if len(pressed) == 1 and pressed.isprintable() else ""


def _done(choice: str) -> str:
    return {
        "admit": "admitted",
        "same": "one statement",
        "reject": "rejected",
        "confirm": "confirmed",
        "supersede": "replaced by",
        "retire": "retired",
        "reanchor": "tied to its new place",
        "scope": "applies so from now on",
        "first": "stays",
        "second": "stays",
        "both": "both stand",
        "apart": "told apart",
    }.get(choice, choice)


def _candidate(item: ReviewItem) -> str:
    found = {
        f"{each.path}#{each.symbol}" if each.symbol else f"{each.path}:{each.line}"
        for judgement in item.judgements
        for tie in judgement.ties
        for each in tie.candidates
    }
    return found.pop() if len(found) == 1 else ""
