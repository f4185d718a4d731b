"""Terminals: a snippet for each shell that tells memlsp which commands ran. Off until it is asked for."""

from __future__ import annotations

import shlex
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from memlsp.faces.setup import programs
from memlsp.faces.setup.edits.marked_block import Marks
from memlsp.faces.setup.machine import Surroundings
from memlsp.faces.setup.pieces import Block, Piece, Whole

_SIGN = "# memlsp: written by `memlsp init`"
_ABOUT = "shell integration"


class Shell(StrEnum):
    """The shells with a snippet."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def snippet(shell: Shell) -> str:
    """What the shell has to read when it starts."""
    name = "memlsp.ps1" if shell is Shell.POWERSHELL else f"memlsp.{shell}"
    text = (files("memlsp.faces.setup") / "shell" / name).read_text("utf-8")
    command = programs.hook_command("terminal")
    if shell is Shell.POWERSHELL:
        program, *words = command
        text = text.replace("@PROGRAM@", _powershell(program))
        return text.replace("@ARGUMENTS@", _powershell(" ".join(f'"{word}"' for word in words)))
    return text.replace(
        "@COMMAND@", " ".join(_fish(word) for word in command) if shell is Shell.FISH else _posix(command)
    )


def pieces(surroundings: Surroundings, shell: Shell, data_folder: Path) -> list[Piece]:
    """The files for `memlsp init --shell`: the snippet, and a line that reads it unless the shell finds it by itself.

    The line names a file because to ask memlsp for the text would cost every new shell a tenth of a second.
    """
    text = snippet(shell)
    if shell is Shell.FISH:
        folder = surroundings.folder("XDG_CONFIG_HOME", ".config") / "fish" / "conf.d"
        return [Whole(folder / "memlsp.fish", _ABOUT, text, _SIGN)]
    if shell is Shell.POWERSHELL:
        kept = data_folder / "setup" / "memlsp.ps1"
        word = _powershell(str(kept))
        line = f"if (Test-Path {word}) {{ . {word} }}"
        return [Whole(kept, _ABOUT, text, _SIGN), Block(_profile(surroundings), _ABOUT, line, Marks.SHELL)]
    kept = data_folder / "setup" / f"memlsp.{shell}"
    word = shlex.quote(str(kept))
    line = f"[ -r {word} ] && . {word}"
    start = surroundings.folder("ZDOTDIR") / ".zshrc" if shell is Shell.ZSH else surroundings.home / ".bashrc"
    return [Whole(kept, _ABOUT, text, _SIGN), Block(start, _ABOUT, line, Marks.SHELL)]


def _profile(surroundings: Surroundings) -> Path:
    if surroundings.platform == "win32":
        return surroundings.home / "Documents" / "PowerShell" / "profile.ps1"
    return surroundings.folder("XDG_CONFIG_HOME", ".config") / "powershell" / "profile.ps1"


def _posix(command: list[str]) -> str:
    return shlex.join(command)


def _fish(word: str) -> str:
    """In fish only the backslash and the quotation mark mean something between quotation marks."""
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _powershell(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
