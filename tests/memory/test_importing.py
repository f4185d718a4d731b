from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from project import Project

from memlsp import Memory
from memlsp.faces.hooks import payload_records
from memlsp.memory.learning.imports import SOURCES, ImportScope, SourceImport
from memlsp.model.belief import Authority, BeliefStatus, EvidenceKind
from memlsp.model.errors import BadValue, NoSuchFile, Refused
from memlsp.model.event import EventKind

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
RULE = "No, use tenacity in src/client.py instead of a hand-written loop."
Take = Callable[..., SourceImport]


def records(agent: str, payload: dict[str, Any]) -> Iterable[Mapping[str, Any]]:
    return payload_records.read(agent, payload)


@pytest.fixture
def take(memory: Memory) -> Take:
    def call(source: str, origin: Path, **options: Any) -> SourceImport:
        calls = {name: options.pop(name) for name in ("progress", "cancelled") if name in options}
        return memory.imports.run(source, records, origin=origin, scope=ImportScope(**options), **calls)

    return call


def transcript(root: Path, *prompts: str, folder: str = "", name: str = "session-1", calls: bool = False) -> Path:
    """A transcript of Claude Code, in a folder of its own."""
    path = root / "transcripts" / "projects" / "x" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = {"cwd": folder or str(root / "shop"), "sessionId": name, "timestamp": "2026-02-09T10:30:00.000Z"}
    lines: list[dict[str, Any]] = [
        {**frame, "type": "user", "promptId": f"{name}-{number}", "message": {"role": "user", "content": prompt}}
        for number, prompt in enumerate(prompts)
    ]
    if calls:
        given = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "pytest -q"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": "Exit code 1\n1 failed"}
        lines.append({**frame, "type": "assistant", "message": {"content": [given]}})
        lines.append({**frame, "type": "user", "message": {"content": [result]}})
        given = {
            "type": "tool_use",
            "id": "toolu_2",
            "name": "Edit",
            "input": {"file_path": f"{frame['cwd']}/client.py"},
        }
        lines.append({**frame, "type": "assistant", "message": {"content": [given]}})
        answer = {"type": "tool_result", "tool_use_id": "toolu_2", "content": "ok"}
        lines.append({**frame, "type": "user", "message": {"content": [answer]}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return root / "transcripts"


def test_what_a_person_told_an_agent_becomes_a_proposal_with_its_words(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    done = take("claude-code", transcript(tmp_path, "Fix the loop", RULE))
    (proposal,) = done.proposals
    belief = memory.belief(proposal.id).belief
    assert belief.text == "Use tenacity in src/client.py instead of a hand-written loop."
    assert (belief.status, belief.authority) == (BeliefStatus.PROPOSED, Authority.PROPOSED)
    (evidence,) = belief.evidence
    assert (evidence.kind, evidence.quote, evidence.source) == (EvidenceKind.IMPORT, RULE, "claude-code")
    assert (evidence.first_line, evidence.session) == (2, "session-1")
    assert evidence.path.endswith("session-1.jsonl")
    assert evidence.at is not None
    assert evidence.at.year == 2026


def test_a_proposal_is_not_served_before_it_is_admitted(memory: Memory, take: Take, tmp_path: Path) -> None:
    take("claude-code", transcript(tmp_path, RULE))
    assert memory.beliefs() == ()
    assert [each.belief.text for each in memory.proposals.list()]


def test_importing_again_makes_nothing_twice(take: Take, tmp_path: Path) -> None:
    origin = transcript(tmp_path, RULE, "Always format with black before a commit.")
    first, second = take("claude-code", origin, events=True), take("claude-code", origin, events=True)
    assert (len(first.proposals), first.known, first.events) == (2, 0, 2)
    assert (len(second.proposals), second.known, second.events, second.repeated) == (0, 2, 0, 2)


def test_what_was_rejected_does_not_come_back(memory: Memory, take: Take, tmp_path: Path) -> None:
    origin = transcript(tmp_path, RULE)
    (proposal,) = take("claude-code", origin).proposals
    memory.revise(proposal.id, "retire")
    assert take("claude-code", origin).known == 1


def test_what_is_held_true_already_is_not_proposed(memory: Memory, take: Take, tmp_path: Path) -> None:
    memory.remember("Always format with black before a commit.")
    done = take("claude-code", transcript(tmp_path, "Always format with black before a commit."))
    assert (done.proposals, done.known) == ((), 1)


def test_the_same_said_in_two_sessions_is_one_proposal(take: Take, tmp_path: Path) -> None:
    transcript(tmp_path, RULE)
    origin = transcript(tmp_path, RULE, name="session-2")
    done = take("claude-code", origin)
    assert (done.files, len(done.proposals), done.known) == (2, 1, 1)


def test_a_dry_run_shows_everything_and_keeps_nothing(memory: Memory, take: Take, tmp_path: Path) -> None:
    done = take("claude-code", transcript(tmp_path, RULE, calls=True), dry_run=True, events=True)
    assert len(done.proposals) == 1
    assert memory.proposals.list() == ()
    assert memory.events.list() == ()


def test_a_proposal_is_tied_to_the_symbol_that_it_names(
    memory: Memory, project: Project, take: Take, tmp_path: Path
) -> None:
    text = "Never let `compute_tax` in pricing/tax.py round to more than 2 digits."
    done = take("claude-code", transcript(tmp_path, text))
    assert done.proposals[0].places == ("pricing/tax.py#compute_tax",)
    (anchor,) = memory.belief(done.proposals[0].id).belief.anchors
    assert anchor.verified.name == "compute_tax"


def test_what_belongs_to_another_project_is_left_where_it_is(take: Take, tmp_path: Path) -> None:
    origin = transcript(tmp_path, RULE, folder="/home/ada/somewhere-else")
    assert take("claude-code", origin).looked_at == 0
    assert len(take("claude-code", origin, everything=True).proposals) == 1


def test_a_session_in_a_clone_or_a_worktree_belongs_here(project: Project, take: Take, tmp_path: Path) -> None:
    project.git("commit", "--quiet", "--allow-empty", "-m", "Start")
    project.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    assert len(take("claude-code", transcript(tmp_path, RULE, folder=str(tmp_path / "other"))).proposals) == 1


def test_a_statement_with_a_secret_is_left_out_and_counted(memory: Memory, take: Take, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    done = take("claude-code", transcript(tmp_path, f"Always push to origin/main with the token {secret} in GH_TOKEN."))
    assert (done.proposals, done.unfit) == ((), 1)
    assert secret not in "".join(str(each) for each in memory.proposals.list())


def test_past_sessions_become_observations_at_their_times(memory: Memory, take: Take, tmp_path: Path) -> None:
    done = take("claude-code", transcript(tmp_path, "Fix the loop", calls=True), events=True)
    assert done.events == 3
    prompt, command, edit = memory.events.list()
    assert (prompt.kind, prompt.text, prompt.at.year) == (EventKind.PROMPT, "Fix the loop", 2026)
    assert (command.kind, command.exit_code, command.output) == (EventKind.COMMAND, 1, "")
    assert (edit.kind, edit.tool, edit.paths) == (EventKind.TOOL, "Edit", ("client.py",))


@pytest.mark.parametrize("folder", ["/home/ada/old/shop", "./old/shop", "C:\\ada\\shop"])
def test_a_session_of_a_folder_that_is_gone_is_kept_when_everything_is_asked_for(
    memory: Memory, take: Take, tmp_path: Path, folder: str
) -> None:
    origin = transcript(tmp_path, "Fix the loop", folder=folder, calls=True)
    assert take("claude-code", origin, events=True).events == 0
    done = take("claude-code", origin, events=True, everything=True)
    assert done.events == 3
    assert memory.events.list()[-1].paths == ("client.py",)


@pytest.mark.parametrize(
    ("written", "found"),
    [("/home/ada/runs/1/shop/pricing/tax.py", ("pricing/tax.py",)), ("/home/ada/runs/1/client.py", ())],
)
def test_a_path_of_a_folder_that_is_gone_is_the_file_here_that_it_ends_with(
    memory: Memory, take: Take, tmp_path: Path, written: str, found: tuple[str, ...]
) -> None:
    origin = transcript(tmp_path, "Fix the tax", folder="/home/ada/runs", calls=True)
    (path,) = origin.rglob("*.jsonl")
    path.write_text(path.read_text("utf-8").replace("/home/ada/runs/client.py", written), "utf-8")
    take("claude-code", origin, events=True, everything=True)
    assert memory.events.list()[-1].paths == found


def test_a_session_of_another_folder_on_this_machine_is_not_kept_as_ours(take: Take, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    origin = transcript(tmp_path, "Fix the loop", folder=str(tmp_path / "other"), calls=True)
    assert take("claude-code", origin, events=True, everything=True).events == 0


def test_a_question_finds_the_past_session_with_the_files_that_it_wrote(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    take("claude-code", transcript(tmp_path, "Retry the courier's calls", calls=True), events=True)
    memory.events.settle()
    (episode,) = [each for each in memory.episodes.list() if each.sessions]
    assert (episode.paths, episode.commits) == (("client.py",), ())
    first = memory.recall("retry the courier's calls").work[0]
    assert first.served.endswith("changed client.py")


def test_a_session_that_hooks_told_already_is_not_told_again(memory: Memory, take: Take, tmp_path: Path) -> None:
    origin = transcript(tmp_path, "Fix the loop")
    hook = {"hook_event_name": "UserPromptSubmit", "session_id": "session-1", "prompt_id": "session-1-0"}
    (record,) = payload_records.read("claude-code", {**hook, "prompt": "Fix the loop", "cwd": str(tmp_path / "shop")})
    memory.events.take([{**record, "folder": ""}])
    done = take("claude-code", origin, events=True)
    assert (done.events, done.repeated) == (0, 1)


def test_what_a_hook_told_without_an_identifier_is_known_by_its_time(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    origin = transcript(tmp_path, "Fix the loop", "Fix the loop", calls=True)
    hook = {"hook_event_name": "UserPromptSubmit", "session_id": "session-1", "cwd": str(tmp_path / "shop")}
    at = 1_770_633_000_000 + 3_000  # three seconds after the transcript's 2026-02-09 10:30
    (record,) = payload_records.read("claude-code", {**hook, "prompt": "Fix the loop"}, at)
    memory.events.take([{**record, "folder": ""}])
    done = take("claude-code", origin, events=True)
    assert (done.events, done.repeated) == (2, 2)
    assert take("claude-code", origin, events=True).events == 0


def test_what_was_kept_before_it_was_stopped_stays(memory: Memory, take: Take, tmp_path: Path) -> None:
    origin = tmp_path / "transcripts"
    for number in range(5):
        transcript(tmp_path, f"Always keep rule number{number} of config/rules{number}.", name=f"session-{number}")
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        seen.append((done, total))

    done = take("claude-code", origin, progress=progress, cancelled=lambda: len(seen) >= 2)
    assert (done.stopped, done.done, len(done.proposals)) == (True, 2, 2)
    assert len(memory.proposals.list()) == 2
    again = take("claude-code", origin)
    assert (len(again.proposals), again.known, again.stopped) == (3, 2, False)


@pytest.mark.parametrize("source", ["claude-code", "codex", "gemini"])
def test_the_recorded_sessions_say_three_things_that_last(take: Take, source: str) -> None:
    done = take(source, FIXTURES / source, everything=True)
    assert [each.text for each in done.proposals] == [
        "Use tenacity instead of a hand-written loop in src/fetcher/retry.py.",
        "We decided in March that `fetch` never sleeps longer than 30 seconds.",
        "Always run the tests with `make test`.",
    ]


def test_the_same_statement_from_two_programs_is_one_proposal(memory: Memory, take: Take) -> None:
    take("codex", FIXTURES / "codex", everything=True)
    assert take("gemini", FIXTURES / "gemini", everything=True).known == 3
    assert len(memory.proposals.list()) == 3


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(take: Take, tmp_path: Path) -> None:
    origin = transcript(tmp_path, RULE)
    (origin / "projects" / "x" / "a.jsonl").mkdir()
    done = take("claude-code", origin)
    assert (len(done.unreadable), len(done.proposals), done.done) == (1, 1, 2)


def test_a_wrong_source_or_place_is_said_to_be_one(memory: Memory, take: Take, tmp_path: Path) -> None:
    with pytest.raises(BadValue):
        take("chatgpt", tmp_path)
    with pytest.raises(NoSuchFile):
        take("codex", tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    for source in SOURCES:
        with pytest.raises(Refused):
            take(source, tmp_path / "empty")
