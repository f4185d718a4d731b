"""What the processes of test_five_writers.py do: `five_writers_process.py ROLE ROOT DATA NAME SECONDS`.

Every line on stdout is one thing that was acknowledged, as `what id word`.
"""

from __future__ import annotations

import random
import string
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep, time_ns

from memlsp import Memory
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, AuthorKind, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.errors import NoSuchBelief, NotFound, Refused
from memlsp.model.place import Place

AGENT = Author("Claude Code", AuthorKind.AGENT)
LEAST = 3
TEXT = "The {word} limiter of {name} waits {number} seconds for its upstream, because that is slow"


def main(role: str, root: Path, data: Path, name: str, seconds: float) -> None:
    """Wait for a line on standard input, so that all start at once, then go on until the time is over."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    chance = random.Random(name)
    with Memory.open(root, data_dir=data) as memory:
        say("ready", "-", "-")
        sys.stdin.readline()
        until = monotonic() + seconds
        step = 0
        while monotonic() < until or step < LEAST:  # a busy machine may take seconds for a step
            if role != "forgetter":
                write(memory, name, step + 1, chance)
            elif not forget(memory, chance):
                sleep(0.01)  # nobody has written yet, or somebody was quicker: that is no step
                continue
            step += 1
    say("done", str(step), "-")


def write(memory: Memory, name: str, step: int, chance: random.Random) -> None:
    """Say something new with an event before it, revise what somebody said, ask, and settle now and then."""
    word = "zq" + "".join(chance.choices(string.ascii_lowercase, k=10))
    text = TEXT.format(word=word, name=name, number=step)
    now = time_ns() // 1_000_000
    record: dict[str, object] = {"key": f"{name}{step}", "at": now, "kind": "prompt", "source": "claude-code"}
    memory.events.take([{**record, "session": name, "text": f"Please remember this: {text}"}])
    place = Place("client.py", symbol="fetch")
    belief = memory.remember(
        text, at=[place], by=Caller(folder=memory.workspace.root, author=AGENT, session=name)
    ).belief
    say("said", belief.id, word)
    some = [judgement.belief for judgement in memory.about("client.py")]
    if some:
        other = chance.choice(some)
        attempt(
            lambda: memory.revise(
                other.id, RevisionAction.CONFIRM, by=Caller(author=AGENT, note=f"again: {other.text}")
            )
        )
        if chance.random() < 0.2:
            word = "zq" + "".join(chance.choices(string.ascii_lowercase, k=10))
            better = TEXT.format(word=word, name=name, number=-step)
            after = attempt(
                lambda: memory.revise(other.id, "supersede", text=better, by=Caller(author=AGENT)).belief.id
            )
            if after:
                say("said", after, word)
    gone = memory.forgetting.ids()
    for hit in memory.recall(f"how long does the limiter of {name} wait", asker=name).hits:
        if hit.judgement.belief.id in gone:
            say("served", hit.judgement.belief.id, "-")
    if step % 5 == 0:
        memory.events.settle(1.0)


def forget(memory: Memory, chance: random.Random) -> bool:
    """Forget something that is there. False where nothing is, or somebody was quicker."""
    some = [judgement.belief for judgement in memory.about("client.py")]
    if not some:
        return False
    belief = chance.choice(some)
    try:
        receipt = memory.forgetting.forget(Selector(SelectorKind.BELIEF, belief.id))
    except (NoSuchBelief, NotFound):
        return False
    say("left" if receipt.left else "forgotten", belief.id, belief.text.split()[1])
    return True


def attempt(action: Callable[[], object]) -> str:
    """Do it, unless somebody was quicker."""
    try:
        return str(action())
    except (NoSuchBelief, Refused):
        return ""


def say(what: str, id: str, word: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{what} {id} {word}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], float(sys.argv[5]))
