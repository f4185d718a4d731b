"""The hook as agents run it: what it keeps, what it never does, and that it never fails them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from hook_world import PATIENCE, HookWorld
from patience import patience
from project import Project
from store_lock import locked

from memlsp.capture.settings.switches import turn
from memlsp.memory import Memory
from memlsp.store.core.database import connect
from memlsp.store.store import open_store

posix = pytest.mark.skipif(sys.platform == "win32", reason="file handles and limits as POSIX has them")


def silent(world: HookWorld, payload: object) -> None:
    done = world.hook(payload)
    assert (done.status, done.out, done.err) == (0, "", "")


# -- what it keeps --------------------------------------------------------------------------------------------------


def test_what_an_agent_is_asked_is_in_the_store_when_its_hook_has_ended(world: HookWorld) -> None:
    silent(world, world.prompt("fix the tax of 20 %"))
    (event,) = world.events()
    assert (event.kind, event.source, event.session, event.text) == (
        "prompt",
        "claude-code",
        "s1",
        "fix the tax of 20 %",
    )
    assert not world.spooled


def test_a_command_line_without_the_package_on_its_path_works(world: HookWorld) -> None:
    # -I and -S: neither the environment nor `site` says where the packages are
    assert world.command()[1:3] == ["-I", "-S"]
    silent(world, world.ran("pytest -q", "1 failed"))
    (event,) = world.events()
    assert (event.kind, event.text, event.output) == ("command", "pytest -q", "1 failed")


def test_the_console_command_does_the_same(world: HookWorld) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memlsp", "hook", "claude-code"],
        input=json.dumps(world.prompt()).encode(),
        capture_output=True,
        env=world.environment(PYTHONPATH=os.pathsep.join(sys.path)),
        cwd=world.root,
        timeout=patience(PATIENCE),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(world.events()) == 1


def test_secrets_are_taken_out_before_anything_is_kept(world: HookWorld) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    silent(world, world.ran(f"curl -H 'Authorization: Bearer {secret}' x.org", f"token={secret}", "t1"))
    silent(world, {**world.prompt(f"use {secret}"), "new_key": {"password": "correct-horse-9x"}, secret: 1})
    plan = {"todos": [{"content": "log in", "status": secret}]}
    silent(world, {**world.ran("", call="t2"), "tool_name": "TodoWrite", "tool_input": plan})
    texts = [event.text + event.output + repr(event.extra) + repr(event.plan) for event in world.events()]
    assert len(texts) == 3
    assert not any(secret in text or "correct-horse" in text for text in texts)
    kept = b"".join(path.read_bytes() for path in world.store.parent.iterdir() if path.is_file())
    assert secret.encode() not in kept


def test_a_secret_that_a_cut_would_part_is_taken_out(world: HookWorld) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for number, before in enumerate((1_480, 1_490, 1_500)):  # around where an output's beginning ends
        silent(world, world.ran("env", "x " * (before // 2) + secret + " y" * 3_000, f"t{number}"))
    assert all("ghp_" not in event.output and "R8" not in event.output for event in world.events())


def test_a_secret_at_the_edge_of_what_is_looked_at_leaves_no_half(world: HookWorld) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    config = world.data / "config.toml"
    env = world.environment(MEMLSP_CONFIG=str(config))
    for caps in ("", "[caps]\noutput = 20000\n"):  # who keeps more looks at more
        config.write_text(caps)
        for number, edge in enumerate((4_980, 5_000, 22_980, 23_000)):
            text = "x " * (edge // 2) + secret + " y" * 60_000
            world.hook(world.ran("env", text, f"{caps[:3]}{number}"), env=env)
            world.hook(world.ran("env", text[::-1].replace(secret[::-1], secret), f"{caps[:3]}{number}r"), env=env)
    outputs = [event.output for event in world.events()]
    assert len(outputs) == 16
    assert max(map(len, outputs)) > 15_000
    assert not any("ghp_" in output or "a1B2" in output or "q7R8" in output for output in outputs)


def test_the_same_observation_is_kept_once(world: HookWorld) -> None:
    for _ in range(3):
        silent(world, world.ran("ls", "a.py"))
    assert len(world.events()) == 1


def test_our_own_tools_are_never_captured(world: HookWorld) -> None:
    call = {**world.ran("x"), "tool_name": "mcp__memlsp__recall", "tool_input": {"query": "tax"}}
    silent(world, call)
    silent(world, world.ran("memlsp recall tax", "nothing", "t2"))
    assert world.events() == []


def test_a_folder_that_is_off_is_off_for_commands_that_run_elsewhere(world: HookWorld, tmp_path: Path) -> None:
    turn(str(world.data), "folder", str(world.root), 1, off=True)
    command = {**world.ran("pytest"), "tool_input": {"command": "pytest", "workdir": str(tmp_path)}}
    silent(world, command)
    assert world.events() == []


def test_paths_are_kept_as_they_are_under_the_root(world: HookWorld) -> None:
    edit = {**world.ran(""), "tool_name": "Edit", "cwd": str(world.root / "pricing")}
    edit["tool_input"] = {"file_path": str(world.root / "pricing" / "tax.py"), "old_string": "a", "new_string": "b"}
    silent(world, edit)
    outside = {
        **edit,
        "tool_use_id": "t2",
        "tool_input": {"file_path": "/etc/hosts", "old_string": "", "new_string": ""},
    }
    silent(world, outside)
    assert [event.paths for event in world.events()] == [("pricing/tax.py",), ()]


def test_a_worktree_belongs_to_its_repository(world: HookWorld, project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "--quiet", str(tmp_path / "other"), "-b", "other")
    silent(world, {**world.prompt(), "cwd": str(tmp_path / "other")})
    (event,) = world.events()
    assert event.branch == "other"


# -- that it never fails its agent ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\0" * 5_000,
        b"not json",
        b'{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "secret words',
        b"[1, 2, 3]",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'"',
        b"\xff\xfe\xfd",
        b'{"hook_event_name": 7, "cwd": [], "session_id": {}, "tool_name": true, "tool_input": "{"}',
        b'{"n": ' + b"1" * 6_000 + b"}",
    ],
    ids=["empty", "nuls", "words", "torn", "list", "deep list", "deep object", "quote", "bytes", "types", "number"],
)
def test_a_payload_that_makes_no_sense_costs_the_agent_nothing(world: HookWorld, payload: bytes) -> None:
    done = world.hook(payload)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert "secret words" not in world.log


def test_nuls_and_halves_of_characters_in_a_text_are_kept_as_something_that_can_be_read(world: HookWorld) -> None:
    silent(world, b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "a\\u0000b \\ud800 c\x01"}')
    (event,) = world.events()
    assert event.text.startswith("ab ")


def test_a_payload_of_ten_megabytes_is_kept_by_its_ends(world: HookWorld) -> None:
    silent(world, world.ran("cat big", "first words " + "x" * (10 << 20) + " last words"))
    (event,) = world.events()
    assert event.output.startswith("first words")
    assert event.output.endswith("last words")
    assert len(event.output) < 2_200


def test_a_payload_that_is_far_too_long_is_read_to_its_end_and_left(world: HookWorld) -> None:
    silent(world, world.ran("cat bigger", "x" * (17 << 20)))  # a writer must not meet a closed pipe
    assert "more than 16 MB" in world.log
    assert world.events() == []


def test_an_agent_that_never_closes_the_pipe_is_not_waited_for(world: HookWorld) -> None:
    with world.start() as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(world.prompt()).encode())
        process.stdin.flush()
        assert process.wait(patience(PATIENCE)) == 0
    assert len(world.events()) == 1


def test_an_agent_that_writes_nothing_and_never_closes_is_not_waited_for(world: HookWorld) -> None:
    with world.start() as process:
        assert process.wait(patience(PATIENCE)) == 0
    assert world.events() == []


@posix
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_handles_are_never_taken_for_files_of_ours(world: HookWorld, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for handle in closed:
            os.close(handle)

    done = world.hook(world.prompt(), before=close) if 0 not in closed else None
    if done is None:
        process = subprocess.run(
            world.command(),
            env=world.environment(),
            cwd=world.root,
            preexec_fn=close,
            timeout=patience(PATIENCE),
            check=False,
        )
        assert process.returncode == 0
    else:
        assert done.status == 0
        assert len(world.events()) == 1
    store = open_store(world.store)
    assert store.notice == ""
    store.close()


def test_a_missing_store_leaves_what_came_in_the_spool(world: HookWorld, project: Project, tmp_path: Path) -> None:
    fresh = HookWorld(project.root, tmp_path / "fresh")
    silent(fresh, fresh.prompt("first"))
    silent(fresh, fresh.prompt("second"))
    assert len(fresh.spooled) == 2
    assert all(path.stat().st_mode & 0o77 == 0 for path in fresh.spooled)


@posix
def test_what_it_makes_is_for_its_owner_alone(world: HookWorld, project: Project, tmp_path: Path) -> None:
    fresh = HookWorld(project.root, tmp_path / "deep" / "down" / "fresh")

    def generous() -> None:
        os.umask(0)

    fresh.hook(fresh.prompt(), before=generous, cwd=project.root)
    fresh.hook(b"nonsense", before=generous, cwd=project.root)
    made = [tmp_path / "deep", *(tmp_path / "deep").rglob("*")]
    assert {path.name for path in made} >= {"fresh", "spool", "whereabouts", "hook.log"}
    assert [path for path in made if path.stat().st_mode & 0o77] == []


def test_a_locked_store_is_not_waited_for(world: HookWorld) -> None:
    with locked(world.store):
        silent(world, world.prompt())
        assert len(world.spooled) == 1


def test_a_damaged_store_is_reported_for_examination_and_loses_nothing(world: HookWorld) -> None:
    for suffix in ("-wal", "-shm"):
        world.store.with_name(world.store.name + suffix).unlink(missing_ok=True)
    world.store.write_bytes(b"no database at all" * 1_000)
    silent(world, world.prompt())
    assert len(world.spooled) == 1
    assert world.store.with_name("memory.db.suspect").exists()
    assert "damaged" in world.log


def test_a_store_of_a_newer_version_is_left_as_it_is(world: HookWorld) -> None:
    connection = connect(world.store, apsw.SQLITE_OPEN_READWRITE)
    connection.pragma("user_version", 999)
    connection.close()
    silent(world, world.prompt())
    assert len(world.spooled) == 1
    assert "too new" in world.log


@posix
def test_a_full_disk_costs_the_agent_nothing(world: HookWorld) -> None:
    import resource

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = world.hook(world.prompt(), before=full)
    assert (done.status, done.out) == (0, "")
    silent(world, world.prompt("there is room again"))
    assert [event.text for event in world.events()] == ["there is room again"]


def test_a_data_folder_that_cannot_be_made_costs_the_agent_nothing(world: HookWorld, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = world.hook(world.prompt(), env=world.environment(MEMLSP_DATA_DIR=str(tmp_path / "file" / "data")))
    assert (done.status, done.out, done.err) == (0, "", "")


@posix
def test_a_working_folder_that_is_gone_is_no_trouble(world: HookWorld, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()

    def leave() -> None:
        gone.rmdir()

    done = world.hook(world.prompt(), cwd=gone, before=leave)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert len(world.events()) == 1


def test_the_home_folder_is_no_project_unless_it_is_a_repository(world: HookWorld, tmp_path: Path) -> None:
    home = tmp_path / "homes" / "ada"
    home.mkdir(parents=True)
    (home / "diary.py").write_text("day = 1\n")
    env = world.environment(HOME=str(home), USERPROFILE=str(home))
    before = {path for path in world.data.rglob("*") if path.is_file()}
    for folder in (home, home.parent, Path(home.anchor)):
        assert world.hook(world.prompt(cwd=str(folder)), env=env).status == 0
    assert {path for path in world.data.rglob("*") if path.is_file()} == before
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    world.hook(world.prompt(cwd=str(home)), env=env)
    assert list(world.data.glob("workspaces/ada-*/spool/*.json"))


def test_a_folder_of_the_repository_that_is_gone_still_belongs_to_it(world: HookWorld) -> None:
    silent(world, {**world.prompt(), "cwd": str(world.root / "deleted" / "long ago")})
    assert len(world.events()) == 1


@posix
def test_it_needs_no_home(world: HookWorld) -> None:
    env = world.environment()
    del env["HOME"]
    done = world.hook(world.prompt(), env=env)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert len(world.events()) == 1


def test_a_bug_of_ours_is_a_line_in_the_log_and_nothing_else(world: HookWorld, tmp_path: Path) -> None:
    # a package without one of its modules, as after a broken update
    broken = tmp_path / "broken" / "memlsp"
    broken.mkdir(parents=True)
    for each in world.command()[3:4]:
        source = Path(each).parents[2]
        for path in source.rglob("*.py"):
            if path.name != "journal.py":
                place = broken / path.relative_to(source)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(path.read_bytes())
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(broken / "faces" / "hooks" / "entry.py"), "claude-code"],
        input=json.dumps(world.prompt("private words")).encode(),
        capture_output=True,
        env=world.environment(),
        timeout=patience(PATIENCE),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "ModuleNotFoundError" in world.log
    assert "private words" not in world.log


def test_the_log_never_grows_beyond_its_cap(world: HookWorld) -> None:
    (world.data / "hook.log").write_text("a line of long ago\n" * 7_000)
    world.hook(b"nonsense")
    world.hook(b"more nonsense")
    sizes = [path.stat().st_size for path in world.data.glob("hook.log*")]
    assert len(sizes) == 2
    assert sum(sizes) < 256 << 10
    assert world.log.count("\n") == 1


def test_the_doctor_tells_a_person_what_hooks_met(world: HookWorld) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:
        assert not [check for check in memory.doctor() if check.name == "hooks"]
        world.hook(b"nonsense")
        (told,) = [check for check in memory.doctor() if check.name == "hooks"]
    assert told.ok is None
    assert "claude-code sent 8 bytes that are no JSON" in told.message
    assert "hook.log" in told.advice


def test_help_says_what_it_is_for(world: HookWorld) -> None:
    done = subprocess.run(
        [*world.command("--help")],
        capture_output=True,
        text=True,
        env=world.environment(),
        timeout=patience(PATIENCE),
        check=False,
    )
    assert done.returncode == 0
    assert "Usage: memlsp hook AGENT" in done.stdout
    assert "claude-code" in done.stdout


# -- what it costs --------------------------------------------------------------------------------------------------

ALLOWED = {
    "__future__", "_blake2", "_json", "_sre", "apsw", "fcntl", "gc", "itertools", "marshal", "math", "msvcrt", "select",
    "zlib",
}  # fmt: skip
"""What a hook may import from outside of memlsp, beside what every Python has loaded when it begins."""


def imported(world: HookWorld, payload: object) -> set[str]:
    """The modules that a hook imports, beyond those of a Python that does nothing."""

    def loaded(words: list[str], data: bytes) -> set[str]:
        done = subprocess.run(
            words,
            input=data,
            capture_output=True,
            env=world.environment(),
            cwd=world.root,
            timeout=patience(PATIENCE),
            check=True,
        )
        lines = done.stderr.decode().splitlines()
        return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}

    first, *rest = world.command()
    ours = loaded([first, "-X", "importtime", *rest], json.dumps(payload).encode())
    return ours - loaded([first, "-X", "importtime", "-I", "-S", "-c", "import os"], b"")


def test_a_hook_imports_next_to_nothing(world: HookWorld) -> None:
    world.hook(world.prompt("the first one finds out where it is, and compiles"))
    found = imported(world, world.ran("pytest -q", "FAILED test_tax.py::test_rate - assert 1 == 2\n" * 50))
    found |= imported(world, world.prompt("push the release"))
    assert "memlsp.memory.injection.relevance" in found
    assert "apsw" in found
    assert {name for name in found if not name.startswith("memlsp")} <= ALLOWED
    rooms = {name.split(".")[1] for name in found if name.count(".") >= 1 and name.startswith("memlsp.")}
    assert rooms <= {"version", "agents", "faces", "memory", "store", "capture", "episodes"}
    assert len(world.events()) == 3


def test_a_hook_before_an_act_imports_the_clauses_of_beliefs_and_nothing_else_of_them(world: HookWorld) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.remember("Never git push github.")
    before = {**world.ran("git push github"), "hook_event_name": "PreToolUse"}
    assert "Never git push" in world.hook(before).out
    found = imported(world, {**before, "session_id": "s2"})
    assert {name for name in found if not name.startswith("memlsp")} <= ALLOWED
    beliefs = {name for name in found if name.startswith("memlsp.beliefs.")}
    assert beliefs == {"memlsp.beliefs.acts", "memlsp.beliefs.acts.clause", "memlsp.beliefs.acts.commands"}
