"""Real agents with the files that `memlsp init` writes: they connect to the server, and their sessions arrive.

No account is needed: the model is a script on loopback. `bash tests/tools/install.sh` brings Claude Code and Gemini
CLI; with MEMLSP_ALL_AGENTS=1 also Codex, opencode and Copilot CLI, which are most of a gigabyte together.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from patience import patience
from scripted_model import Turn, scripted_model

from memlsp.memory import Memory
from memlsp.model.event import EventKind
from memlsp.store.store import open_store

PATIENCE = 110
NPM = Path(__file__).parents[3] / ".tools" / "npm" / "node_modules"
ALWAYS = {"claude", "gemini"}
EDIT = ("attempts=3", "attempts=5")

pytestmark = [pytest.mark.npm, pytest.mark.timeout(240)]


@frozen
class World:
    """A home and a project that no agent has seen before."""

    home: Path
    project: Path
    data: Path
    environ: dict[str, str]

    def run(self, *words: str, **more: str) -> str:
        """Run a program in the project; what it printed."""
        done = subprocess.run(
            words,
            cwd=self.project,
            env={**self.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout + done.stderr

    def asked(self, word: str, *words: str, **more: str) -> str:
        """Run a program until it prints `word`: it gives our server a few seconds to start, which a busy machine does
        not always do at the first time."""
        end = time.monotonic() + patience(20)
        while word not in (printed := self.run(*words, **more)):
            assert time.monotonic() < end, printed
        return printed

    def memlsp(self, *words: str) -> str:
        """Run memlsp there."""
        return self.run(sys.executable, "-m", "memlsp", *words)

    def write(self, name: str, value: Any) -> None:
        """A file in home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))

    def settle(self) -> None:
        """Let everything be understood that came in."""
        with Memory.open(self.project, data_dir=self.data) as memory:
            assert memory.events.settle(PATIENCE).stopped in {"", "busy"}
            while memory.events.settle(PATIENCE).stopped == "busy":
                pass
            memory.handoffs.refresh()

    def seen(self) -> list[tuple[EventKind, str, str]]:
        """The events that arrived: kind, who told, and a path or the text."""
        (path,) = self.data.glob("workspaces/*/memory.db")
        store = open_store(path)
        try:
            return [
                (event.kind, event.source, event.paths[0] if event.paths else event.text)
                for event in sorted(store.journal.events(limit=100), key=lambda event: event.at)
            ]
        finally:
            store.close()


def program(name: str) -> str:
    """The path of an agent's program; the test is skipped where it is not installed."""
    found = NPM / ".bin" / name
    if not found.exists():
        asked = "" if name in ALWAYS else "MEMLSP_ALL_AGENTS=1 "
        missing = f"{name} is not installed: {asked}bash tests/tools/install.sh"
        if os.environ.get("CI") == "true" and name in ALWAYS and shutil.which("npm"):
            pytest.fail(missing)
        pytest.skip(missing)
    return str(found)


@pytest.fixture
def world(tmp_path: Path) -> World:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (project / "retry.py").write_text("def fetch(url, attempts=3):\n    return url, attempts\n")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Fetch"]):
        subprocess.run([*git, *words], cwd=project, check=True)
    path = os.pathsep.join([str(NPM / "node" / "bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    environ = {
        "HOME": str(home),
        "PATH": path,
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "MEMLSP_DATA_DIR": str(tmp_path / "data"),
    }
    return World(home, project, tmp_path / "data", environ)


def demand_story(world: World, agent: str, *, ends: bool = True) -> None:
    """A prompt, an edit, a command and an answer arrived, told by this agent."""
    world.settle()  # the first events wait in the spool while the store is being made
    seen = world.seen()
    assert {source for _, source, _ in seen} == {agent}
    while seen[0][0] is EventKind.SESSION_END:
        del seen[0]  # `claude mcp list` ends a session that never began
    assert seen[0][0] is EventKind.SESSION_START
    assert (EventKind.PROMPT, agent, "Replace the retry loop") in seen
    assert (EventKind.EDIT, agent, "retry.py") in seen
    assert [text for kind, _, text in seen if kind is EventKind.COMMAND] == ["ls missing-folder"]
    if ends:
        assert seen[-1][0] is EventKind.SESSION_END
    assert "attempts=5" in (world.project / "retry.py").read_text()


CLAUDE = {
    "ANTHROPIC_API_KEY": "sk-dummy",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "IS_SANDBOX": "1",
}


def claude_script(world: World) -> Sequence[Turn]:
    file = str(world.project / "retry.py")
    return [
        Turn(tool="Read", arguments={"file_path": file}),
        Turn(tool="Edit", arguments={"file_path": file, "old_string": EDIT[0], "new_string": EDIT[1]}),
        Turn(tool="Bash", arguments={"command": "ls missing-folder", "description": "Look"}),
        Turn("Done."),
    ]


@pytest.mark.parametrize("extent", ["--user", "--project"])
def test_claude_code_takes_our_hooks(world: World, extent: str) -> None:
    claude = program("claude")
    world.memlsp("init", "--agent", "claude-code", extent, "--yes")
    # a server that came with a project is one that Claude Code first asks its person about
    world.asked("Connected" if extent == "--user" else "Pending approval", claude, "mcp", "list")
    with scripted_model(claude_script(world)) as address:
        words = ["-p", "Replace the retry loop", "--dangerously-skip-permissions", "--model", "sonnet"]
        world.run(claude, *words, **CLAUDE, ANTHROPIC_BASE_URL=address)
    demand_story(world, "claude-code")


def test_claude_code_takes_the_plugin(world: World) -> None:
    claude = program("claude")
    top = str(Path(__file__).resolve().parents[3])
    for folder in (top, f"{top}/plugins/claude-code"):
        said = world.run(claude, "plugin", "validate", folder)
        assert "Validation passed" in said
        assert "warning" not in said
    world.run(claude, "plugin", "marketplace", "add", top)
    world.run(claude, "plugin", "install", "memlsp@memlsp")
    world.asked("Connected", claude, "mcp", "list")
    assert "the memlsp plugin is enabled" in world.memlsp("init", "--agent", "claude-code", "--yes")
    with scripted_model(claude_script(world)) as address:
        words = ["-p", "Replace the retry loop", "--dangerously-skip-permissions", "--model", "sonnet"]
        world.run(claude, *words, **CLAUDE, ANTHROPIC_BASE_URL=address)
    demand_story(world, "claude-code")


def test_gemini_cli_connects_and_takes_our_hooks(world: World) -> None:
    gemini = program("gemini")
    world.write(".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}, "mine": 1})
    world.write(".gemini/trustedFolders.json", {str(world.project): "TRUST_FOLDER"})
    world.memlsp("init", "--agent", "gemini", "--yes")
    world.asked("Connected", gemini, "mcp", "list")
    replace = {"file_path": "retry.py", "instruction": "x", "old_string": EDIT[0], "new_string": EDIT[1]}
    script = [
        Turn(tool="read_file", arguments={"file_path": "retry.py"}),
        Turn(tool="replace", arguments={**replace, "file_path": str(world.project / "retry.py")}),
        Turn(tool="run_shell_command", arguments={"command": "ls missing-folder", "description": "Look"}),
        Turn("Done."),
    ]
    with scripted_model(script) as address:
        words = ["--yolo", "--model", "gemini-2.5-flash", "-p", "Replace the retry loop"]
        world.run(gemini, *words, GEMINI_API_KEY="dummy", GOOGLE_GEMINI_BASE_URL=address)
    demand_story(world, "gemini")


def test_what_a_person_says_to_one_agent_reaches_another_before_it_acts(world: World) -> None:
    claude, gemini = program("claude"), program("gemini")
    world.write(".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    world.write(".gemini/trustedFolders.json", {str(world.project): "TRUST_FOLDER"})
    world.memlsp("init", "--agent", "claude-code", "--agent", "gemini", "--yes")
    for said in (
        "no, use scripts/publish.sh for releases, never git push github",
        "the GitHub account was renamed to acme-labs",
        "Never commit .env files",
    ):
        script = [Turn(tool="Bash", arguments={"command": "ls", "description": "Look"}), Turn("Done.")]
        with scripted_model(script) as address:
            words = ["-p", said, "--dangerously-skip-permissions", "--model", "sonnet"]
            world.run(claude, *words, **CLAUDE, ANTHROPIC_BASE_URL=address)
        world.settle()
    asked: dict[str, list[str]] = {"claude": [], "gemini": []}
    command = {"command": "git add .env", "description": "Add"}
    with scripted_model([Turn(tool="Bash", arguments=command), Turn("Done.")], asked["claude"]) as address:
        words = ["-p", "push the release to github", "--dangerously-skip-permissions", "--model", "sonnet"]
        world.run(claude, *words, **CLAUDE, ANTHROPIC_BASE_URL=address)
    with scripted_model([Turn(tool="run_shell_command", arguments=command), Turn("Done.")], asked["gemini"]) as address:
        words = ["--yolo", "--model", "gemini-2.5-flash", "-p", "push the release to github"]
        world.run(gemini, *words, GEMINI_API_KEY="dummy", GOOGLE_GEMINI_BASE_URL=address)
    for requests in asked.values():
        assert "never git push github" in requests[0]
        assert "acme-labs" in requests[0]
        assert requests[-1].count("Never commit .env files") >= 1


def test_codex_reads_our_server_and_takes_our_hooks(world: World) -> None:
    codex = program("codex")
    lines = f"-def fetch(url, {EDIT[0]}):\n+def fetch(url, {EDIT[1]}):"
    patch = f"*** Begin Patch\n*** Update File: retry.py\n@@\n{lines}\n*** End Patch"
    script = [
        Turn(tool="apply_patch", arguments=patch),
        Turn(tool="exec_command", arguments={"cmd": "ls missing-folder"}),
        Turn("Done."),
    ]
    with scripted_model(script) as address:
        world.write(
            ".codex/config.toml",
            'model = "gpt-5.5"\nmodel_provider = "loop"\n\n[model_providers.loop]\nname = "loop"\n'
            f'base_url = "{address}/v1"\nwire_api = "responses"\n',
        )
        world.memlsp("init", "--agent", "codex", "--yes")
        assert "-P -m memlsp mcp" in world.run(codex, "mcp", "list")
        bypass = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        world.run(codex, "exec", *bypass, "Replace the retry loop")
    demand_story(world, "codex")


def test_opencode_connects_and_takes_our_plugin(world: World) -> None:
    opencode = program("opencode")
    file = str(world.project / "retry.py")
    quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    script = [
        Turn(tool="read", arguments={"filePath": file}),
        Turn(tool="edit", arguments={"filePath": file, "oldString": EDIT[0], "newString": EDIT[1]}),
        Turn(tool="bash", arguments={"command": "ls missing-folder", "description": "Look"}),
        Turn("Done."),
    ]
    with scripted_model(script) as address:
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100000, "output": 8000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "loop",
            "options": {"baseURL": f"{address}/v1", "apiKey": "dummy"},
            "models": {"scripted": model},
        }
        names = {"model": "loop/scripted", "small_model": "loop/scripted", "permission": {"*": "allow"}}
        world.write(".config/opencode/opencode.json", {**names, "provider": {"loop": provider}})
        world.memlsp("init", "--agent", "opencode", "--yes")
        world.asked("connected", opencode, "mcp", "list", **quiet)
        world.run(opencode, "run", "Replace the retry loop", **quiet)
    demand_story(world, "opencode", ends=False)


def test_copilot_cli_reads_our_server_and_takes_our_hooks_alone(world: World) -> None:
    copilot = program("copilot")
    file = str(world.project / "retry.py")
    world.memlsp("init", "--agent", "copilot-cli", "--agent", "vscode", "--yes")  # VS Code's file lies beside ours
    assert "memlsp" in world.run(copilot, "mcp", "list")
    script = [
        Turn(tool="view", arguments={"path": file}),
        Turn(tool="edit", arguments={"path": file, "old_str": EDIT[0], "new_str": EDIT[1]}),
        Turn(tool="bash", arguments={"command": "ls missing-folder", "description": "Look", "mode": "sync"}),
        Turn("Done."),
    ]
    quiet = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_ALLOW_ALL": "true"}
    with scripted_model(script) as address:
        model = {"COPILOT_PROVIDER_BASE_URL": f"{address}/v1", "COPILOT_MODEL": "scripted"}
        words = ["-p", "Replace the retry loop", "--allow-all-tools", "--allow-all-paths"]
        world.run(copilot, *words, **quiet, **model)
    demand_story(world, "copilot-cli")
