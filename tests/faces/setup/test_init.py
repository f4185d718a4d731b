"""`memlsp init` and `memlsp uninstall`, over files that people have."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from setup_machine import Machine

from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import ClientKind
from memlsp.faces.setup.edits.jsonc import parse
from memlsp.faces.setup.machine import Extent, UserMachine

AGENTS = [client.name for client in CLIENTS if client.kind is ClientKind.AGENT]
EDITORS = [client.name for client in CLIENTS if client.kind is ClientKind.EDITOR]
NAMED = [*(("--agent", name) for name in AGENTS), *(("--editor", name) for name in EDITORS)]

CLAUDE_SETTINGS = """\
{
  // how I like it
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }, // mine
    ],
  },
}
"""


def files_of(machine: Machine) -> list[Path]:
    """Every file that some client would write."""
    host = UserMachine(machine.home, machine.project, {})
    return [edit.path for client in CLIENTS for extent in Extent for edit in client.edits(host, extent).all]


def seed(machine: Machine) -> None:
    """Something of the person's own in every file that could have it."""
    texts = {
        ".json": '{\r\n    "mine": {"a": [1, 2]}, // said so\r\n    "hooks": {"Stop": []}\r\n}',
        ".toml": '# mine\nmodel = "o"\n[mcp_servers.other]\ncommand = "x"',
        ".md": "\ufeff# Mine\r\n\r\nDo this.",
        ".sublime-settings": "// mine\n{}\n",
    }
    for path in files_of(machine):
        if path.suffix in texts and path.name != "memlsp.md" and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(texts[path.suffix].encode())


def written(path: Path) -> object:
    """The value in a JSON file."""
    return parse(path.read_text()).value


def claude(machine: Machine, text: str = CLAUDE_SETTINGS) -> Path:
    """Claude Code is here, with these settings."""
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("named", NAMED, ids=lambda named: str(named[1]))
@pytest.mark.parametrize("seeded", [False, True], ids=["empty", "seeded"])
def test_after_uninstall_every_file_is_as_it_was(machine: Machine, named: tuple[str, str], seeded: bool) -> None:
    if seeded:
        seed(machine)
    before = machine.tree()
    machine.run("init", *named, "--user", "--yes")
    machine.run("init", *named, "--project", "--yes")
    after = machine.tree()
    assert machine.run("init", *named, "--yes").stdout.startswith("Nothing to do.")
    assert machine.tree() == after
    machine.run("uninstall", "--yes")
    assert machine.tree() == before
    assert not machine.data.exists() or not list(machine.data.iterdir())


def test_all_at_once_and_back(machine: Machine) -> None:
    seed(machine)
    before = machine.tree()
    words = [word for named in NAMED for word in named]
    machine.run("init", *words, "--yes")
    machine.run("init", *words, "--project", "--yes")
    machine.run("uninstall", "--yes")
    assert machine.tree() == before


def test_a_dry_run_shows_a_diff_and_writes_nothing(machine: Machine) -> None:
    claude(machine)
    before = machine.tree()
    shown = machine.run("init", "--dry-run").stdout
    assert "--- ~/.claude/settings.json\n+++ ~/.claude/settings.json\n" in shown
    assert '+    "SessionStart": [\n' in shown
    assert "--- /dev/null\n+++ ~/.claude.json\n" in shown
    assert machine.tree() == before
    assert not machine.data.exists()


def test_where_nobody_can_be_asked_nothing_is_written(machine: Machine) -> None:
    claude(machine)
    before = machine.tree()
    assert "Nothing was written: there is nobody to ask" in machine.run("init").stdout
    assert machine.tree() == before


def test_a_person_is_asked_and_may_say_no(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(machine)
    before = machine.tree()
    monkeypatch.setattr("memlsp.faces.cli.admin.setup.attended", lambda: True)
    assert "Nothing was written." in machine.run("init", stdin="n\n").stdout
    assert machine.tree() == before
    assert "Write 3 files?" in machine.run("init", stdin="y\n").stdout
    assert machine.tree() != before


def test_only_what_is_here_is_set_up(machine: Machine) -> None:
    assert "No agent or editor was found" in machine.run("init").stdout
    (machine.home / ".codex").mkdir()
    machine.run("init", "--yes")
    assert (machine.home / ".codex" / "hooks.json").exists()
    assert not (machine.home / ".claude").exists()


HOMES = (".claude", ".codex", ".copilot", ".cursor", ".gemini", ".codeium/windsurf", ".config/opencode")
EDITOR_HOMES = (".config/Code", ".config/nvim", ".config/sublime-text/Packages/User", ".config/zed")


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
@pytest.mark.parametrize("home", [*HOMES, *EDITOR_HOMES])
@pytest.mark.parametrize("extent", [(), ("--project",)], ids=["user", "project"])
def test_setting_up_twice_writes_what_setting_up_once_does(
    machine: Machine, home: str, extent: tuple[str, ...]
) -> None:
    (machine.home / home).mkdir(parents=True)
    machine.run("init", *extent, "--yes")
    once = machine.tree()
    machine.run("init", *extent, "--yes")
    assert machine.tree() == once


def test_a_program_on_the_path_is_found(machine: Machine) -> None:
    folder = Path(os.environ["PATH"])
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\n")
    (folder / "claude").chmod(0o755)
    assert "~/.claude/settings.json" in machine.run("init", "--dry-run").stdout


def test_comments_and_the_hooks_of_others_stay(machine: Machine) -> None:
    path = claude(machine)
    machine.run("init", "--yes")
    text = path.read_text()
    assert "// how I like it" in text
    assert '"./mine.sh" }] }, // mine' in text
    settings = written(path)
    assert isinstance(settings, dict)
    assert settings["model"] == "opus"


def test_each_part_can_be_left_out(machine: Machine) -> None:
    claude(machine)
    machine.run("init", "--yes", "--without", "hooks", "--without", "routing")
    assert (machine.home / ".claude" / "settings.json").read_text() == CLAUDE_SETTINGS
    assert not (machine.home / ".claude" / "CLAUDE.md").exists()
    assert (machine.home / ".claude.json").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"hooks": ', "line 1"),
        (b'{"hooks": []}', "hooks is no object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is no array"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b'{"a": 1, "a": 2}', "stands there twice"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line_and_left(machine: Machine, content: bytes, says: str) -> None:
    path = claude(machine)
    path.write_bytes(content)
    result = machine.run("init", "--yes", status=1)
    (line,) = result.stderr.splitlines()
    assert line.startswith("left    ~/.claude/settings.json: ")
    assert says in line
    assert path.read_bytes() == content
    assert (machine.home / ".claude.json").exists()  # the other file is written all the same


def test_a_read_only_file_is_left(machine: Machine) -> None:
    path = claude(machine)
    path.chmod(0o444)
    assert "is read-only" in machine.run("init", "--yes", status=1).stderr
    assert path.read_text() == CLAUDE_SETTINGS


def test_a_link_that_leads_nowhere_and_a_folder_are_left(machine: Machine) -> None:
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / "settings.json").symlink_to("gone.json")
    (machine.home / ".claude.json").mkdir()
    said = machine.run("init", "--yes", status=1).stderr
    assert "is a link to gone.json, which does not exist" in said
    assert "is no ordinary file" in said


def test_a_project_does_not_choose_which_file_outside_of_it_is_written(machine: Machine) -> None:
    (machine.home / ".bashrc").write_text("alias ll='ls -l'\n")
    (machine.project / "CLAUDE.md").symlink_to(machine.home / ".bashrc")
    (machine.project / ".claude").symlink_to(machine.home)
    before = machine.tree()
    said = machine.run("init", "--project", "--agent", "claude-code", "--yes", status=1).stderr
    assert said.count("leads out of the project") == 2
    assert {name: data for name, data in machine.tree().items() if name != "project/.mcp.json"} == before


def test_a_linked_file_is_written_where_it_lies(machine: Machine) -> None:
    dotfiles = machine.home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text(CLAUDE_SETTINGS)
    (machine.home / ".claude").mkdir()
    link = machine.home / ".claude" / "settings.json"
    link.symlink_to(dotfiles / "claude.json")
    before = machine.tree()
    machine.run("init", "--yes")
    assert link.is_symlink()
    assert "memlsp" in (dotfiles / "claude.json").read_text()
    machine.run("uninstall", "--yes")
    assert machine.tree() == before


def test_the_mode_stays_and_the_copy_is_for_its_owner_alone(machine: Machine) -> None:
    path = claude(machine)
    path.chmod(0o640)
    machine.run("init", "--yes")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (copy,) = (machine.data / "setup").glob("*.before")
    assert copy.read_text() == CLAUDE_SETTINGS
    for kept in (machine.data / "setup").iterdir():
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_file_under_two_names_keeps_both(machine: Machine) -> None:
    path = claude(machine)
    other = machine.home / "other.json"
    os.link(path, other)
    machine.run("init", "--yes")
    assert other.read_bytes() == path.read_bytes()
    machine.run("uninstall", "--yes")
    assert other.read_text() == CLAUDE_SETTINGS


def test_what_somebody_wrote_after_us_stays(machine: Machine) -> None:
    path = claude(machine)
    machine.run("init", "--yes")
    path.write_text(path.read_text().replace('"model": "opus",', '"model": "sonnet", // cheaper'))
    (machine.home / ".claude.json").write_text(
        (machine.home / ".claude.json").read_text().replace("{", '{\n  "numStartups": 3,', 1)
    )
    machine.run("uninstall", "--yes")
    assert path.read_text() == CLAUDE_SETTINGS.replace('"model": "opus",', '"model": "sonnet", // cheaper')
    assert written(machine.home / ".claude.json") == {"numStartups": 3}


def test_uninstall_needs_no_ledger(machine: Machine) -> None:
    seed(machine)
    before = machine.tree()
    words = [word for named in NAMED for word in named]
    machine.run("init", *words, "--yes")
    (machine.data / "setup" / "ledger.json").write_text("{ broken")
    machine.run("uninstall", "--yes")
    for name, content in machine.tree().items():
        assert b"memlsp" not in (content if isinstance(content, bytes) else b""), name
    kept = {
        name: "".join(content.decode().split())
        for name, content in machine.tree().items()
        if isinstance(content, bytes)
    }
    for name, content in before.items():
        if isinstance(content, bytes) and name.endswith((".toml", ".md")):
            assert kept[name] == "".join(content.decode().split())


def test_a_file_whose_copy_is_lost_is_not_taken_for_ours(machine: Machine) -> None:
    path = claude(machine)
    machine.run("init", "--yes")
    for copy in (machine.data / "setup").glob("*.before"):
        copy.unlink()
    machine.run("uninstall", "--yes")
    assert path.read_text() == CLAUDE_SETTINGS


def test_another_interpreter_takes_the_place_of_the_first(machine: Machine, interpreter: Callable[[str], None]) -> None:
    path = claude(machine)
    own = machine.home / ".claude.json"
    machine.run("init", "--yes")
    own.write_text(own.read_text().replace('"env": {}', '"env": {"MEMLSP_DATA_DIR": "/elsewhere"}'))
    first = path.read_text()
    interpreter("/new/python")
    machine.run("init", "--yes")
    assert path.read_text() == first.replace("/opt/python/bin/python", "/new/python")
    server = written(own)
    assert isinstance(server, dict)
    assert server["mcpServers"] == {
        "memlsp": {
            "type": "stdio",
            "command": "/new/python",
            "args": ["-P", "-m", "memlsp", "mcp"],
            "env": {"MEMLSP_DATA_DIR": "/elsewhere"},
        }
    }
    machine.run("uninstall", "--yes")
    assert path.read_text() == CLAUDE_SETTINGS


def test_an_entry_that_somebody_wrote_by_hand_stays_as_it_is(machine: Machine) -> None:
    claude(machine)
    own = machine.home / ".claude.json"
    text = json.dumps({"mcpServers": {"memlsp": {"command": "memlsp", "args": ["mcp", "--root", "/x"]}}})
    own.write_text(text)
    machine.run("init", "--yes")
    assert own.read_text() == text


def test_a_server_of_our_name_that_is_something_else_is_refused(machine: Machine) -> None:
    claude(machine)
    own = machine.home / ".claude.json"
    own.write_text('{"mcpServers": {"memlsp": {"command": "other"}}}')
    assert "starts something else" in machine.run("init", "--yes", status=1).stderr
    machine.run("uninstall", "--yes")
    assert written(own) == {"mcpServers": {"memlsp": {"command": "other"}}}


def test_uninstall_reaches_other_projects(machine: Machine, tmp_path: Path) -> None:
    machine.run("init", "--agent", "cursor", "--project", "--yes")
    other = Machine(machine.home, tmp_path / "other", machine.data)
    other.project.mkdir()
    before = {name for name in machine.tree() if ".git" in name}
    other.run("uninstall", "--yes")
    assert set(machine.tree()) - before == {"home", "project"} - {"home", "project"}


def test_a_project_gets_commands_that_fit_every_machine(machine: Machine) -> None:
    words = [word for name in AGENTS for word in ("--agent", name)]
    machine.run("init", *words, "--project", "--yes")
    for path in machine.project.rglob("*"):
        if path.is_file() and ".git/" not in str(path) and path.name != "settings.local.json":
            assert "/opt/python" not in path.read_text(), path
    assert "/opt/python" in (machine.project / ".claude" / "settings.local.json").read_text()


def test_the_plugin_is_not_doubled(machine: Machine) -> None:
    claude(machine, '{"enabledPlugins": {"memlsp@memlsp": true}}')
    assert "the memlsp plugin is enabled" in machine.run("init", "--yes").stdout
    assert not (machine.home / ".claude.json").exists()


def test_what_was_changed_between_looking_and_writing_is_not_overwritten(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude(machine)

    def meanwhile(*_: object, **__: object) -> bool:
        path.write_text('{"new": 1}')
        return True

    monkeypatch.setattr("click.confirm", meanwhile)
    monkeypatch.setattr("memlsp.faces.cli.admin.setup.attended", lambda: True)
    assert "was changed meanwhile" in machine.run("init", "--without", "routing", status=1).stderr
    assert path.read_text() == '{"new": 1}'


def test_purge_deletes_this_workspaces_memory_and_no_other(machine: Machine, tmp_path: Path) -> None:
    other = Machine(machine.home, tmp_path / "other", machine.data)
    other.project.mkdir()
    for place in (machine, other):
        place.run("remember", "prices are gross")
    machine.run("uninstall", "--purge", "--yes")
    assert machine.run("beliefs", "--json").stdout == "[]\n"
    assert len(json.loads(other.run("beliefs", "--json").stdout)) == 1


def test_purge_all_leaves_nothing_but_what_is_not_ours(machine: Machine) -> None:
    machine.run("remember", "prices are gross")
    (machine.data / "mine.txt").write_text("mine")
    (machine.data / "patterns").mkdir()  # where the package's own folder cannot be written
    (machine.data / "patterns" / "redaction.patterns").write_bytes(b"")
    machine.run("uninstall", "--purge-all", "--yes")
    assert [path.name for path in machine.data.iterdir()] == ["mine.txt"]
    (machine.data / "mine.txt").unlink()
    machine.run("remember", "prices are gross")
    machine.run("uninstall", "--purge-all", "--yes")
    assert not machine.data.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_the_data_folder_that_setting_up_makes_is_for_its_owner_alone(machine: Machine) -> None:
    claude(machine)
    machine.run("init", "--agent", "claude-code", "--shell", "bash", "--yes")
    folders = [machine.data, *(place for place in machine.data.rglob("*") if place.is_dir())]
    assert {place.stat().st_mode & 0o777 for place in folders} == {0o700}


def test_purge_asks(machine: Machine) -> None:
    machine.run("remember", "prices are gross")
    assert "Kept:" in machine.run("uninstall", "--purge-all").stdout
    assert len(json.loads(machine.run("beliefs", "--json").stdout)) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_a_shell_is_set_up_only_when_asked_for(machine: Machine, shell: str) -> None:
    (machine.home / ".bashrc").write_text("alias x=y")
    claude(machine)
    before = machine.tree()
    machine.run("init", "--shell", shell, "--yes")
    assert (machine.home / ".claude" / "settings.json").read_text() == CLAUDE_SETTINGS
    assert machine.tree() != before
    machine.run("uninstall", "--yes")
    assert machine.tree() == before
    machine.run("init", "--yes")
    assert (machine.home / ".bashrc").read_text() == "alias x=y"


def test_the_routing_text_is_short_and_stands_once(machine: Machine) -> None:
    (machine.project / "AGENTS.md").write_text("# Rules\n")
    machine.run("init", "--agent", "codex", "--agent", "opencode", "--agent", "copilot-cli", "--project", "--yes")
    text = (machine.project / "AGENTS.md").read_text()
    assert text.startswith("# Rules\n")
    assert text.count("## Memory (memlsp)") == 1
    assert len(text) < 800


@pytest.mark.parametrize(
    ("agent", "file", "deciding"),
    [
        ("cursor", ".cursor/hooks.json", "beforeShellExecution"),
        ("gemini", ".gemini/settings.json", "BeforeTool"),
        ("copilot-cli", ".copilot/hooks/memlsp-cli.json", "preToolUse"),
    ],
)
def test_hooks_that_decide_about_a_call_come_and_go_with_the_setting(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, agent: str, file: str, deciding: str
) -> None:
    config = machine.home / "config.toml"
    monkeypatch.setenv("MEMLSP_CONFIG", str(config))
    path = machine.home / file
    machine.run("init", "--yes", "--agent", agent)
    first = path.read_bytes()
    assert deciding not in first.decode()
    config.write_text('[agents]\nenforce = "deny"\n')
    machine.run("init", "--yes", "--agent", agent)
    assert deciding in path.read_text()
    config.write_text('[agents]\nenforce = "tell"\n')
    machine.run("init", "--yes", "--agent", agent)
    assert path.read_bytes() == first


def test_doctor_names_what_an_earlier_setup_left_out_and_the_command(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.run("init", "--yes", "--agent", "gemini", "--agent", "claude-code")
    assert "setup:" not in machine.run("doctor").stdout
    settings = tmp_path / "settings.toml"
    settings.write_text('[agents]\nenforce = "deny"\n', encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    printed = machine.run("doctor", status=1).stdout
    assert "BAD   setup: Gemini CLI: no hook for BeforeTool in ~/.gemini/settings.json" in printed
    assert "memlsp init --agent gemini" in printed
    assert "Claude Code" not in printed
    machine.run("init", "--yes", "--agent", "gemini")
    assert "setup:" not in machine.run("doctor").stdout


def test_doctor_says_that_hooks_start_another_memlsp(machine: Machine) -> None:
    machine.run("init", "--yes", "--agent", "cursor")
    path = machine.home / ".cursor" / "hooks.json"
    path.write_text(path.read_text().replace(" -I -S ", " -I "))
    assert "note  setup: Cursor: written by an earlier memlsp in ~/.cursor/hooks.json" in machine.run("doctor").stdout


def program(machine: Machine, name: str, says: str) -> None:
    """Put a program on the PATH that answers so to `--version`."""
    path = machine.home.parent / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n/bin/echo '{says}'\n")
    path.chmod(0o755)


def test_init_and_doctor_say_when_neovim_is_too_old_for_the_file(machine: Machine) -> None:
    program(machine, "nvim", "NVIM v0.7.2")
    said = "Neovim 0.7.2 is too old for memlsp.lua, which needs 0.11"
    assert said not in machine.run("doctor").stdout
    assert f"note: {said}" in machine.run("init", "--editor", "neovim", "--yes").stdout
    assert f"note  setup: {said}" in machine.run("doctor").stdout
    program(machine, "nvim", "NVIM v0.12.4-dev")
    assert "too old" not in machine.run("init", "--editor", "neovim", "--yes").stdout
    assert "too old" not in machine.run("doctor").stdout


@pytest.mark.parametrize("folder", [".emacs.d", ".config/emacs"])
def test_the_file_for_emacs_lies_where_emacs_looks_for_its_own(machine: Machine, folder: str) -> None:
    (machine.home / folder).mkdir(parents=True)
    before = machine.tree()
    printed = machine.run("init", "--editor", "emacs", "--yes").stdout
    assert '(with-eval-after-load \'eglot (load (locate-user-emacs-file "memlsp")))' in printed
    assert '"/opt/python/bin/python" "-P" "-m" "memlsp" "lsp"' in (machine.home / folder / "memlsp.el").read_text()
    machine.run("uninstall", "--yes")
    assert machine.tree() == before
