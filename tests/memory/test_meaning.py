"""Vectors follow what is remembered: made in the background, gone with what they were made of, never asked too late."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from project import Project

from memlsp.memory import Memory
from memlsp.memory.recall import vectors as module
from memlsp.memory.recall.vectors import encoder_of
from memlsp.model.belief import Author, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue
from memlsp.recall.static_encoder import StaticEncoder

if TYPE_CHECKING:
    from memlsp.memory.recall.vectors import Floats


class Colours(StaticEncoder):
    """An encoder that knows four words, and that some of them mean the same."""

    name = "colours-1"
    dimensions = 64
    _MEANS = {"red": 0, "crimson": 0, "blue": 1, "azure": 1}  # noqa: RUF012

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        self.read += texts
        made = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for at, text in enumerate(texts):
            for word, place in self._MEANS.items():
                made[at, place] += word in text.lower()
            made[at] -= 0.001 * bool(made[at].any())
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return (made / np.maximum(lengths, 1e-9)).astype(np.float32)


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> Colours:
    encoder = Colours()

    def chosen(choice: str) -> StaticEncoder | None:
        return None if choice == "none" else encoder

    monkeypatch.setattr(module, "encoder_of", chosen)
    return encoder


def near(memory: Memory, query: str) -> list[str]:
    return [id for _, id, likeness in memory.vectors.near(query, 5) if likeness > 0.5]


def test_what_was_said_in_other_words_is_near(memory: Memory, colours: Colours) -> None:
    red = memory.remember("The banner is crimson.", by=Caller(author=Author("Ann"))).belief
    memory.remember("The border is azure.", by=Caller(author=Author("Ann")))
    assert near(memory, "is anything red") == []  # nothing is made while somebody waits
    assert memory.vectors.refresh() == 2
    assert near(memory, "is anything red") == [red.id]
    assert memory.vectors.refresh() == 0


def test_no_encoder_is_read_for_a_question_while_nothing_has_a_vector(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen(choice: str) -> StaticEncoder | None:
        raise AssertionError(choice)

    monkeypatch.setattr(module, "encoder_of", chosen)
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    assert len(memory.recall("is the banner crimson").hits) == 1


def test_a_question_is_encoded_once_for_beliefs_and_work(memory: Memory, colours: Colours) -> None:
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    memory.vectors.refresh()
    colours.read.clear()
    memory.recall("is anything red")
    assert colours.read == ["is anything red"]


def test_what_is_retired_or_reworded_is_not_found_by_what_it_said(memory: Memory, colours: Colours) -> None:
    red = memory.remember("The banner is crimson.", by=Caller(author=Author("Ann"))).belief
    blue = memory.remember("The border is azure.", by=Caller(author=Author("Ann"))).belief
    memory.vectors.refresh()
    assert near(memory, "red") == [red.id]
    memory.revise(red.id, RevisionAction.RETIRE, by=Caller(author=Author("Ann")))
    assert near(memory, "red") == []
    assert near(memory, "blue") == [blue.id]


def test_vectors_that_are_cleared_are_made_again(memory: Memory, colours: Colours) -> None:
    red = memory.remember("The banner is crimson.", by=Caller(author=Author("Ann"))).belief
    memory.vectors.refresh()
    assert memory.vectors.clear() == 1
    assert near(memory, "red") == []
    assert memory.vectors.waiting() == 1
    assert memory.vectors.refresh() == 1
    assert near(memory, "red") == [red.id]


def test_a_slow_encoder_does_not_read_the_same_text_twice(
    memory: Memory, colours: Colours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(module.ENCODER_VARIABLE, "some-model")
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    memory.vectors.refresh()
    memory.revise(
        memory.remember("Other.", by=Caller(author=Author("Ann"))).belief.id,
        RevisionAction.RETIRE,
        by=Caller(author=Author("Ann")),
    )
    again = memory.remember("The banner is crimson.", by=Caller(author=Author("Ben"))).belief
    memory.vectors.refresh()
    assert again.id in near(memory, "red")
    assert colours.read.count(colours.read[0]) == 1


def test_forgetting_by_id_takes_the_vector_at_once(memory: Memory, colours: Colours) -> None:
    red = memory.remember("The banner is crimson.", by=Caller(author=Author("Ann"))).belief
    memory.vectors.refresh()
    assert memory.vectors.forget([red.id]) == 1
    assert near(memory, "red") == []


def test_no_encoder_means_no_vectors_and_no_answer(
    memory: Memory, colours: Colours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(module.ENCODER_VARIABLE, "none")
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    assert memory.vectors.refresh() == 0
    assert near(memory, "red") == []
    assert memory.vectors.trouble == ""


def test_a_model_that_is_not_there_is_told_and_nothing_fails(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(module.ENCODER_VARIABLE, "/nowhere/at/all")
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    assert memory.vectors.refresh() == 0
    assert near(memory, "red") == []
    assert "/nowhere/at/all" in memory.vectors.trouble


def test_a_workspace_cannot_choose_the_encoder(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[recall]\nencoder = "none"\n', encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(config))
    (project.root / ".memlsp").mkdir()
    (project.root / ".memlsp" / "config.toml").write_text('[recall]\nencoder = "theirs"\n', encoding="utf-8")
    with Memory.open(project.root) as memory:
        assert memory.vectors.choice == "none"


def test_names_of_no_model_are_refused_in_one_sentence() -> None:
    with pytest.raises(BadValue, match=r"there is no encoder"):
        encoder_of("no-such-model-anywhere")


def test_an_encoder_that_fails_leaves_the_answer_to_words(
    memory: Memory, colours: Colours, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("The banner is crimson.", by=Caller(author=Author("Ann")))
    memory.vectors.refresh()

    def fail(texts: Sequence[str]) -> Floats:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(colours, "encode", fail)
    assert memory.vectors.near("red", 5) == []
    assert len(memory.recall("is the banner crimson").hits) == 1
