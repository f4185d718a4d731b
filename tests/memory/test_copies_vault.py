"""The vault: a folder of notes in which a person reads and edits, and nothing that was said on either side is lost."""

from __future__ import annotations

import json
import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import Project

from memlsp import Memory
from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit
from memlsp.memory.transfer.belief_jsonl import is_inner
from memlsp.memory.transfer.vault_folder import ASIDE, MANIFEST
from memlsp.memory.transfer.vault_note import MARKER, NoteContent, digest_of, escape, read_note, render, unescape
from memlsp.model.belief import Author, AuthorKind, BeliefKind, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyImport
from memlsp.model.errors import BadValue, Refused
from memlsp.model.place import Place

AGENT = Author("Claude Code", AuthorKind.AGENT)


@pytest.fixture
def told(memory: Memory, project: Project) -> Memory:
    first = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    memory.remember("Ships on Fridays", kind=BeliefKind.RULE, because_of=[first.belief.id])
    return memory


@pytest.fixture
def vault(told: Memory, tmp_path: Path) -> Path:
    return told.copies.export_vault(tmp_path / "notes").path


def _note(vault: Path, words: str) -> Path:
    notes = (path for path in sorted(vault.rglob("*.md")) if path.name != "Memory.md")
    return next(path for path in notes if words in path.read_text(errors="replace"))


def _replace(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def _edit(vault: Path, old: str, new: str) -> Path:
    path = _note(vault, old)
    _replace(path, (old, new))
    return path


def _texts(memory: Memory) -> set[str]:
    return {j.belief.text for j in memory.beliefs()}


def _id(memory: Memory, text: str) -> str:
    return next(j.belief.id for j in memory.beliefs(include_past=True) if j.belief.text == text)


def test_a_vault_is_a_folder_for_each_kind_with_links_between_notes(vault: Path, told: Memory) -> None:
    names = sorted(path.relative_to(vault).as_posix() for path in vault.rglob("*.md"))
    first, rule = _id(told, "fetch tries three times"), _id(told, "Ships on Fridays")
    assert names == ["Memory.md", f"facts/fetch-tries-three-times-{first}.md", f"rules/ships-on-fridays-{rule}.md"]
    text = (vault / names[2]).read_text()
    assert f'  - "[[fetch-tries-three-times-{first}]]"' in text
    assert "  - memlsp/rule\n" in text
    assert "\n---\nShips on Fridays\n\n" + MARKER in text
    assert f"[[ships-on-fridays-{rule}]]" in (vault / "Memory.md").read_text()
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in vault.rglob("*") if path.is_file())


def test_a_vault_that_nobody_touched_brings_nothing_and_is_written_the_same(vault: Path, told: Memory) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    done = told.copies.take(vault)
    assert (done.known, done.revised, done.passed) == (2, (), ())
    told.copies.export_vault(vault)
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before


def test_an_edited_statement_becomes_a_revision_and_the_note_goes_on_with_it(vault: Path, told: Memory) -> None:
    former = _id(told, "Ships on Fridays")
    path = _edit(vault, "Ships on Fridays", "Ships on Mondays")
    done = told.copies.take(vault)
    (new,) = done.revised
    assert told.belief(former).belief.superseded_by == new
    assert _texts(told) == {"fetch tries three times", "Ships on Mondays"}
    assert f"id: {new}\n" in path.read_text()
    assert told.copies.take(vault).revised == ()
    path.write_text(path.read_text().replace("Mondays", "Tuesdays"))
    told.copies.take(vault)
    assert "Ships on Tuesdays" in _texts(told)
    assert told.copies.export_vault(vault).left == ()


@given(st.text(min_size=1, max_size=200))
def test_what_is_escaped_is_unescaped_again(text: str) -> None:
    shown = escape(text)
    assert unescape(shown) == text
    assert not re.search(
        r"(?<!\\)```|(?<!\\)<(?=[\w/!%?])|(?<!\\)!\[|(?<!\\)\[\[|(?<!\\)%%|`[=$]", re.sub(r"\\\\", "", shown)
    )


@given(st.text(min_size=1, max_size=300))
def test_whatever_is_said_reads_as_unedited_in_its_note(text: str) -> None:
    try:
        belief, revision = admit(Draft(text), Maker(Author("Ann\n---"), "x", datetime(2026, 11, 21, tzinfo=UTC)))
    except BadValue:
        return
    note = read_note(render(NoteContent(belief, (revision,), "unbound", (), {})).encode("utf-8"))
    assert digest_of(note.statement) == digest_of(belief.text)
    assert (note.id, note.text("revision"), note.has_marker, note.extra) == (belief.id, "1", True, ())


def test_what_an_editor_would_run_is_shown_and_not_run(told: Memory, tmp_path: Path) -> None:
    said = "Careful:\n```dataviewjs\nrun()\n```\n`$= run()` ![[x]] <script>a</script> <% tp %> [a](obsidian://x) %% y"
    told.remember(said)
    vault = told.copies.export_vault(tmp_path / "notes").path
    text = _note(vault, "dataviewjs").read_text()
    assert "\n```" not in text
    assert "<script" not in text.replace("\\<", "")
    assert told.copies.take(vault).revised == ()
    assert said in _texts(told)


def test_properties_retire_confirm_and_say_where_it_holds(vault: Path, told: Memory) -> None:
    rule, fact = _id(told, "Ships on Fridays"), _id(told, "fetch tries three times")
    path = _note(vault, "Ships on Fridays")
    path.write_text(
        path.read_text().replace("confirm: false", "confirm: false\nwhen: [env=staging]\nuntil: 2031-01-31")
    )
    _edit(vault, "fetch tries three times\n\n", "fetch tries three times\n\n")
    note = _note(vault, "fetch tries three times\n\n" + MARKER)
    note.write_text(note.read_text().replace("confirm: false", "confirm: true"))
    done = told.copies.take(vault)
    assert set(done.revised) == {rule, fact}
    belief = told.belief(rule).belief
    assert belief.conditions == (("env", "staging"),)
    assert belief.expires_at is not None
    assert told.revisions(fact)[-1].action is RevisionAction.CONFIRM
    assert "confirm: false" in note.read_text()
    path.write_text(path.read_text().replace("status: active", "status: retired"))
    assert told.copies.take(vault).revised == (rule,)
    assert "Ships on Fridays" not in _texts(told)
    assert not path.exists()


def test_a_note_without_an_id_becomes_a_belief(vault: Path, told: Memory) -> None:
    path = vault / "gotchas" / "from me.md"
    path.parent.mkdir()
    path.write_text(
        "---\nkind: gotcha\nplaces:\n  - client.py#fetch\naliases: [mine]\n---\nThe API drops one call in ten\n"
    )
    (new,) = told.copies.take(vault).added
    belief = told.belief(new).belief
    assert (belief.text, belief.kind) == ("The API drops one call in ten", BeliefKind.GOTCHA)
    assert belief.anchors[0].symbol == "fetch"
    assert f"id: {new}\n" in path.read_text()
    assert "aliases: [mine]\n" in path.read_text()
    assert told.copies.export_vault(vault).left == ()


def test_what_both_sides_edited_is_reported_and_nothing_lost(vault: Path, told: Memory) -> None:
    id = _id(told, "Ships on Fridays")
    told.revise(id, RevisionAction.SUPERSEDE, text="Ships on Sundays")
    path = _edit(vault, "Ships on Fridays", "Ships on Mondays")
    edited = path.read_text()
    (clash,) = told.copies.take(vault).clashes
    assert (clash.id, clash.here, clash.there) == (id, "Ships on Sundays", "Ships on Mondays")
    done = told.copies.export_vault(vault)
    assert [each.name for each in done.left] == [path.relative_to(vault).as_posix()]
    assert path.read_text() == edited
    assert "Ships on Sundays" in _texts(told)


@pytest.mark.parametrize("prefer", ["vault", "memory"])
def test_somebody_decides_and_the_other_words_are_kept(vault: Path, told: Memory, prefer: str) -> None:
    told.revise(_id(told, "Ships on Fridays"), RevisionAction.SUPERSEDE, text="Ships on Sundays")
    path = _edit(vault, "Ships on Fridays", "Ships on Mondays")
    told.copies.take(vault, CopyImport(prefer=prefer))
    stands = "Ships on Mondays" if prefer == "vault" else "Ships on Sundays"
    assert stands in _texts(told)
    assert stands in path.read_text()
    if prefer == "vault":
        assert _id(told, "Ships on Sundays")
    else:
        assert any("Ships on Mondays" in each.read_text() for each in (vault / ASIDE).iterdir())
    assert told.copies.take(vault).clashes == ()
    assert told.copies.export_vault(vault).left == ()


def test_the_same_edit_on_both_sides_is_no_conflict(vault: Path, told: Memory) -> None:
    told.revise(_id(told, "Ships on Fridays"), RevisionAction.SUPERSEDE, text="Ships on Mondays")
    _edit(vault, "Ships on Fridays", "Ships on Mondays")
    done = told.copies.take(vault)
    assert (done.clashes, done.revised) == ((), ())
    assert told.copies.export_vault(vault).left == ()


def test_an_edit_that_was_not_imported_is_not_overwritten(vault: Path, told: Memory) -> None:
    path = _edit(vault, "Ships on Fridays", "Ships on Mondays")
    told.copies.export_vault(vault)
    assert "Ships on Mondays" in path.read_text()
    told.revise(_id(told, "Ships on Fridays"), RevisionAction.RETIRE)
    assert told.copies.export_vault(vault).left
    assert "Ships on Mondays" in path.read_text()


def test_a_deleted_note_is_asked_about_and_retired_when_somebody_says_so(vault: Path, told: Memory) -> None:
    _note(vault, "Ships on Fridays").unlink()
    done = told.copies.take(vault)
    assert "--retire-deleted" in done.passed[0].reason
    assert "Ships on Fridays" in _texts(told)
    told.copies.take(vault, CopyImport(retire_deleted=True))
    assert "Ships on Fridays" not in _texts(told)


def test_locks_are_neither_set_nor_lifted_nor_gone_round(vault: Path, told: Memory) -> None:
    id = _id(told, "Ships on Fridays")
    path = _note(vault, "Ships on Fridays")
    path.write_text(
        path.read_text().replace("locked: false", "locked: true").replace("authority: person", "authority: locked")
    )
    told.copies.take(vault)
    assert not told.belief(id).belief.locked
    told.revise(id, RevisionAction.LOCK)
    told.copies.export_vault(vault)
    path.write_text(
        path.read_text().replace("Ships on Fridays", "Ships never").replace("locked: true", "locked: false")
    )
    done = told.copies.take(vault, CopyImport(prefer="vault"))
    assert "is locked" in done.passed[0].reason
    path.unlink()
    told.copies.take(vault, CopyImport(retire_deleted=True))
    assert told.belief(id).belief.locked


def test_what_an_agent_imports_it_says_itself(vault: Path, told: Memory) -> None:
    _edit(vault, "Ships on Fridays", "Ships on Mondays")
    (new,) = told.copies.take(vault, author=AGENT).revised
    assert str(told.belief(new).belief.authority) == "agent"


def test_a_persons_own_properties_tags_and_folders_stay(vault: Path, told: Memory) -> None:
    path = _note(vault, "Ships on Fridays")
    path.write_text(
        path.read_text()
        .replace("confirm: false", "confirm: false\nmine:\n  - a\n  - b")
        .replace("tags:", "tags:\n  - own")
    )
    moved = vault / "my folder" / "weekly.md"
    moved.parent.mkdir()
    path.rename(moved)
    assert told.copies.take(vault).passed == ()
    told.copies.export_vault(vault)
    text = moved.read_text()
    assert "mine:\n  - a\n  - b\n" in text
    assert "  - own\n" in text
    assert not path.exists()


def test_a_note_that_was_copied_is_reported(vault: Path, told: Memory) -> None:
    path = _note(vault, "Ships on Fridays")
    path.with_name("copy.md").write_text(path.read_text().replace("Fridays", "Mondays"))
    done = told.copies.take(vault)
    assert [each.name for each in done.passed] == ["rules/copy.md"]
    assert done.revised == ()


def test_what_was_forgotten_does_not_come_back_by_its_note(vault: Path, told: Memory) -> None:
    id = _id(told, "Ships on Fridays")
    told._store.forgetting.bar([id])  # pyright: ignore[reportPrivateUsage] - as forgetting does it
    _edit(vault, "Ships on Fridays", "Ships on Mondays")
    done = told.copies.take(vault)
    assert "was forgotten" in done.passed[0].reason
    assert done.revised == ()


_BOMB = "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nkind: *c\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe broken",
        b"---\nid: x\n" + b"a: b\n" * 100,
        b"x" * 300_000,
        b"---\n" + _BOMB.encode() + b"---\nsaid\n",
        b"---\nkind: !!python/object/apply:os.system [ls]\n---\nsaid\n",
        b"---\nid: ../../x\n---\nsaid\n" + MARKER.encode(),
        b"---\nid: a\nid: b\n---\nsaid\n",
        b"a\0b",
        b"---\nplaces: [../../../etc/passwd]\n---\nsaid of it\n",
        b"---\nuntil: never\n---\nsaid of it\n",
        b"---\nwhen: nonsense\n---\nsaid of it\n",
        b"y" * 10_000,
    ],
)
def test_a_note_of_rubbish_is_passed_over_and_the_rest_taken(vault: Path, told: Memory, data: bytes) -> None:
    (vault / "rubbish.md").write_bytes(data)
    _edit(vault, "Ships on Fridays", "Ships on Mondays")
    done = told.copies.take(vault)
    assert (len(done.revised), done.added) == (1, ())
    assert [each.name for each in done.passed] == ["rubbish.md"]
    assert (vault / "rubbish.md").read_bytes() == data


def test_secrets_in_a_note_are_not_kept(vault: Path, told: Memory) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    _edit(vault, "Ships on Fridays", f"Ships with {key}")
    told.copies.take(vault)
    assert all(key not in text for text in _texts(told))


@pytest.mark.parametrize("path", ["facts/..\\..\\x.md", "facts\\x.md", "facts/C:/x.md", "facts/x.md:stream"])
def test_a_path_that_windows_would_read_otherwise_is_none_there(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.memory.transfer.belief_jsonl._FORBIDDEN_CHARACTERS", "")
    assert is_inner(path)
    monkeypatch.setattr("memlsp.memory.transfer.belief_jsonl._FORBIDDEN_CHARACTERS", "\\:")
    assert not is_inner(path)


def test_links_are_not_followed_and_nothing_outside_is_written(vault: Path, told: Memory, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("A secret of the house")
    (vault / "linked").symlink_to(outside)
    (vault / "linked.md").symlink_to(outside / "secret.md")
    path = _note(vault, "Ships on Fridays")
    path.rename(outside / "moved.md")
    path.symlink_to(outside / "moved.md")
    before = (outside / "moved.md").read_text()
    done = told.copies.take(vault, CopyImport(retire_deleted=True))
    assert done.added == ()
    told.revise(_id(told, "Ships on Fridays"), RevisionAction.CONFIRM)
    told.copies.export_vault(vault)
    assert (outside / "moved.md").read_text() == before
    assert "Ships on Fridays" in _texts(told)


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd.md", "a/../../b.md", "", "notes.txt"])
def test_a_crafted_manifest_leads_nowhere(vault: Path, told: Memory, tmp_path: Path, path: str) -> None:
    manifest = json.loads((vault / MANIFEST).read_text())
    for each in manifest["notes"].values():
        each["path"] = path
    (vault / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / "out.md").write_text("mine")
    told.copies.take(vault)
    told.copies.export_vault(vault)
    assert (tmp_path / "out.md").read_text() == "mine"


@pytest.mark.parametrize("data", [b"", b"[]", b"{" * 50_000, b'{"memlsp":"vault","format":1,"notes":[1]}', b"\xff"])
def test_a_manifest_of_rubbish_makes_no_accident(vault: Path, told: Memory, data: bytes) -> None:
    (vault / MANIFEST).write_bytes(data)
    for work in (told.copies.take, told.copies.export_vault):
        try:
            work(vault)
        except Refused:
            continue
    assert _texts(told) == {"fetch tries three times", "Ships on Fridays"}


def test_a_folder_with_other_things_is_left_alone(told: Memory, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.md").write_text("dear diary")
    with pytest.raises(Refused):
        told.copies.export_vault(tmp_path / "mine")
    with pytest.raises(Refused):
        told.copies.take(tmp_path / "mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with pytest.raises(Refused):
        told.copies.export_vault(tmp_path / "link")
    told.copies.export_vault(tmp_path / "mine" / "memory")
    assert len(list((tmp_path / "mine").rglob("*.md"))) == 4


def test_properties_are_read_as_an_editor_of_notes_writes_them() -> None:
    note = read_note(
        b'---\r\nid: abcd\r\nwhen:\r\n  - "a=b"\r\n  - \'c=d\'\r\ntags: [x, "y z"]\r\nuntil:\r\n---\r\nSaid\r\n'
    )
    assert (note.id, note.list("when"), note.tags, note.text("until")) == ("abcd", ("a=b", "c=d"), ("x", "y z"), "")
    assert note.statement == "Said"
    with pytest.raises(BadValue):
        read_note(b"---\nid: x\n")


def test_a_dry_run_changes_neither_side(vault: Path, told: Memory) -> None:
    _edit(vault, "Ships on Fridays", "Ships on Mondays")
    (vault / "new.md").write_text("A new thing that is true")
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    done = told.copies.take(vault, CopyImport(dry_run=True))
    assert (len(done.revised), len(done.added)) == (1, 1)
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
    assert _texts(told) == {"fetch tries three times", "Ships on Fridays"}
