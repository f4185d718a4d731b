"""The snippets in real shells, on a terminal of their own."""

from __future__ import annotations

import json
import os
import pty
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import pytest
from patience import patience

from memlsp.faces.setup import programs
from memlsp.faces.setup.clients import shells
from memlsp.faces.setup.clients.shells import Shell

PATIENCE = 30
SHELLS = [Shell.BASH, Shell.ZSH, Shell.FISH]
STARTS = {
    Shell.BASH: ["bash", "--noprofile", "--norc", "-i"],
    Shell.ZSH: ["zsh", "-f", "-i"],
    Shell.FISH: ["fish", "--no-config", "--interactive"],
}

# a shell wants the terminal to be the one that controls it
ON_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)

Told = dict[str, str]


class Terminal:
    """A shell on a pseudo-terminal that has read our snippet; what it told is in a file."""

    def __init__(self, shell: Shell, folder: Path, told: Path, setting: str = "") -> None:
        snippet = folder / f"snippet.{shell}"
        snippet.write_text(shells.snippet(shell))
        self._told = told
        self._ours, theirs = pty.openpty()
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "XDG_CONFIG_HOME": str(folder / "c")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, *STARTS[shell]],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=env,
            start_new_session=True,
        )
        os.close(theirs)
        os.set_blocking(self._ours, False)
        if setting:
            self.type(setting)
        self.type(f"source {shlex.quote(str(snippet))}")
        self.run_until_told("echo ready")

    def type(self, line: str) -> None:
        """Type a line, and wait until the shell has prompted again."""
        marker = self._told.with_name("prompted")
        marker.unlink(missing_ok=True)
        os.write(self._ours, f"{line}\n".encode())
        os.write(self._ours, f" echo > {shlex.quote(str(marker))}\n".encode())
        self._await(marker.exists)

    def run_until_told(self, line: str) -> Told:
        """Type a command and give what the shell tells of it."""
        before = len(self.told())
        self.type(line)
        self._await(lambda: any(told["MEMLSP_COMMAND"] == line for told in self.told()[before:]))
        return next(told for told in self.told()[before:] if told["MEMLSP_COMMAND"] == line)

    def told(self) -> list[Told]:
        """All that was told so far, in the order in which it came."""
        text = self._told.read_text() if self._told.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def _await(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + patience(PATIENCE)
        seen = b""
        while not ready():
            with suppress(BlockingIOError):
                seen += os.read(self._ours, 65536)
            assert time.monotonic() < end, seen.decode(errors="replace")
            assert self._process.poll() is None, seen.decode(errors="replace")
            time.sleep(0.01)

    def close(self) -> None:
        """End the shell."""
        self._process.kill()
        self._process.wait(patience(PATIENCE))
        os.close(self._ours)


@pytest.fixture
def open_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[..., Terminal]]:
    told = tmp_path / "told"
    script = tmp_path / "it's a hook.py"
    script.write_text(
        "import json, os, sys\n"
        "line = json.dumps({k: v for k, v in os.environ.items() if k.startswith('MEMLSP_')}) + '\\n'\n"
        f"handle = os.open({str(told)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n"
        "os.write(handle, line.encode())\n"
    )

    def command(agent: str) -> list[str]:
        return [sys.executable, "-I", "-S", str(script), agent]

    monkeypatch.setattr(programs, "hook_command", command)
    terminals: list[Terminal] = []

    def start(shell: Shell, setting: str = "") -> Terminal:
        if not shutil.which(shell):
            pytest.skip(f"{shell} is not on this machine")
        terminals.append(Terminal(shell, tmp_path, told, setting))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


OpenTerminal = Callable[..., Terminal]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_is_told_with_its_exit_code_folder_and_time(
    shell: Shell, open_terminal: OpenTerminal, tmp_path: Path
) -> None:
    terminal = open_terminal(shell)
    told = terminal.run_until_told("sh -c 'exit 3' | cat; sh -c 'exit 4'")
    assert told["MEMLSP_EXIT"] == "4"
    assert told["MEMLSP_FOLDER"] == str(tmp_path)
    assert told["MEMLSP_SHELL"] == shell
    assert told["MEMLSP_MS"].isdigit()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_folder_is_the_one_in_which_a_command_was_started(
    shell: Shell, open_terminal: OpenTerminal, tmp_path: Path
) -> None:
    (tmp_path / "a b").mkdir()
    terminal = open_terminal(shell)
    assert terminal.run_until_told("cd 'a b'")["MEMLSP_FOLDER"] == str(tmp_path)
    assert terminal.run_until_told("true")["MEMLSP_FOLDER"] == str(tmp_path / "a b")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_that_begins_with_a_space_is_not_told(shell: Shell, open_terminal: OpenTerminal) -> None:
    terminal = open_terminal(shell)
    terminal.type(" echo my secret")
    terminal.run_until_told("echo after")
    assert not [told for told in terminal.told() if "secret" in told["MEMLSP_COMMAND"]]
    assert [told["MEMLSP_COMMAND"] for told in terminal.told()] == ["echo ready", "echo after"]


@pytest.mark.parametrize("kept", ["ignorespace", "ignoredups", "ignoreboth"])
def test_bash_tells_repeated_commands_and_no_secrets_whatever_its_history_keeps(
    kept: str, open_terminal: OpenTerminal
) -> None:
    terminal = open_terminal(Shell.BASH, f"HISTCONTROL={kept}")
    terminal.run_until_told("sh -c 'exit 1'")
    terminal.type(" echo my secret")
    terminal.run_until_told("sh -c 'exit 1'")
    terminal.run_until_told("sh -c 'exit 1'")
    assert [told["MEMLSP_COMMAND"] for told in terminal.told()] == ["echo ready", *["sh -c 'exit 1'"] * 3]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("variable", ["MEMLSP_TERMINAL", "MEMLSP_CAPTURE"])
def test_a_variable_turns_it_off_in_one_shell(shell: Shell, variable: str, open_terminal: OpenTerminal) -> None:
    terminal = open_terminal(shell)
    setting = f"set -g {variable} off" if shell is Shell.FISH else f"{variable}=off"
    terminal.type(f" {setting}")
    terminal.type("echo unheard")
    terminal.type(" set -e " + variable if shell is Shell.FISH else f" unset {variable}")
    terminal.run_until_told("echo heard")
    assert [told["MEMLSP_COMMAND"] for told in terminal.told()] == ["echo ready", "echo heard"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_exit_code_is_still_there_for_the_person(shell: Shell, open_terminal: OpenTerminal, tmp_path: Path) -> None:
    terminal = open_terminal(shell)
    os.write(terminal._ours, b"sh -c 'exit 7'\n")  # pyright: ignore[reportPrivateUsage]
    status = "$status" if shell is Shell.FISH else "$?"
    terminal.type(f"echo {status} > {shlex.quote(str(tmp_path / 'status'))}")
    assert (tmp_path / "status").read_text() == "7\n"


@pytest.mark.parametrize("shell", [*SHELLS, Shell.POWERSHELL])
def test_a_snippet_says_where_it_came_from_and_how_to_turn_it_off(shell: Shell) -> None:
    text = shells.snippet(shell)
    assert text.startswith("# memlsp: written by `memlsp init`")
    assert "MEMLSP_TERMINAL" in text
    assert "@" not in text.replace("@{", "").replace("[@]", "")
