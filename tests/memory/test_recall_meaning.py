"""`recall` finds what was said in other words, says so, and answers nothing to what nothing is near to."""

from __future__ import annotations

import pytest
from project import Project

from memlsp.memory import Memory
from memlsp.memory.recall.vectors import ENCODER_VARIABLE
from memlsp.model.belief import Author
from memlsp.model.caller import Caller

ANN = Author("Ann")


def learn(memory: Memory) -> None:
    for text in (
        "Database migrations must be reversible.",
        "The cache entries expire after five minutes.",
        "Passwords are hashed with argon2.",
    ):
        memory.remember(text, by=Caller(author=ANN))
    memory.vectors.refresh(10)


def test_an_answer_without_a_word_of_the_question_is_found_and_says_why(memory: Memory) -> None:
    learn(memory)
    hits = memory.recall("undo a SQL schema upgrade").hits
    assert [hit.judgement.belief.text for hit in hits][:1] == ["Database migrations must be reversible."]
    assert any("near in meaning" in clause for clause in hits[0].why)


def test_what_another_branch_says_of_the_same_leaves_its_place_to_what_speaks_here(project: Project) -> None:
    with Memory.open(project.root) as memory:
        learn(memory)
        project.git("checkout", "--quiet", "-b", "elsewhere")
        for number in range(70):
            memory.remember(f"Undo the SQL schema upgrade of table {number}.", by=Caller(author=ANN))
        project.write("more.py", "x = 1\n")
        project.commit("More")
        project.git("checkout", "--quiet", "main")
        memory.vectors.refresh(60)
        answer = memory.recall("undo a SQL schema upgrade")
        assert [hit.judgement.belief.text for hit in answer.hits][:1] == ["Database migrations must be reversible."]
        assert {each.reason for each in answer.left_out} == {"branch"}


def test_what_nothing_is_near_to_has_no_answer(memory: Memory) -> None:
    learn(memory)
    assert memory.recall("a poem about spring in Paris").hits == ()


def test_words_alone_answer_where_there_is_no_encoder(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENCODER_VARIABLE, "none")
    learn(memory)
    assert memory.recall("undo a SQL schema upgrade").hits == ()
    assert len(memory.recall("when do cache entries expire").hits) == 1
