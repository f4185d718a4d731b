"""The review queue in a terminal: one item at a time, one key for each answer. Each decision is stored at once, so that
it stays however the session ends."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from attrs import frozen

from memlsp.faces.arguments import condition_of
from memlsp.faces.caller import keep_locks
from memlsp.faces.cli.beliefs.review_page import heading, page
from memlsp.faces.cli.keyboard import Keyboard, ordinary_terminal
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.belief import Author
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.review import ReviewItem, ReviewKind


@frozen
class ReviewKey:
    """A key: the word in whose brackets it is shown, and its explanation. That of an answer has a choice, the words for
    it once it is `done`, and the input that it asks for first."""

    key: str
    word: str
    about: str
    choice: str = ""
    done: str = ""
    asks: str = ""


_TEXTS = tomllib.loads(Path(__file__).with_name("review_keys.toml").read_text("utf-8"))
_ANSWERS = {kind: [ReviewKey(**each) for each in _TEXTS["answers"][kind]] for kind in ReviewKind}
_MOVES = [ReviewKey(**each) for each in _TEXTS["moves"]]
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
        keys = {each.key: each for each in _ANSWERS[item.kind] if each.choice in item.choices}
        while True:
            click.echo(_menu(keys.values()), nl=False)
            pressed = self._keyboard.key()
            click.echo(pressed if len(pressed) == 1 and pressed.isprintable() else "")
            if pressed in _QUIT:
                return False
            if pressed in _NEXT | _PREVIOUS:
                self._move(1 if pressed in _NEXT else -1)
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
                for each in (*keys.values(), *_MOVES):
                    click.echo(f"  {each.key}  {each.about}")

    def _move(self, by: int) -> None:
        for _ in self._ids:
            self._at = (self._at + by) % len(self._ids)
            if self._ids[self._at] not in self._decided and self._ids[self._at] not in self._gone:
                return

    def _decide(self, item: ReviewItem, key: ReviewKey) -> bool:
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
            source, sides = "review", [each.belief for each in item.judgements]
            if any(side.locked for side in sides):
                with ordinary_terminal():
                    source = keep_locks(self._author, sides, source=source)
            decision = self._memory.review.settle(
                item.id,
                key.choice,
                text,
                conditions=given.get(item.id) if key.choice == "scope" else given or None,
                by=Caller(author=self._author, source=source, session=self._session),
            )
        except MemlspError as error:
            hint = f" ({plain(error.hint)})" if error.hint else ""
            click.echo(click.style(f"not done: {plain(str(error))}{hint}", fg="red"))
            return False
        self._decided[item.id] = key.choice
        shown = decision.judgement.belief.id if decision.judgement is not None else item.id
        click.echo(click.style(f"{key.done}: {shown}", fg="green"))
        self._move(1)
        return True

    def _conditions(self, id: str) -> list[tuple[str, str]]:
        line = self._keyboard.line(f"{id} applies when (KEY=VALUE, several with commas, empty for always): ", "")
        try:
            return [condition_of(part) for part in line.split(",") if part.strip()]
        except BadValue as error:
            click.echo(f"{plain(str(error))}; {error.hint}")
            return []

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


def _menu(keys: Iterable[ReviewKey]) -> str:
    answers, moves = (
        "  ".join(f"[{each.key}]{each.word.removeprefix(each.key)}" for each in of) for of in (keys, _MOVES)
    )
    return f"{answers}   {click.style(moves, dim=True)} > "


def _candidate(item: ReviewItem) -> str:
    found = {
        f"{each.path}#{each.symbol}" if each.symbol else f"{each.path}:{each.line}"
        for judgement in item.judgements
        for tie in judgement.ties
        for each in tie.candidates
    }
    return found.pop() if len(found) == 1 else ""
