"""Terminals: a snippet for each shell that reports its commands to memlsp. Off until it is asked for."""

from __future__ import annotations

import shlex
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from memlsp.faces.setup import programs
from memlsp.faces.setup.edits.marked_block import Marks
from memlsp.faces.setup.file_edits import MarkedBlock, OwnFile, SetupEdit
from memlsp.faces.setup.machine import UserMachine

_SIGN = "# memlsp: written by `memlsp init`"
_ABOUT = "shell integration"


class Shell(StrEnum):
    """The shells with a snippet."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def snippet(shell: Shell) -> str:
    """The text that the shell has to read when it starts."""
    name = "memlsp.ps1" if shell is Shell.POWERSHELL else f"memlsp.{shell}"
    text = (files("memlsp.faces.setup") / "shell" / name).read_text("utf-8")
    command = programs.hook_command("terminal")
    if shell is Shell.POWERSHELL:
        program, *words = command
        text = text.replace("@PROGRAM@", _powershell(program))
        return text.replace("@ARGUMENTS@", _powershell(" ".join(f'"{word}"' for word in words)))
    if shell is Shell.FISH:  # in which only backslash and quotation mark are special between quotation marks
        quoted = ("'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'" for word in command)
        return text.replace("@COMMAND@", " ".join(quoted))
    return text.replace("@COMMAND@", shlex.join(command))


def edits(machine: UserMachine, shell: Shell, data_folder: Path) -> list[SetupEdit]:
    """The edits for `memlsp init --shell`: the snippet, and a line that reads it unless the shell finds it by itself.
    The line reads a file: running memlsp for the text would cost every new shell a tenth of a second."""
    text = snippet(shell)
    if shell is Shell.FISH:
        folder = machine.folder("XDG_CONFIG_HOME", ".config") / "fish" / "conf.d"
        return [OwnFile(folder / "memlsp.fish", _ABOUT, text, _SIGN)]
    if shell is Shell.POWERSHELL:
        kept = data_folder / "setup" / "memlsp.ps1"
        word = _powershell(str(kept))
        line = f"if (Test-Path {word}) {{ . {word} }}"
        return [OwnFile(kept, _ABOUT, text, _SIGN), MarkedBlock(_profile(machine), _ABOUT, line, Marks.SHELL)]
    kept = data_folder / "setup" / f"memlsp.{shell}"
    word = shlex.quote(str(kept))
    line = f"[ -r {word} ] && . {word}"
    start = machine.folder("ZDOTDIR") / ".zshrc" if shell is Shell.ZSH else machine.home / ".bashrc"
    return [OwnFile(kept, _ABOUT, text, _SIGN), MarkedBlock(start, _ABOUT, line, Marks.SHELL)]


def _profile(machine: UserMachine) -> Path:
    if machine.platform == "win32":
        return machine.home / "Documents" / "PowerShell" / "profile.ps1"
    return machine.folder("XDG_CONFIG_HOME", ".config") / "powershell" / "profile.ps1"


def _powershell(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
