"""Personal data is taken out of everything that comes to stay, where the user's settings say so."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from forgetting_world import standing_in
from project import Project

from memlsp import Memory
from memlsp.model.belief import RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.place import Place

MAIL = "gwendolyn.plumbago@vexholm.example"
WORD = "plumbago"
RULES = f"# Rules\n\n- Never deploy without asking {MAIL} first.\n- Always run make lint before you commit.\n"


@pytest.fixture
def data() -> Path:
    return Path(os.environ["MEMLSP_DATA_DIR"])


@pytest.fixture
def memory(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    (tmp_path / "mine.toml").write_text('[redaction]\npersonal = ["email"]\n')
    monkeypatch.setenv("MEMLSP_CONFIG", str(tmp_path / "mine.toml"))
    with Memory.open(project.root) as opened:
        opened.events.settle()  # the first look
        yield opened


def test_a_receipt_keeps_of_a_question_what_may_be_kept(memory: Memory, data: Path) -> None:
    token = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    memory.recall(f"who is {MAIL}, and what is {token} for")
    memory.recall("so " * 660 + f"what is {token} for")  # that begins where a receipt ends
    assert "[redacted:email]" in memory.receipts()[1].query
    assert list(standing_in(data, WORD, "4eC39HqLyj".lower(), "sk_live")) == []


def test_what_is_remembered_and_revised_loses_it(memory: Memory, project: Project, data: Path) -> None:
    belief = memory.remember(
        f"Ask {MAIL} first", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    ).belief
    assert belief.text == "Ask [redacted:email] first"
    memory.revise(belief.id, RevisionAction.CONFIRM, by=Caller(note=f"{MAIL} says so"))
    memory.revise(belief.id, RevisionAction.SUPERSEDE, text=f"Never ask {MAIL}")
    assert list(standing_in(data, WORD)) == []


def test_commit_messages_and_kept_file_states_lose_it(memory: Memory, project: Project, data: Path) -> None:
    project.replace("client.py", "retries=3", f'owner="{MAIL}", retries=3')
    now = time.time_ns() // 1_000_000
    memory.events.take(
        [{"key": "k1", "at": now, "kind": "edit", "source": "claude-code", "session": "s", "paths": ["client.py"]}]
    )
    memory.events.settle()
    assert memory.events.list()[0].changes
    project.commit(f"Name {MAIL} as the owner")
    memory.events.settle()
    assert any("[redacted:email]" in event.text for event in memory.events.list())
    memory.onboard()
    assert list(standing_in(data, WORD)) == []


def test_what_is_found_in_the_repository_is_not_proposed_with_it(memory: Memory, project: Project, data: Path) -> None:
    project.write("AGENTS.md", RULES)
    texts = [belief.text for belief in memory.proposals.learn().made]
    assert any("make lint" in text for text in texts)
    assert list(standing_in(data, WORD)) == []
