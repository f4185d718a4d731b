"""The main job in a real Neovim, by the user's own commands where there are some."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from project import shop

from memlsp import Memory

ROOT = Path(__file__).resolve().parents[3]
OURS = ROOT / ".tools" / "nvim" / "bin" / "nvim"  # put there by tests/tools/install.sh
SYSTEM = shutil.which("nvim")
SESSION = Path(__file__).with_name("neovim_session.lua")

pytestmark = pytest.mark.neovim


def _editors() -> list[Any]:
    """A current Neovim, which has to be there in CI, and the system's own where there is one."""
    missing = not OURS.exists() and os.environ.get("CI") != "true"
    skip = pytest.mark.skipif(missing, reason="no Neovim in .tools: bash tests/tools/install.sh brings it")
    editors = [pytest.param(str(OURS), id="current", marks=skip)]
    if SYSTEM is not None:
        editors.append(pytest.param(SYSTEM, id="system"))
    return editors


@pytest.fixture(scope="module", params=_editors())
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a user saw in one session."""
    work = tmp_path_factory.mktemp("neovim")
    project = shop(work / "shop")
    result = work / "seen.json"
    memlsp = [sys.executable, "-m", "memlsp"]
    words = [*memlsp, "remember", "fetch raises KeyError", "--at", "client.py#fetch", "--kind", "fact"]
    environment = {
        **os.environ,
        "HOME": str(work),
        "XDG_CONFIG_HOME": str(work / "config"),
        "XDG_STATE_HOME": str(work / "state"),
        "XDG_DATA_HOME": str(work / "share"),
        "MEMLSP_DATA_DIR": str(work / "data"),
        "SERVER": json.dumps([*memlsp, "lsp"]),
        "ELSEWHERE": json.dumps(words),
        "SEEN": str(result),
    }
    done = subprocess.run(
        [request.param, "--headless", "-u", "NONE", "-n", "-c", f"luafile {SESSION}", "client.py"],
        cwd=project.root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert result.exists(), done.stderr
    saw: dict[str, Any] = json.loads(result.read_text())
    with Memory.open(project.root, data_dir=work / "data") as memory:
        saw["events"] = [(event.kind.value, event.source, [*event.paths]) for event in memory.events.list()]
    return saw


def test_the_whole_session_went_through(seen: dict[str, Any]) -> None:
    assert seen.get("failure") is None, json.dumps(seen, indent=1)


def test_the_past_of_a_function_is_hovered(seen: dict[str, Any]) -> None:
    assert "Ann Ode" in seen["past"]


def test_what_was_remembered_is_hovered_with_who_said_it(seen: dict[str, Any]) -> None:
    assert seen["remembered"] is True
    assert "fetch gives up after 3 retries" in seen["hover"]
    assert "Ann Ode" in seen["hover"]
    assert "lsp:" not in seen["hover"]


def test_neovim_is_told_utf_16(seen: dict[str, Any]) -> None:
    assert seen["encoding"] == "utf-16"


def test_the_contradiction_is_a_warning_on_the_changed_value(seen: dict[str, Any]) -> None:
    found = seen["diagnostic"]
    assert found["source"] == "memlsp"
    assert found["severity"] == 2
    assert (found["line"], found["from"], found["to"]) == (3, 23, 24)
    assert "fetch gives up after 3 retries" in found["message"]


def test_the_actions_of_a_contradiction_are_offered(seen: dict[str, Any]) -> None:
    titles = [title.partition(":")[0] for title in seen["offered"]]
    assert titles[:3] == ["Still true", "No longer true", "Replace by…"]


def test_running_a_lens_says_what_is_remembered(seen: dict[str, Any]) -> None:
    assert any("after 7 retries" in message for message in seen["messages"])


def test_what_another_process_remembers_appears_in_the_open_buffer(seen: dict[str, Any]) -> None:
    assert seen["elsewhere"].strip()
    assert seen["appeared"] is True


def test_a_remark_that_was_saved_is_a_hint_a_lens_and_a_line_of_the_hover(seen: dict[str, Any]) -> None:
    hint = seen["hint"]
    assert hint["severity"] == 4
    assert (hint["line"], hint["from"]) == (4, 6)
    assert hint["message"].startswith("left open: TODO: back off twice as long (editor, ")
    assert seen["thread_lens"].endswith("1 open thread")
    assert "left open: TODO: back off twice as long" in seen["thread_hover"]


def test_what_was_saved_became_an_event(seen: dict[str, Any]) -> None:
    assert ("edit", "editor", ["client.py"]) in [tuple(each) for each in seen["events"]]
