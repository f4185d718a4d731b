from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.capture.transcripts import TranscriptEntry, claude_code, codex, cursor, gemini
from memlsp.store.core.foreign_database import ForeignUnreadable, foreign_tables

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
TASK = "Replace the retry loop by a bounded backoff"
CORRECTION = "No, use tenacity instead of a hand-written loop in src/fetcher/retry.py."


def all_entries(module: Any, origin: Path) -> list[TranscriptEntry]:
    return [entry for path in module.files(origin) for entry in module.entries(path)]


def prompts(found: Sequence[TranscriptEntry]) -> list[str]:
    return [entry.payload["prompt"] for entry in found if "prompt" in entry.payload]


@pytest.mark.parametrize(("module", "name"), [(claude_code, "claude-code"), (codex, "codex"), (gemini, "gemini")])
def test_a_recorded_session_tells_what_was_asked_and_nothing_that_the_program_said(module: Any, name: str) -> None:
    found = all_entries(module, FIXTURES / name)
    said = prompts(found)
    assert len(said) == 2
    assert said[0] == TASK
    assert said[1].startswith(CORRECTION)
    assert {entry.folder for entry in found} == {"/home/ada/fetcher"}
    assert len({entry.session for entry in found}) == 1


@pytest.mark.parametrize(("module", "name"), [(claude_code, "claude-code"), (codex, "codex"), (gemini, "gemini")])
def test_a_prompt_stands_in_the_line_that_is_told(module: Any, name: str) -> None:
    for path in module.files(FIXTURES / name):
        lines = path.read_text(encoding="utf-8").splitlines()
        for entry in module.entries(path):
            if "prompt" in entry.payload:
                assert entry.payload["prompt"][:30] in lines[entry.line - 1]


@pytest.mark.parametrize(("module", "name"), [(claude_code, "claude-code"), (codex, "codex"), (gemini, "gemini")])
def test_each_call_is_told_once_with_its_result(module: Any, name: str) -> None:
    calls = [entry.payload for entry in all_entries(module, FIXTURES / name) if "tool_name" in entry.payload]
    names = [call["tool_use_id"] for call in calls]
    assert len(names) == len(set(names)) >= 4
    assert any("pytest" in json.dumps(call["tool_input"]) for call in calls)


def test_what_a_subagent_was_told_is_nobodys_decision(tmp_path: Path) -> None:
    kept = tmp_path / "projects" / "x" / "subagents" / "agent-1.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}\n", encoding="utf-8")
    assert claude_code.files(tmp_path) == []
    line = {"type": "user", "isSidechain": True, "cwd": "/x", "sessionId": "s", "message": {"content": "always"}}
    other = tmp_path / "a.jsonl"
    other.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert list(claude_code.entries(other)) == []


def test_lines_that_are_no_objects_are_passed_over(tmp_path: Path) -> None:
    (recorded,) = claude_code.files(FIXTURES / "claude-code")
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'"user"\n{"type": "user"\n\xff\xfe"user"\n[1, "user"]\n' + recorded.read_bytes()[:-40])
    assert prompts(list(claude_code.entries(broken)))[0] == TASK


def test_an_earlier_transcript_of_gemini_is_one_json(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "abc" / "chats"
    chats.mkdir(parents=True)
    message = {"id": "1", "type": "user", "content": TASK, "timestamp": "2025-11-21T18:44:45Z"}
    (chats / "session-1.json").write_text(json.dumps({"sessionId": "s", "messages": [message]}), encoding="utf-8")
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/home/ada/x": "abc"}}), encoding="utf-8")
    (entry,) = all_entries(gemini, tmp_path)
    assert (entry.payload["prompt"], entry.session, entry.folder) == (TASK, "s", "/home/ada/x")


# -- databases --------------------------------------------------------------------------------------------------------


def database(path: Path, *statements: str | tuple[str, Sequence[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    for statement in statements:
        sql, bindings = (statement, ()) if isinstance(statement, str) else statement
        connection.execute(sql, bindings)  # pyright: ignore[reportUnknownMemberType]
    connection.close()
    return path


def cursor_folder(root: Path) -> Path:
    user = root / "User"
    bubble = {"type": 1, "text": CORRECTION}
    table = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)"
    insert = "INSERT INTO cursorDiskKV VALUES (?, ?)"
    items = "CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)"
    database(
        user / "globalStorage" / "state.vscdb",
        table,
        (insert, ("bubbleId:chat-1:b-1", json.dumps(bubble))),
        (insert, ("bubbleId:chat-1:b-2", json.dumps({"type": 2, "text": "always do as I say"}))),
        (insert, ("composerData:chat-1", json.dumps({"createdAt": 1770633000000}))),
        (insert, ("composerData:chat-0", json.dumps({"conversation": [{"type": 1, "bubbleId": "o", "text": "Old"}]}))),
    )
    storage = user / "workspaceStorage" / "0a1b"
    chats = {"allComposers": [{"composerId": "chat-1"}]}
    database(
        storage / "state.vscdb",
        items,
        ("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (json.dumps(chats),)),
        ("INSERT INTO ItemTable VALUES ('aiService.prompts', ?)", (json.dumps([{"text": TASK}]).encode(),)),
    )
    (storage / "workspace.json").write_text(json.dumps({"folder": "file:///home/ada/my%20fetcher"}), encoding="utf-8")
    return user


def test_cursors_prompts_come_with_the_folder_of_their_chat(tmp_path: Path) -> None:
    found = all_entries(cursor, cursor_folder(tmp_path))
    assert prompts(found) == ["Old", CORRECTION]
    assert found[1].folder == "/home/ada/my fetcher"
    assert found[1].payload["timestamp"] == 1770633000000


def test_prompts_of_a_cursor_without_chats_stand_in_the_workspace(tmp_path: Path) -> None:
    storage = cursor_folder(tmp_path) / "workspaceStorage" / "0a1b"
    connection = apsw.Connection(str(storage / "state.vscdb"))
    connection.execute("DELETE FROM ItemTable WHERE key = 'composer.composerData'")  # pyright: ignore[reportUnknownMemberType]
    connection.close()
    found = all_entries(cursor, storage)
    assert prompts(found) == [TASK]
    assert {entry.folder for entry in found} == {"/home/ada/my fetcher"}


def test_reading_a_database_leaves_it_and_its_folder_as_they_were(tmp_path: Path) -> None:
    user = cursor_folder(tmp_path)
    before = {path: path.read_bytes() for path in user.rglob("*") if path.is_file()}
    all_entries(cursor, user)
    assert {path: path.read_bytes() for path in user.rglob("*") if path.is_file()} == before


def test_what_stands_only_in_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    writer = apsw.Connection(str(path))
    for sql in (
        "PRAGMA journal_mode=wal",
        "PRAGMA wal_autocheckpoint=0",
        "CREATE TABLE t (a)",
        "INSERT INTO t VALUES (7)",
    ):
        list(writer.execute(sql))  # pyright: ignore[reportUnknownMemberType]
    with foreign_tables(path) as tables:
        assert list(tables.rows("t", ("a", "missing"))) == [[7, None]]
        assert list(tables.rows("none", ("a",))) == []
    writer.close()


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(ForeignUnreadable):
        list(cursor.entries(path))


# -- where they lie ---------------------------------------------------------------------------------------------------


def test_each_program_is_looked_for_where_it_keeps_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    modules: tuple[Any, ...] = (claude_code, codex, gemini, cursor)
    for module in modules:
        assert module.files(None) == []
    shutil.copytree(FIXTURES / "claude-code", tmp_path / ".claude")
    shutil.copytree(FIXTURES / "codex", tmp_path / ".codex")
    shutil.copytree(FIXTURES / "gemini", tmp_path / ".gemini")
    found: dict[str, int] = {module.AGENT: len(module.files(None)) for module in modules}
    assert found == {"claude-code": 1, "codex": 1, "gemini": 2, "cursor": 0}
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.fspath(tmp_path / "elsewhere"))
    assert claude_code.files(None) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)


@given(name=st.sampled_from(["claude-code", "codex", "gemini"]), key=st.text(max_size=8), value=JSON, data=st.data())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_strange_line_never_ends_the_reading(
    tmp_path: Path, name: str, key: str, value: Any, data: st.DataObject
) -> None:
    module: Any = {"claude-code": claude_code, "codex": codex, "gemini": gemini}[name]
    path = module.files(FIXTURES / name)[0]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    chosen = data.draw(st.sampled_from(lines))
    chosen[data.draw(st.sampled_from([*chosen, key]))] = value
    strange = tmp_path / "session-strange.jsonl"
    strange.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert all(isinstance(entry, TranscriptEntry) for entry in module.entries(strange))
