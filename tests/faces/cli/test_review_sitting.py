"""Going through the queue key by key, with a keyboard that was typed beforehand."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import pytest
from project import Project

from memlsp import Memory
from memlsp.faces.cli.beliefs.review_session import ReviewSession
from memlsp.faces.cli.keyboard import Keyboard
from memlsp.model.belief import Author, AuthorKind, BeliefStatus
from memlsp.model.caller import Caller
from memlsp.model.place import Place

ANN = Author("Ann")
BOT = Author("claude", AuthorKind.AGENT)
FETCH = Place.parse("client.py#fetch")


class Typed(Keyboard):
    """Keys, and lines with a greater-than sign before them, in the order in which they are asked for."""

    def __init__(self, pressed: Sequence[str]) -> None:
        super().__init__()
        self.pressed = list(pressed)
        self.offered: list[str] = []

    @contextmanager
    def held(self) -> Generator[None]:
        yield

    def key(self) -> str:
        """The next key; Ctrl-C when there is none left, so that no test waits for ever."""
        if not self.pressed:
            raise KeyboardInterrupt
        return self.pressed.pop(0)

    def line(self, prompt: str, start: str = "") -> str:
        """The next line."""
        self.offered.append(start)
        typed = self.key()
        assert typed.startswith(">"), f"{prompt!r} wants a line, and {typed!r} was typed"
        return typed[1:]


def sit(memory: Memory, *pressed: str, author: Author = ANN) -> tuple[ReviewSession, Typed]:
    keyboard = Typed(pressed)
    sitting = ReviewSession(memory, memory.review.queue(), author=author, keyboard=keyboard)
    sitting.run()
    assert keyboard.pressed == []
    return sitting, keyboard


def doubtful(memory: Memory, project: Project, author: Author = ANN) -> tuple[str, str]:
    """Two beliefs that the code contradicts, in the order in which they are asked about."""
    one = memory.remember("Retries three times by default.", at=[FETCH], by=Caller(author=author)).belief.id
    two = memory.remember("Times out after 30 seconds.", at=[FETCH], by=Caller(author=author)).belief.id
    project.replace("client.py", "retries=3, timeout=30", "retries=5, timeout=60")
    memory.files_changed(None)
    first, second = (item.id for item in memory.review.queue())
    assert {first, second} == {one, two}
    return first, second


def test_one_goes_forth_and_back_and_round_the_end(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    doubtful(memory, project)
    sit(memory, "n", "n", "p", "\x1b[C", "k", "q")
    headings = [line.split(" ·")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("──")]
    assert headings == [f"── {number} of 2" for number in (1, 2, 1, 2, 1, 2)]


def test_a_key_that_means_nothing_says_what_the_keys_do(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    doubtful(memory, project)
    sit(memory, "x", "a", "\x1b")
    assert capsys.readouterr().out.count("still true, for the code as it is now") == 2


def test_a_long_difference_is_cut_until_all_of_it_is_asked_for(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "\n".join(f"    step_{number}()" for number in range(60))
    project.write("long.py", f"def run():\n{body}\n")
    memory.files_changed(None)
    memory.remember("Runs `step_1` first.", at=[Place.parse("long.py#run")], by=Caller(author=ANN))
    project.write("long.py", "def run():\n" + body.replace("step", "phase") + "\n")
    memory.files_changed(None)
    sit(memory, "d", "q")
    before, _, after = capsys.readouterr().out.partition("── 1 of 1 · stale")[2].partition("── 1 of 1 · stale")
    assert "more lines, d shows them" in before
    assert "+    phase_59()" not in before
    assert "+    phase_59()" in after


def test_a_belief_is_tied_to_another_place_and_applies_only_where_it_is_said(memory: Memory, project: Project) -> None:
    first, second = doubtful(memory, project)
    sitting, _ = sit(memory, "t", ">pricing/tax.py#compute_tax", "w", ">env=staging, os=linux")
    assert sitting.decided == 2
    assert memory.belief(first).belief.anchors[0].path == "pricing/tax.py"
    assert memory.belief(second).belief.conditions == (("env", "staging"), ("os", "linux"))


def test_a_statement_is_edited_from_what_it_was(memory: Memory, project: Project) -> None:
    first, _ = doubtful(memory, project)
    text = memory.belief(first).belief.text
    _, keyboard = sit(memory, "s", ">", "s", f">{text} Now five.", "q")
    assert keyboard.offered == [text, text]
    successor = memory.belief(first).belief.superseded_by
    assert memory.belief(successor or "").belief.text == f"{text} Now five."


@pytest.mark.parametrize(("key", "line"), [("t", ">nothing.py"), ("t", ">"), ("w", ">staging"), ("w", ">a b=c")])
def test_what_cannot_be_done_is_told_and_asked_again(
    memory: Memory, project: Project, key: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = doubtful(memory, project)
    sitting, _ = sit(memory, key, line, "q")
    assert sitting.decided == 0
    assert len(memory.revisions(first)) == 1
    assert "Traceback" not in capsys.readouterr().out


def test_all_decisions_of_a_sitting_are_undone_one_by_one(memory: Memory, project: Project) -> None:
    first, second = doubtful(memory, project)
    sitting, _ = sit(memory, "r", "n", "u", "n", "r", "u", "q")
    assert sitting.decided == 0
    assert sitting.summary == "0 decided, 2 decisions left; memlsp review goes on from there"
    assert {memory.belief(id).belief.status for id in (first, second)} == {BeliefStatus.ACTIVE}


def test_what_a_decision_settled_along_with_it_is_passed_over_and_comes_back_with_undo(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two that contradict each other one is stale: when the other takes its place, nothing is left to ask."""
    stale = memory.remember("`fetch` retries 3 times by default.", at=[FETCH], by=Caller(author=ANN)).belief.id
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(None)
    memory.remember("`fetch` retries 5 times by default.", at=[FETCH], by=Caller(author=ANN))
    items = memory.review.queue()
    assert [item.conflict is None for item in items].count(True) == 1
    conflict = next(item for item in items if item.conflict is not None)
    before = ["n"] * items.index(conflict)
    key = "2" if conflict.judgements[0].belief.id == stale else "1"
    sitting, _ = sit(memory, *before, key)
    assert (sitting.decided, sitting.left) == (1, 0)
    assert f"{stale} has been settled meanwhile" in capsys.readouterr().out
    memory.review.undo(author=ANN)
    assert [item.id for item in memory.review.queue()] == [item.id for item in items]


def test_what_another_process_settled_meanwhile_is_said_and_passed_over(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = doubtful(memory, project)

    class Slow(Typed):
        def key(self) -> str:
            if len(self.pressed) == 2:
                with Memory.open(project.root) as other:
                    other.revise(second, "retire", by=Caller(author=ANN))
            return super().key()

    sitting = ReviewSession(memory, memory.review.queue(), author=ANN, keyboard=Slow(["n", "r"]))
    sitting.run()
    assert f"{second} has been settled meanwhile" in capsys.readouterr().out
    assert (sitting.decided, sitting.left) == (1, 0)
    assert memory.belief(first).belief.status is BeliefStatus.RETIRED


def test_an_agent_is_told_why_and_decides_nothing(
    memory: Memory, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    doubtful(memory, project)
    sitting, _ = sit(memory, "c", "r", "q", author=BOT)
    assert sitting.decided == 0
    assert capsys.readouterr().out.count("a person, stands behind") == 2
