"""What a person set holds, what a repository sets can only be stricter, and what cannot be read is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.capture.redaction.event_filter import WITHHELD, Screen
from memlsp.capture.settings import settings
from memlsp.capture.settings.reader import read
from memlsp.capture.settings.schema import SETTINGS, load
from memlsp.capture.settings.settings import IGNORED, Settings
from memlsp.capture.settings.switches import off_switches, turn
from memlsp.capture.workspace.globs import matches, matches_name


class World:
    """A workspace, a data folder and a user's settings."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.data = folder / "data"
        self.user_file = folder / "user.toml"
        (self.root / ".memlsp").mkdir(parents=True)

    def user(self, text: str) -> None:
        self.user_file.write_text(text, encoding="utf-8")

    def workspace(self, text: str) -> None:
        (self.root / ".memlsp" / "config.toml").write_text(text, encoding="utf-8")

    def read(self) -> Settings:
        return read(str(self.root), str(self.data))

    def screen(self) -> Screen:
        return Screen(str(self.root), str(self.data))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setenv("MEMLSP_CONFIG", str(made.user_file))
    monkeypatch.delenv("MEMLSP_CAPTURE", raising=False)
    return made


def test_without_files_everything_is_on_but_terminals(world: World) -> None:
    screen = world.screen()
    assert not any(screen.why_off(source) for source in ("claude-code", "cursor", "editor", "files", "git"))
    assert screen.why_off("terminal") == "terminals are off in the settings"
    assert screen.settings.messages == ()


def test_the_user_turns_sources_on_and_off(world: World) -> None:
    world.user("[capture]\nagents = false\nterminals = true\n[caps]\noutput = 10\n")
    screen = world.screen()
    assert screen.why_off("codex") == "agents are off in the settings"
    assert screen.why_off("terminal") == ""
    assert screen.settings.output == 10


def test_a_workspace_makes_things_stricter(world: World) -> None:
    world.user("[caps]\ntext = 9000\n")
    world.workspace(
        '[capture]\ngit = false\nignore = ["*.sql"]\n[caps]\ntext = 100\n[redaction]\npersonal = ["email"]\n'
        '[workspace]\nid = "x"\n'
    )
    found = world.read()
    assert found.messages == ()
    assert "git" in found.off
    assert found.text == 100
    assert found.personal == ("email",)
    assert matches(found.ignore, "dump.sql")


@pytest.mark.parametrize(
    "text",
    [
        "[capture]\nterminals = true",
        "[capture]\nagents = true",
        '[capture]\noff = ["/x"]',
        '[capture]\nignore = ["!.env"]',
        "[caps]\ntext = 4001",
        '[learning]\nadmit = [{from = "AGENTS.md"}]',
        '[learning]\nadmit = [{kind = "rule"}]',
        '[terminal]\nprogram = "sh"',
        '[capture]\ncommand = "sh"',
    ],
)
def test_a_workspace_cannot_loosen_anything(world: World, text: str) -> None:
    world.user("[capture]\nagents = false\n")
    before = {name: getattr(world.read(), name) for name in Settings.__slots__}
    world.workspace(text)
    found = world.read()
    assert len(found.messages) == 1
    assert {name: getattr(found, name) for name in Settings.__slots__} | {"messages": ()} == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[capture]\nagents = 1", "capture.agents is true or false"),
        ("[capture]\nagent = true", "there is no setting capture.agent"),
        ("capture = 1", "there is no setting 'capture'"),
        ("[caps]\ntext = -1", "caps.text is a number from 0 to 20,000"),
        ("[caps]\nday = true", "caps.day is a number from 0 to 1,000,000"),
        ('[redaction]\npersonal = ["name"]', "redaction.personal knows email, phone, card, not 'name'"),
        ('[capture]\nignore = "x"', "capture.ignore is a list of patterns"),
        ('[capture]\noff = ["here"]', "capture.off takes absolute folders, not 'here'"),
        ('[agents]\nenforce = "dney"', "agents.enforce is `tell`, `ask` or `deny`, not 'dney': until then it is `ask`"),
        ("[agents]\nenforce = true", "agents.enforce is `tell`, `ask` or `deny`"),
        ('[agents]\nenforced = "deny"', "there is no setting agents.enforced"),
        ("[learning]\nadmit = [1]", "learning.admit takes entries such as"),
        ("[learning]\nadmit = [{}]", "learning.admit takes entries such as"),
        ('[learning]\nadmit = [{kind = "law"}]', "learning.admit takes entries such as"),
        ('[learning]\nadmit = [{source = "suggestion"}]', "learning.admit takes entries such as"),
        ('[learning]\nadmit = [{from = ""}]', "learning.admit takes entries that say what they admit"),
    ],
)
def test_a_bad_value_is_told_and_the_default_holds(world: World, text: str, told: str) -> None:
    world.user(text)
    found = world.read()
    assert len(found.messages) == 1
    assert told in found.messages[0]
    plain = Settings()
    if "admit" in text:
        plain.admit = ()  # what cannot be read admits nothing
    if "enforce " in text:
        plain.enforce = "ask"  # and gives no act away that a locked rule forbids
    assert {name: getattr(found, name) for name in Settings.__slots__ if name != "messages"} == {
        name: getattr(plain, name) for name in Settings.__slots__ if name != "messages"
    }


def test_a_file_that_cannot_be_read_turns_capturing_off(world: World) -> None:
    world.user("[capture\nagents = false")
    screen = world.screen()
    assert "cannot be read" in screen.why_off("claude-code")
    assert "cannot be read" in screen.settings.messages[0]
    assert screen.settings.enforce == "ask"


def test_what_a_file_says_of_itself_is_one_harmless_line_and_there_are_few(world: World) -> None:
    world.workspace("".join(f'["\\u001b[2J{number}{"x" * 900}"]\n' for number in range(9)))
    faults = world.read().faults
    assert len(faults) == 4
    assert all(line.isprintable() and len(line) <= 240 for line in faults)


def test_a_change_of_either_file_is_seen(world: World) -> None:
    world.user("[caps]\ntext = 11")
    assert world.read().text == 11
    world.user("[caps]\ntext = 1111")
    assert world.read().text == 1111
    world.workspace("[caps]\ntext = 5")
    assert world.read().text == 5


def test_what_was_worked_out_is_kept_privately_and_a_damaged_copy_is_not_believed(world: World) -> None:
    world.user("[caps]\ntext = 11")
    world.read()
    (kept,) = (world.data / "settings").iterdir()
    if os.name == "posix":
        assert kept.stat().st_mode & 0o077 == 0
    kept.write_bytes(kept.read_bytes()[:-3])
    assert world.read().text == 11


def test_settings_that_were_worked_out_are_read_without_a_parser(world: World) -> None:
    world.user("[caps]\ntext = 11")
    world.read()
    program = (
        f"import sys; sys.path.insert(0, {str(Path(settings.__file__).parents[3])!r}); before = set(sys.modules)\n"
        "from memlsp.capture.redaction.event_filter import Screen\n"
        f"assert Screen({str(world.root)!r}, {str(world.data)!r}).settings.text == 11\n"
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    with_os = {"os", "posixpath", "ntpath", "genericpath", "stat", "_stat", "_collections_abc"}
    assert loaded <= {"memlsp", "_blake2", "__future__"} | with_os


@pytest.mark.parametrize("word", ["off", "OFF", "0", "false", "no"])
def test_the_environment_switches_all_off(world: World, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("MEMLSP_CAPTURE", word)
    assert world.screen().why_off("git") == f"MEMLSP_CAPTURE is {word}"
    monkeypatch.setenv("MEMLSP_CAPTURE", "on")
    assert world.screen().why_off("git") == ""


def test_switches_are_for_a_folder_a_session_a_source_or_all(world: World) -> None:
    data = str(world.data)
    assert turn(data, "folder", str(world.root / "inner"), 1, off=True)
    assert turn(data, "session", "abc", 2, off=True)
    assert turn(data, "source", "cursor", 3, off=True)
    screen = world.screen()
    assert screen.why_off("codex") == ""
    assert screen.why_off("codex", folder=str(world.root / "inner" / "deep"))
    assert not screen.why_off("codex", folder=str(world.root / "inner-not"))
    assert screen.why_off("codex", "abc")
    assert screen.why_off("cursor")
    turn(data, "all", "", 4, off=True)
    assert world.screen().why_off("codex")


def test_a_switch_turned_twice_is_turned_once(world: World) -> None:
    data = str(world.data)
    assert turn(data, "session", "abc", 2, off=True)
    assert not turn(data, "session", "abc", 3, off=True)
    assert [each.at for each in off_switches(data)] == [2]
    assert turn(data, "session", "abc", 4, off=False)
    assert not turn(data, "session", "abc", 5, off=False)
    assert off_switches(data) == []


def test_many_sessions_that_were_off_do_not_turn_a_folder_on(world: World) -> None:
    data = str(world.data)
    turn(data, "folder", str(world.root), 1, off=True)
    lines = "".join(f"session\t{number}\ts{number}\n" for number in range(1_200))
    with (world.data / "capture-off").open("a", encoding="utf-8") as file:
        file.write(lines)
    assert turn(data, "session", "one more", 2, off=True)
    kept = off_switches(data)
    assert kept[0].kind == "folder"
    assert kept[-1].name == "one more"
    assert len(kept) == 1_002


def test_a_switch_waits_for_another_that_is_being_turned(world: World) -> None:
    first = (
        "from memlsp.capture.settings.switches import turn; import sys;"
        " turn(sys.argv[1], 'session', sys.argv[2], 1, off=True)"
    )
    runs = [subprocess.Popen([sys.executable, "-c", first, str(world.data), f"s{number}"]) for number in range(6)]
    assert [run.wait(timeout=60) for run in runs] == [0] * 6
    assert sorted(each.name for each in off_switches(str(world.data))) == [f"s{number}" for number in range(6)]


def test_a_folder_that_is_off_is_off_through_a_link_too(world: World, tmp_path: Path) -> None:
    try:
        (tmp_path / "link").symlink_to(world.root, target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    world.user(f"[capture]\noff = ['{world.root}']")
    assert world.screen().why_off("git", folder=str(tmp_path / "link" / "inner"))


@pytest.mark.parametrize(
    ("path", "out"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        ("C:\\Users\\ada\\.ssh\\id_rsa", True),
        ("/home/ada/.ssh/config", True),
        ("certs/site.PEM", True),
        ("home/.aws/credentials", False),
        (".aws/credentials", True),
        ("src/environment.py", False),
        ("docs/env.md", False),
        ("id_rsa.pub", True),
        ("keys.py", False),
    ],
)
def test_files_that_hold_secrets_are_ignored_by_default(path: str, out: bool) -> None:
    assert matches(IGNORED, path) is out


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.log", "a/b/c.log", True),
        ("/a/*.log", "a/b/c.log", False),
        ("/a/*.log", "a/c.log", True),
        ("a/**/c", "a/x/y/c", True),
        ("a/**/c", "a/c", True),
        ("**/c", "a/b/c", True),
        ("build/", "x/build/y", True),
        ("a/b", "a/b/c", True),
        ("a/b", "x/a/b", False),
        ("[ab]?.txt", "b1.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[a-c].txt", "b.txt", True),
        ("secret", "my-secret", False),
    ],
)
def test_patterns_are_those_of_a_gitignore(pattern: str, path: str, fits: bool) -> None:
    assert matches([pattern], path) is fits


def test_the_last_pattern_decides() -> None:
    assert not matches([".env*", "!.env.example"], ".env.example")
    assert matches([".env*", "!.env.example", "*.example"], ".env.example")


@given(st.text("ab*?[]!-\\", max_size=12), st.text("ab]-", max_size=12))
def test_any_pattern_is_answered(pattern: str, text: str) -> None:
    assert matches_name(text, "*" + text.replace("[", "")) or "\\" in text or "[" in text
    matches_name(text, pattern)


def test_many_stars_take_no_time() -> None:
    assert not matches_name("a" * 2_000, "*a" * 60 + "b")


def test_what_an_ignored_file_holds_does_not_come_in(world: World) -> None:
    screen = world.screen()
    assert screen.sift({"kind": "read", "paths": [".env"], "output": "A=1"}) == "ignored"
    both: dict[str, object] = {"kind": "edit", "paths": [".env", "a.py"], "text": "A=1", "output": "A=1"}
    assert screen.sift(both) == ""
    assert both == {"kind": "edit", "paths": ["a.py"], "text": "", "found": [WITHHELD]}
    plain: dict[str, object] = {"kind": "edit", "paths": ["a.py"], "text": "x", "output": "y"}
    assert screen.sift(plain) == ""
    assert plain["output"] == "y"


@pytest.mark.parametrize(
    "command",
    [
        "cat .env",
        "cat ./deploy/.env.production | head",
        "openssl x509 -in site.pem",
        "base64 <~/.ssh/id_rsa",
        'sh -c "cat .env"',
    ],
)
def test_what_a_command_prints_of_an_ignored_file_does_not_come_in(world: World, command: str) -> None:
    record: dict[str, object] = {"kind": "command", "text": command + "\nA=1", "output": "A=1", "paths": []}
    assert world.screen().sift(record) == ""
    assert record["text"] == command
    assert "output" not in record


def test_what_other_commands_print_comes_in(world: World) -> None:
    record: dict[str, object] = {
        "kind": "command",
        "text": "pytest tests/test_env.py -k 'env or x'",
        "output": "1 passed",
    }
    assert world.screen().sift(record) == ""
    assert record["output"] == "1 passed"


def test_every_setting_says_what_it_is_for() -> None:
    assert all(each.about.endswith(".") and each.sort and each.default for each in SETTINGS)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes among the files there")
def test_a_pipe_in_the_place_of_settings_holds_nobody_up(world: World) -> None:
    os.mkfifo(world.root / ".memlsp" / "pipe")
    (world.root / ".memlsp" / "config.toml").symlink_to("pipe")
    found = world.read()
    assert "no ordinary file" in found.messages[0]
    assert found.why_off


def test_switches_that_cannot_be_read_turn_everything_off(world: World) -> None:
    (world.data / "capture-off").mkdir(parents=True)
    assert world.screen().why_off("claude-code") == "all is switched off"
    with pytest.raises(OSError, match="capture-off"):
        turn(str(world.data), "session", "s1", 1, off=True)


def test_the_null_device_stands_for_no_settings() -> None:
    assert load(os.devnull, os.devnull).why_off == ""
