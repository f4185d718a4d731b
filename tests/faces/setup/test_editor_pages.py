"""The pages docs/how-to/neovim.md and emacs.md, word for word, in the real editors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from project import shop

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PAGES = ROOT / "docs" / "how-to"
NEOVIM = ROOT / ".tools" / "nvim" / "bin" / "nvim"
PATIENCE = 240
OTHER = shutil.which("nvim")  # of any version


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(), re.MULTILINE | re.DOTALL)


def surroundings(home: Path) -> dict[str, str]:
    """The environment of a user without any file."""
    home.mkdir(parents=True)
    folders = {f"XDG_{name}_HOME": str(home / f".{name.lower()}") for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    return {**os.environ, **folders, "HOME": str(home), "MEMLSP_DATA_DIR": str(home / "memory")}


def run(words: list[str], folder: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)


def init(editor: str, folder: Path, environ: Mapping[str, str]) -> str:
    """`memlsp init` as the page says it; what it printed."""
    assert f"$ memlsp init --editor {editor}" in (PAGES / f"{editor}.md").read_text()
    done = run([sys.executable, "-m", "memlsp", "init", "--editor", editor, "--yes"], folder, environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def other_version() -> tuple[int, ...]:
    """The version of the Neovim on the PATH, () without one."""
    said = subprocess.run([OTHER, "--version"], capture_output=True, text=True, check=True).stdout if OTHER else ""
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()


@pytest.fixture(scope="module", params=[NEOVIM, *([Path(OTHER)] if OTHER else [])], ids=str)
def neovim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a user of Neovim 0.11 or later saw who followed the page."""
    if request.param != NEOVIM and other_version() < (0, 11):
        pytest.skip("the Neovim on the PATH is too old for the page")
    if request.param == NEOVIM and not NEOVIM.exists():
        missing = "no Neovim in .tools: bash tests/tools/install.sh brings it"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    work = tmp_path_factory.mktemp("page")
    environ, project = surroundings(work / "home"), shop(work / "shop").root
    init("neovim", project, environ)
    (mine,) = [block for block in blocks("neovim.md", "lua") if block.startswith("-- init.lua")]
    (work / "home" / ".config" / "nvim" / "init.lua").write_text(mine)
    found = re.search(r"`:(MemlspRemember [^`]+)`", (PAGES / "neovim.md").read_text())
    assert found
    environ |= {"SEEN": str(work / "seen.json"), "REMEMBER": found[1]}
    words = [str(request.param), "--headless", "-n", "client.py", "-c", f"luafile {HERE / 'neovim_page.lua'}"]
    done = run(words, project, environ)
    seen: dict[str, Any] = json.loads((work / "seen.json").read_text())
    assert "failure" not in seen, (seen, done.stderr)
    log = work / "home" / ".state" / "nvim" / "lsp.log"
    return {**seen, "log": log.read_text() if log.exists() else ""}


@pytest.mark.neovim
def test_every_decision_in_neovim_is_confirmed_in_one_line(neovim: dict[str, Any]) -> None:
    page = " ".join((PAGES / "neovim.md").read_text().split())
    assert f"`{neovim['said'][0]}`" in page
    assert neovim["said"][:6] == [
        "memlsp: Remembered: “fetch gives up after 3 retries”",
        "memlsp: Still true: “fetch gives up after 3 retries”",
        "memlsp: Replaced by: “fetch gives up after 5 retries”",
        "memlsp: Remembered: “fetch waits longer each time”",
        "memlsp: Remembered: “fetch is slow”",
        "memlsp: Remembered: “fetch is for pages”",
    ]


@pytest.mark.neovim
def test_neovim_shows_what_the_page_says(neovim: dict[str, Any]) -> None:
    assert "fetch gives up after 3 retries" in neovim["hover"]
    assert neovim["message"][:20] in neovim["virtual"]
    assert neovim["message"][:20] in neovim["float"]
    assert neovim["replaced"] == "fetch gives up after 3 retries"
    assert neovim["offered"][0].startswith("Remember a decision about fetch…")
    assert "fetch is for pages" in neovim["shown"]
    assert "fetch gives up after 5 retries" in neovim["ran"]


@pytest.mark.neovim
def test_a_nameless_buffer_of_neovim_is_left_alone(neovim: dict[str, Any]) -> None:
    assert neovim["attached"] == 0
    assert neovim["nameless"] == "memlsp does not serve this buffer"


@pytest.mark.neovim
def test_an_error_of_the_user_is_no_traceback_in_the_log_of_neovim(neovim: dict[str, Any]) -> None:
    assert "Traceback" not in neovim["log"]


@pytest.mark.neovim
def test_the_lines_for_an_older_neovim_show_a_contradiction(tmp_path: Path) -> None:
    if not (0, 7) <= other_version() < (0, 11):
        pytest.skip("no Neovim 0.7 to 0.10 on the PATH")
    environ, project = surroundings(tmp_path / "home"), shop(tmp_path / "shop").root
    assert "is too old for memlsp.lua, which needs 0.11" in init("neovim", project, environ)
    (lines,) = [block for block in blocks("neovim.md", "lua") if "start_client" in block]
    memlsp = json.dumps([sys.executable, "-m", "memlsp", "lsp"])[1:-1]
    (tmp_path / "home" / ".config" / "nvim" / "init.lua").write_text(lines.replace('"memlsp", "lsp"', memlsp))
    environ["SEEN"] = str(tmp_path / "seen")
    words = [str(OTHER), "--headless", "-n", "client.py", "-c", f"luafile {HERE / 'old_neovim_page.lua'}"]
    done = run(words, project, environ)
    assert "fetch gives up after 3 retries" in (tmp_path / "seen").read_text(), done.stderr


def test_emacs_does_what_the_page_says(tmp_path: Path) -> None:
    emacs = shutil.which("emacs")
    if emacs is None:
        pytest.skip("no Emacs on the PATH: apt-get install emacs-nox elpa-eglot")
    environ, project = surroundings(tmp_path / "home"), shop(tmp_path / "shop").root
    printed = init("emacs", project, environ)
    line = blocks("emacs.md", "elisp")[0]
    assert line in printed
    (tmp_path / "home" / ".emacs.d" / "init.el").write_text(line)
    done = run([emacs, "--batch", "-Q", "-l", str(HERE / "emacs_page.el")], project, environ)
    if "NO EGLOT" in done.stderr:
        pytest.skip("this Emacs has no Eglot: apt-get install elpa-eglot")
    said = done.stderr
    assert "DONE" in said, said
    first, last = re.findall(r"^FLYMAKE (.*)", said, re.MULTILINE)
    assert "fetch gives up after 3 retries" in first
    assert last == "nil", said
    assert re.findall(r"^ASKED (.*)", said, re.MULTILINE) == [
        "Remember here: []",
        "Replace by: [fetch gives up after 3 retries]",
        "Remember here: []",
    ]
    for told in ("Remembered: “fetch gives up after 3", "Replaced by: “fetch gives up", "Remembered: “fetch waits"):
        assert told in said
