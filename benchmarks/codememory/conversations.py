"""LoCoMo and BEAM as notes and tasks: long conversations, and questions whose evidence is known by its turns.

Both are read from git's objects of a clone, bare or not, and nothing of them is kept. A note is one turn; all turns of
a conversation are learnt before its questions are asked, as both benchmarks have it. What a question is answered with
is no concern of ours: the gold is the evidence. Questions without any (those that cannot be answered) are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pygit2
from attrs import frozen

from benchmarks.codememory.records import Note, Task

LOCOMO, BEAM = "snap-research/LoCoMo", "mohammadtavakoli78/BEAM"
_LOCOMO_KINDS = {1: "several turns", 2: "time", 3: "open domain", 4: "one turn", 5: "adversarial"}
_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)  # turns have their order from us: their dates are words of the data
_TURN = re.compile(r"D\d+:\d+")


@frozen
class Conversation:
    """One conversation. `kinds` says of each question, by the task's id, what kind its makers call it."""

    name: str
    records: tuple[Note | Task, ...]
    gold: Mapping[str, frozenset[str]]
    kinds: Mapping[str, str]


def locomo(folder: Path) -> Iterator[Conversation]:
    """The ten conversations of LoCoMo in a clone. Raises KeyError where it holds none."""
    content = cast("list[dict[str, Any]]", json.loads(_blob(folder, "data/locomo10.json")))
    for sample in content:
        said = cast("dict[str, Any]", sample["conversation"])
        sessions = sorted((int(name[8:]), name) for name in said if re.fullmatch(r"session_\d+", name))
        turns = [(str(turn["dia_id"]), _locomo_turn(turn)) for _, name in sessions for turn in said[name]]
        questions = [
            (str(entry["question"]), frozenset(_TURN.findall(" ".join(entry.get("evidence", ())))),
             _LOCOMO_KINDS.get(entry["category"], "other"))
            for entry in sample["qa"]
        ]  # fmt: skip
        yield _conversation(str(sample["sample_id"]), turns, questions)


def _locomo_turn(turn: Mapping[str, str]) -> str:
    picture = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [shares a picture: {picture}]" if picture else "")


def beam(folder: Path, size: str = "100K") -> Iterator[Conversation]:
    """The conversations of one size of BEAM in a clone. Raises KeyError where it holds none."""
    tree = pygit2.Repository(str(folder)).revparse_single(f"HEAD:chats/{size}").peel(pygit2.Tree)
    for entry in sorted((each.name or "" for each in tree if (each.name or "").isdigit()), key=int):
        batches = json.loads(_blob(folder, f"chats/{size}/{entry}/chat.json"))
        asked = json.loads(_blob(folder, f"chats/{size}/{entry}/probing_questions/probing_questions.json"))
        messages = [each for batch in batches for turn in batch["turns"] for each in turn]
        turns = [(str(each["id"]), f"{each['role']}: {each['content']}") for each in messages]
        questions = [
            (str(each["question"]), frozenset(_numbers(each.get("source_chat_ids"))), kind.replace("_", " "))
            for kind, entries in asked.items()
            for each in entries
        ]
        yield _conversation(entry, turns, questions)


def _numbers(entry: object) -> Iterator[str]:
    """Every number in lists and objects, however deep: the sources are written in several ways."""
    if isinstance(entry, Mapping):
        for each in cast("Mapping[str, object]", entry).values():
            yield from _numbers(each)
    elif isinstance(entry, Sequence) and not isinstance(entry, str):
        for each in cast("Sequence[object]", entry):
            yield from _numbers(each)
    elif isinstance(entry, int):
        yield str(entry)


def _conversation(
    name: str, turns: Sequence[tuple[str, str]], questions: Sequence[tuple[str, frozenset[str], str]]
) -> Conversation:
    notes = [
        Note(id, _BEGUN + timedelta(minutes=number), text.partition(":")[0], text[:80], text)
        for number, (id, text) in enumerate(turns)
    ]
    known = {note.id for note in notes}
    tasks, gold, kinds = list[Task](), dict[str, frozenset[str]](), dict[str, str]()
    for number, (text, evidence, kind) in enumerate(questions):
        if evidence and evidence <= known:
            tasks.append(Task(f"{name}/{number}", text))
            gold[tasks[-1].id], kinds[tasks[-1].id] = evidence, kind
    return Conversation(name, (*notes, *tasks), gold, kinds)


def _blob(folder: Path, path: str) -> bytes:
    return pygit2.Repository(str(folder)).revparse_single(f"HEAD:{path}").peel(pygit2.Blob).data
