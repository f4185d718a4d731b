"""Beliefs as files of the repository: written, reviewed, merged, edited, deleted, and never believed unasked."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlsp.memory import Memory
from memlsp.memory.sharing.shared_beliefs import SharedFiles
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Authority, Belief, BeliefKind, BeliefStatus, Limits, RevisionAction, Scope
from memlsp.model.errors import Refused
from memlsp.model.place import Place
from memlsp.model.standing import Standing

CLIENT = "RETRIES = 3\n\n\ndef fetch(url):\n    for _ in range(RETRIES):\n        get(url)\n"
FOLDER = ".memlsp/beliefs"


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def ann(tmp_path: Path) -> Iterator[Memory]:
    """Ann's clone, with two beliefs that she shared and committed."""
    root = tmp_path / "ann" / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "client.py").write_text(CLIENT)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "client")
    with Memory.open(root, data_dir=tmp_path / "ann-data") as memory:
        memory.remember("fetch tries 3 times", at=[Place("src/client.py", symbol="fetch")])
        memory.remember(
            "Never call requests directly",
            limits=Limits(scope=Scope.parse("glob:src/**/*.py"), conditions=(("env", "staging"),)),
            guards=["must not requests.get($$$)"],
        )
        memory.shared.share()
        save(memory, "share")
        yield memory


@pytest.fixture
def ben(ann: Memory, tmp_path: Path) -> Iterator[Memory]:
    """A colleague's clone with a memory of its own."""
    root = tmp_path / "ben" / "shop"
    git(tmp_path, "clone", "-q", str(ann.workspace.root), str(root))
    with Memory.open(root, data_dir=tmp_path / "ben-data") as memory:
        yield memory


def save(memory: Memory, message: str) -> None:
    git(memory.workspace.root, "add", "-A")
    git(memory.workspace.root, "commit", "-q", "--allow-empty", "-m", message)


def file_of(memory: Memory, words: str) -> Path:
    return next(path for path in (memory.workspace.root / FOLDER).iterdir() if words in path.read_text())


def edit(memory: Memory, old: str, new: str) -> Path:
    path = file_of(memory, old)
    path.write_text(path.read_text().replace(old, new))
    return path


def believed(memory: Memory) -> dict[str, Belief]:
    return {each.belief.text: each.belief for each in memory.beliefs()}


def test_a_colleague_has_what_was_shared_with_its_places_kinds_conditions_and_guards(ann: Memory, ben: Memory) -> None:
    taken = ben.shared.take(trusted=True)
    assert len(taken.added) == 2
    theirs, ours = believed(ben), believed(ann)
    assert theirs.keys() == ours.keys()
    for text, belief in theirs.items():
        mine = ours[text]
        assert (belief.id, belief.kind, belief.scope, belief.conditions) == (
            mine.id,
            mine.kind,
            mine.scope,
            mine.conditions,
        )
        assert belief.guards == mine.guards
        assert [each.place for each in belief.anchors] == [each.place for each in mine.anchors]
        assert (belief.authority, belief.author.name) == (Authority.REVIEWED, mine.author.name)


def test_nothing_is_believed_before_a_person_lets_the_files_in_and_that_is_said_once(ben: Memory) -> None:
    assert ben.shared.take().waiting == 2
    assert ben.beliefs() == ()
    assert ben.shared.take().waiting == 0
    ben.shared.take(trusted=True)
    assert len(ben.beliefs()) == 2


def test_sharing_again_writes_nothing_and_keeps_keys_that_are_not_known(ann: Memory) -> None:
    path = edit(ann, "kind: fact\n", "kind: fact\nteam: payments\nreviewers: [eve, bob]\n")
    ann.shared.take(trusted=True)
    assert ann.shared.share().written == ()
    id = believed(ann)["fetch tries 3 times"].id
    ann.revise(id, "scope", limits=Limits(conditions=(("env", "prod"),)))
    assert ann.shared.share([id]).written == (id,)
    text = path.read_text()
    assert "team: payments\n" in text
    assert "- eve\n- bob\n" in text
    assert "env=prod" in text


def test_an_edit_of_a_file_is_a_revision_that_can_be_taken_back(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    id = believed(ben)["fetch tries 3 times"].id
    edit(ben, "tries 3 times", "tries 4 times")
    assert ben.shared.take(trusted=True).edited == (id,)
    judged = ben.belief(id)
    assert (judged.belief.text, judged.standing) == ("fetch tries 4 times", Standing.CONTRADICTED)
    assert ben.revisions(id)[-1].action is RevisionAction.EDIT
    assert ben.revise(id, "rollback").belief.text == "fetch tries 3 times"
    assert ben.shared.take(trusted=True).edited == ()  # the file did not change again
    assert ben.belief(id).belief.text == "fetch tries 3 times"


def test_what_is_not_committed_counts_only_when_a_person_says_so(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    edit(ben, "tries 3 times", "tries 4 times")
    file_of(ben, "requests").unlink()
    (ben.workspace.root / FOLDER / "abcd-new.md").write_text("---\nid: abcd\n---\n\nAgents write this\n")
    assert ben.shared.take() == SharedFiles()
    assert believed(ben).keys() == {"fetch tries 3 times", "Never call requests directly"}
    save(ben, "reviewed")
    taken = ben.shared.take()
    assert (len(taken.edited), len(taken.retired), len(taken.added)) == (1, 1, 1)
    assert believed(ben).keys() == {"fetch tries 4 times", "Agents write this"}


def test_a_kind_and_a_guard_are_edited_as_well(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    edit(ben, "kind: rule", "kind: decision")
    path = edit(ben, "requests.get($$$)", "httpx.get($$$)")
    assert len(ben.shared.take(trusted=True).edited) == 1
    belief = believed(ben)["Never call requests directly"]
    assert (belief.kind, belief.guards[0].pattern) == (BeliefKind.DECISION, "httpx.get($$$)")
    path.write_text(path.read_text().replace("must not", "never"))
    ((name, reason),) = ben.shared.take(trusted=True).unread
    assert (name, "not a guard" in reason) == (path.name, True)
    assert believed(ben)["Never call requests directly"].guards[0].pattern == "httpx.get($$$)"


def test_a_deleted_file_retires_its_belief_and_brings_it_back_when_it_returns(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    path = file_of(ben, "tries 3")
    text, id = path.read_text(), believed(ben)["fetch tries 3 times"].id
    path.unlink()
    assert ben.shared.take(trusted=True).retired == (id,)
    assert ben.belief(id).belief.status is BeliefStatus.RETIRED
    path.write_text(text)
    assert ben.shared.take(trusted=True).edited == (id,)
    assert ben.belief(id).belief.status is BeliefStatus.ACTIVE


def test_another_branch_without_the_file_retires_nothing(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    root = ben.workspace.root
    git(root, "checkout", "-q", "-b", "old", "HEAD~1")
    ben.files_changed(None)
    assert len(ben.beliefs()) == 2
    git(root, "checkout", "-q", "main")
    ben.files_changed(None)
    assert [each.action for each in ben.revisions(believed(ben)["fetch tries 3 times"].id)] == [RevisionAction.REMEMBER]


def test_what_two_branches_edited_is_merged_by_git_and_taken_in(ann: Memory, ben: Memory) -> None:
    ben.shared.take(trusted=True)
    edit(ann, "tries 3 times", "tries three times, since the API drops one call in ten")
    save(ann, "why")
    edit(ben, "Never call requests directly", "Never call requests directly: retries live in `fetch`")
    save(ben, "retries")
    git(ben.workspace.root, "pull", "-q", "--no-rebase", "--no-edit")
    ben.files_changed(None)
    assert believed(ben).keys() == {
        "fetch tries three times, since the API drops one call in ten",
        "Never call requests directly: retries live in `fetch`",
    }


def test_a_conflict_that_git_left_in_a_file_is_told_and_changes_nothing(ann: Memory, ben: Memory) -> None:
    ben.shared.take(trusted=True)
    edit(ann, "tries 3 times", "tries 5 times")
    save(ann, "five")
    path = edit(ben, "tries 3 times", "tries 7 times")
    save(ben, "seven")
    ben.shared.take(trusted=True)
    with pytest.raises(subprocess.CalledProcessError):
        git(ben.workspace.root, "pull", "-q", "--rebase")
    ((name, reason),) = ben.shared.take(trusted=True).unread
    assert (name, reason.startswith("git left a conflict in it")) == (path.name, True)
    assert len(ben.beliefs()) == 2
    path.write_text(ann.workspace.root.joinpath(FOLDER, path.name).read_text())
    assert len(ben.shared.take(trusted=True).edited) == 1
    assert "fetch tries 5 times" in believed(ben)


def test_line_ends_of_another_system_are_no_edit(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    path = file_of(ben, "tries 3")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    taken = ben.shared.take(trusted=True)
    assert (taken.edited, taken.unread) == ((), ())


def test_a_belief_is_judged_from_where_its_file_says_that_it_was_verified(ann: Memory, ben: Memory) -> None:
    client = ann.workspace.root / "src" / "client.py"
    client.write_text(CLIENT.replace("RETRIES = 3", "RETRIES = 9"))
    save(ann, "nine")
    git(ben.workspace.root, "pull", "-q", "--no-rebase")
    ben.shared.take(trusted=True)
    judged = next(each for each in ben.beliefs() if "tries" in each.belief.text)
    assert judged.standing is Standing.CONTRADICTED
    assert "9" in judged.reasons[0].message


def test_what_was_forgotten_here_does_not_come_back_and_its_file_is_named(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    id = believed(ben)["fetch tries 3 times"].id
    receipt = ben.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    assert any(f"{FOLDER}/{id}" in each and "filter-repo" in each for each in receipt.left)
    edit(ben, "tries 3 times", "tries 4 times")
    ((_, reason),) = ben.shared.take(trusted=True).unread
    assert "forgotten here" in reason
    assert believed(ben).keys() == {"Never call requests directly"}


def test_a_locked_belief_keeps_its_words_and_the_file_is_told(ben: Memory) -> None:
    ben.shared.take(trusted=True)
    id = believed(ben)["fetch tries 3 times"].id
    ben.revise(id, "lock")
    edit(ben, "tries 3 times", "tries 4 times")
    ((_, reason),) = ben.shared.take(trusted=True).unread
    assert "locked here" in reason
    assert ben.belief(id).belief.text == "fetch tries 3 times"


def test_a_belief_that_was_replaced_loses_its_file_when_all_is_shared_again(ann: Memory) -> None:
    old = believed(ann)["fetch tries 3 times"].id
    new = ann.revise(old, "supersede", text="fetch tries 3 times, with a pause of a second").belief.id
    done = ann.shared.share()
    assert (done.written, done.removed) == ((new,), (old,))
    assert len(list((ann.workspace.root / FOLDER).iterdir())) == 2


def test_own_beliefs_and_proposals_are_not_shared(ann: Memory) -> None:
    own = ann.remember("I prefer terse commits", limits=Limits(scope=Scope.parse("user"))).belief
    assert own.id not in ann.shared.share().written
    with pytest.raises(Refused, match="your own"):
        ann.shared.share([own.id])


@pytest.mark.parametrize("outside", ["folder", "file"])
def test_a_link_that_leads_out_is_neither_read_nor_written(ann: Memory, tmp_path: Path, outside: str) -> None:
    root = ann.workspace.root
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = file_of(ann, "tries 3").read_text().replace("tries 3 times", "steals")
    (elsewhere / "stolen.md").write_text(text.replace("id: ", "id: x"))
    if outside == "folder":
        git(root, "rm", "-rqf", FOLDER)
        (root / FOLDER).parent.mkdir(exist_ok=True)
        (root / FOLDER).symlink_to(elsewhere)
        with pytest.raises(Refused, match="leads out"):
            ann.shared.share()
    else:
        (root / FOLDER / "xstolen.md").symlink_to(elsewhere / "stolen.md")
        ann.shared.take(trusted=True)
    assert not any("steals" in text for text in believed(ann))
    assert len(list(elsewhere.iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no front matter"),
        ("fetch tries", "no front matter"),
        ("---\nid: UP\n---\n\nx is y\n", "not an id"),
        ("---\nid: abcd\nkind: law\n---\n\nx is y\n", "not a kind"),
        ("---\nid: abcd\nanchors: [../../etc/passwd]\n---\n\nx is y\n", "not a place"),
        ("---\nid: abcd\nanchors: ['/etc/passwd#x']\n---\n\nx is y\n", "not a place"),
        ("---\nid: abcd\nanchors: ['C:\\secrets']\n---\n\nx is y\n", "not a place"),
        ("---\nid: abcd\na: &a [x, x]\nb: *a\n---\n\nx is y\n", "alias"),
        ("---\nid: [1, {2: 3}]\n---\n\nx is y\n", "no text"),
        ("---\nid: abcd\n  bad: yaml: here\n---\n\nx is y\n", "no YAML"),
        ("---\nid: abcd\nx: " + "[a," * 15_000 + "\n---\n\nx is y\n", "brackets"),
        ("---\nid: abcd\n---\n\n \n", "empty"),
        ("---\nid: abcd\n---\n\n" + "x" * 70_000, "larger"),
        ("---\nid: abcd\nguards: ['must not python: (((']\n---\n\nx is y\n", "not a pattern"),
        ("---\nid: abcd\nid2: !!python/object/apply:os.system [ls]\n---\n\nx is y\n", ""),
        ("\x00\x01\x02", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_harms_no_other(ben: Memory, text: str, fault: str) -> None:
    (ben.workspace.root / FOLDER / "abcd-bad.md").write_text(text)
    taken = ben.shared.take(trusted=True)
    assert len(taken.added) == (2 if fault else len(ben.beliefs()))
    assert {"fetch tries 3 times", "Never call requests directly"} <= believed(ben).keys()
    if fault:
        ((name, reason),) = taken.unread
        assert (name, fault in reason) == ("abcd-bad.md", True), reason


def test_secrets_in_a_file_are_not_stored(ben: Memory) -> None:
    edit(ben, "tries 3 times", "tries 3 times with AKIAIOSFODNN7EXAMPLE")
    ben.shared.take(trusted=True)
    assert not any("AKIAIOSFODNN7EXAMPLE" in text for text in believed(ben))


def test_a_link_in_place_of_a_file_is_not_written(ann: Memory, tmp_path: Path) -> None:
    target = tmp_path / "profile"
    target.write_text("mine\n")
    path = file_of(ann, "tries 3")
    path.unlink()
    path.symlink_to(target)
    with pytest.raises(Refused, match="is a link"):
        ann.shared.share([path.name.partition("-")[0]])
    assert target.read_text() == "mine\n"
