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

from memlsp.capture.transcripts import (
    TranscriptEntry,
    agentmemory,
    basic_memory,
    claude_code,
    claude_mem,
    codex,
    cursor,
    gemini,
    mcp_memory_service,
)
from memlsp.model.belief import BeliefKind
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
    path = tmp_path / "claude-mem.db"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(ForeignUnreadable):
        list(claude_mem.statements(path))


def claude_mem_database(path: Path) -> Path:
    observations = (
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,"
        " title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,"
        " prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER)"
    )
    summaries = (
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,"
        " learned TEXT, next_steps TEXT, files_edited TEXT, created_at TEXT, created_at_epoch INTEGER)"
    )
    insert = (
        "INSERT INTO observations"
        " (memory_session_id, project, type, title, subtitle, facts, files_modified, created_at)"
        " VALUES ('m', 'fetcher', ?, ?, ?, ?, ?, '2026-02-09T10:30:00.000Z')"
    )
    facts = json.dumps(["fetch goes through tenacity", "No hand-written loops"])
    return database(
        path,
        observations,
        summaries,
        (insert, ("decision", "Retry through tenacity", "Instead of a loop", facts, '["src/fetcher/retry.py"]')),
        (insert, ("change", "Edited retry.py", None, "[]", "[]")),
        "INSERT INTO session_summaries (memory_session_id, project, learned, created_at) VALUES"
        " ('m', 'fetcher', 'The API drops one call in ten on weekends', '2026-02-09T10:40:00.000Z')",
    )


def test_claude_mem_tells_what_was_decided_and_learned_and_not_what_was_done(tmp_path: Path) -> None:
    first, second = claude_mem.statements(claude_mem_database(tmp_path / "claude-mem.db"))
    assert (
        first.text == "Retry through tenacity. Instead of a loop. fetch goes through tenacity. No hand-written loops."
    )
    assert (first.kind, first.files, first.project) == (BeliefKind.DECISION, ("src/fetcher/retry.py",), "fetcher")
    assert (first.record, second.record) == ("observations/1", "session_summaries/1")
    assert second.text.startswith("The API drops")


def test_an_older_claude_mem_without_titles_tells_its_text(tmp_path: Path) -> None:
    path = database(
        tmp_path / "claude-mem.db",
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, text TEXT, type TEXT, created_at TEXT)",
        "INSERT INTO observations VALUES (1, 'p', 'Never sleep in fetch', 'decision', '2025-01-01T00:00:00Z')",
    )
    (only,) = claude_mem.statements(path)
    assert only.text == "Never sleep in fetch"


def memory_service_database(path: Path) -> Path:
    insert = (
        "INSERT INTO memories (content_hash, content, tags, memory_type, created_at, deleted_at) VALUES (?,?,?,?,?,?)"
    )
    return database(
        path,
        "CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL,"
        " content TEXT NOT NULL, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL,"
        " created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL)",
        (insert, ("a", "fetch retries through tenacity, never by hand", "fetcher,retry", "decision", 1.7e9, None)),
        (insert, ("b", "Accounts listen on 9090", "accounts", "fact", 1.7e9, None)),
        (insert, ("c", "An old one of the fetcher", "fetcher", "fact", 1.7e9, 1.8e9)),
    )


def test_what_was_deleted_from_mcp_memory_service_stays_deleted(tmp_path: Path) -> None:
    found = list(mcp_memory_service.statements(memory_service_database(tmp_path / "sqlite_vec.db")))
    assert [each.record for each in found] == ["memories/1", "memories/2"]
    assert (found[0].kind, found[0].project) == (BeliefKind.DECISION, "fetcher,retry")
    assert found[0].at is not None


# -- other memories ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["standalone.json", "export.json"])
def test_agentmemorys_own_file_and_its_export_say_the_same(name: str) -> None:
    found = list(agentmemory.statements(FIXTURES / "agentmemory" / name))
    assert [each.kind for each in found] == [BeliefKind.DECISION, BeliefKind.PROCEDURE, BeliefKind.GOTCHA]
    assert found[0].files == ("src/fetcher/retry.py",)
    assert found[0].record.startswith("memories/mem_")


def test_a_memory_that_was_replaced_is_left_out(tmp_path: Path) -> None:
    memory = {"id": "m", "content": "Old", "isLatest": False}
    summary = {"sessionId": "s", "keyDecisions": ["Retry through tenacity"], "createdAt": "2026-02-09T10:30:00Z"}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"version": "0.3.0", "memories": [memory], "summaries": [summary]}), encoding="utf-8")
    (only,) = agentmemory.statements(path)
    assert (only.text, only.record) == ("Retry through tenacity", "summaries/s/1")


def test_a_note_tells_its_observations_and_neither_tasks_nor_links() -> None:
    (path,) = basic_memory.files(FIXTURES / "basic-memory")
    found = list(basic_memory.statements(path))
    assert [(each.text, each.kind) for each in found] == [
        (
            "`fetch` in src/fetcher/retry.py retries through tenacity, never with a hand-written loop",
            BeliefKind.DECISION,
        ),
        ("The API drops one call in ten on weekends", BeliefKind.GOTCHA),
        ("Always run the tests with `make test`", BeliefKind.PREFERENCE),
    ]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert all(each.line and lines[each.line - 1].strip() == each.quote for each in found)


def test_links_times_and_code_are_no_observations(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(
        "- [a link](https://example.org) here\n- [00:00:11] spoken\n- [x] done\n```\n- [fact] in code\n```\n"
        "- [fact] The port is 8080 #net (from the wiki)\n",
        encoding="utf-8",
    )
    assert [each.text for each in basic_memory.statements(note)] == ["The port is 8080"]


# -- where they lie ---------------------------------------------------------------------------------------------------


def test_each_program_is_looked_for_where_it_keeps_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "MCP_MEMORY_SQLITE_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("MCP_MEMORY_BASE_DIR", "CLAUDE_MEM_DATA_DIR", "BASIC_MEMORY_CONFIG_DIR", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    modules: tuple[Any, ...] = (claude_code, codex, gemini, cursor, agentmemory, claude_mem, mcp_memory_service)
    for module in modules:
        assert module.files(None) == []
    shutil.copytree(FIXTURES / "claude-code", tmp_path / ".claude")
    shutil.copytree(FIXTURES / "codex", tmp_path / ".codex")
    shutil.copytree(FIXTURES / "gemini", tmp_path / ".gemini")
    shutil.copytree(FIXTURES / "agentmemory", tmp_path / ".agentmemory")
    shutil.copytree(FIXTURES / "basic-memory", tmp_path / "basic-memory")
    claude_mem_database(tmp_path / ".claude-mem" / "claude-mem.db")
    found: dict[str, int] = {module.SOURCE: len(module.files(None)) for module in (*modules, basic_memory)}
    assert found == {
        "claude-code": 1,
        "codex": 1,
        "gemini": 2,
        "cursor": 0,
        "agentmemory": 1,
        "claude-mem": 1,
        "mcp-memory-service": 0,
        "basic-memory": 1,
    }
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
