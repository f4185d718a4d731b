"""The commands that are written, run as agents run them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patience

from memlsp.faces.setup import programs
from memlsp.model.errors import Refused

PATIENCE = 60


def run(command: list[str], payload: object, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        timeout=patience(PATIENCE),
        env=environ,
        check=False,
    )


def test_the_hook_takes_an_event_and_ends_well(tmp_path: Path) -> None:
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(tmp_path), "source": "startup"}
    data = tmp_path / "data"
    done = run(programs.hook_command("claude-code"), payload, {"MEMLSP_DATA_DIR": str(data), "PATH": ""})
    assert (done.returncode, done.stderr) == (0, "")
    assert (data / "workspaces").is_dir()


def test_a_hook_whose_memlsp_is_gone_forbids_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "ENTRY", tmp_path / "memlsp" / "faces" / "hooks" / "entry.py")
    done = run(programs.hook_command("claude-code"), {}, {})
    assert done.returncode not in {0, 2}  # from a hook 2 means "no" to most agents
    assert "memlsp" in done.stderr


def test_a_script_in_a_folder_with_spaces_and_quotes_is_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / 'it\'s $HOME "so"' / "entry.py"
    script.parent.mkdir()
    script.write_text("import sys\nprint(sys.argv[1:], __name__, __file__)\n")
    monkeypatch.setattr(programs, "ENTRY", script)
    for command in (
        programs.hook_command("x y"),
        ["sh", "-c", programs.shell_line(programs.hook_command("x y"), "linux")],
    ):
        done = run(command, {}, {})
        assert done.stdout == f"['x y'] __main__ {script}\n", done.stderr


def test_the_server_does_not_take_modules_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "memlsp").mkdir()
    (tmp_path / "memlsp" / "__init__.py").write_text("raise SystemExit('a stranger')\n")
    command = [*programs.mcp_command(), "--help"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=patience(PATIENCE), check=False
    )
    assert "The MCP server for agents" in done.stdout, done.stderr


@pytest.mark.parametrize("agent", ["cursor", "codex"])
def test_a_line_for_windows_means_the_same_in_both_shells(agent: str) -> None:
    command = ["C:\\Py\\python.exe", "-I", "-c", "import sys; x = sys.argv[0]", "C:\\a b\\entry.py", agent]
    line = programs.shell_line(command, "win32")
    assert line == f'C:\\Py\\python.exe -I -c "import sys; x = sys.argv[0]" "C:\\a b\\entry.py" {agent}'


def test_what_is_written_has_nothing_that_a_shell_of_windows_would_read() -> None:
    line = programs.shell_line([*programs.hook_command("codex")][3:], "win32")
    assert not set(line) & set("$`%^!&|<>'"), line


@pytest.mark.parametrize(
    "value",
    [
        {"type": "command", "command": "/py", "args": ["-I", "/x/site-packages/memlsp/faces/hooks/entry.py", "codex"]},
        {"command": "'C:\\a b\\python.exe' -I \"C:\\x\\memlsp\\faces\\hooks\\entry.py\" cursor", "timeout": 5},
        {"type": "command", "exec": "memlsp", "args": ["hook", "copilot-cli"]},
        {"type": "command", "linux": "memlsp hook vscode", "osx": "memlsp hook vscode"},
        {"command": "/home dir/bin/memlsp hook gemini"},
        {"command": '"C:\\Program Files\\memlsp.exe" hook gemini'},
        {"hooks": [{"command": "memlsp hook codex"}]},
        {"matcher": "Bash", "hooks": [{"command": shlex.join(programs.hook_command("codex"))}]},
    ],
)
def test_our_hooks_are_known_by_their_looks(value: dict[str, programs.JsonValue]) -> None:
    assert programs.starts_our_hook(value)


@pytest.mark.parametrize(
    "value",
    [
        {"command": "memlsp doctor"},
        {"command": "echo memlsp hooks"},
        {"command": "notmemlsp hook"},
        {"command": "cd ~/src/memlsp && make hook"},
        {"hooks": [{"command": "memlsp hook codex"}, {"command": "mine"}]},
        {"hooks": []},
        {},
        None,
    ],
)
def test_the_hooks_of_others_are_not_taken_for_ours(value: programs.JsonValue) -> None:
    assert not programs.starts_our_hook(value)


@pytest.mark.parametrize(
    "path", ["/root/.cache/uv/archive-v0/abc/bin/python", "C:\\Users\\x\\pipx\\.cache\\a\\python.exe"]
)
def test_an_environment_that_will_be_gone_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", path)
    with pytest.raises(Refused, match="will be gone"):
        programs.hook_command("codex")
