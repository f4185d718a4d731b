"""Files of ours that are programs: Neovim's plugin in a real Neovim, opencode's plugin under Node."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memlsp.faces.setup.clients import editors, opencode
from memlsp.faces.setup.machine import Extent, UserMachine

ROOT = Path(__file__).resolve().parents[3]
NEOVIM = ROOT / ".tools" / "nvim" / "bin" / "nvim"
NODE = ROOT / ".tools" / "npm" / "node_modules" / ".bin" / "node"
PATIENCE = 100


def demand(program: Path) -> str:
    """Its path; the test is skipped where it is not installed."""
    if not program.exists():
        missing = f"{program.name} is not installed: bash tests/tools/install.sh"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return str(program)


@pytest.mark.neovim
def test_neovim_starts_the_server_from_the_file_alone(tmp_path: Path) -> None:
    host = UserMachine(tmp_path, tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "config")}, "linux")
    (edit,) = editors.NEOVIM.edits(host, Extent.USER).servers
    edit.path.parent.mkdir(parents=True)
    edit.path.write_text(edit.put(""))
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "a.py").write_text("x = 1\n")
    seen = tmp_path / "seen"
    client = "vim.lsp.get_clients({name='memlsp'})[1]"
    ask = (
        f"vim.wait(60000, function() local c = {client}; return c and c.initialized end, 50); local c = {client};"
        f" vim.fn.writefile({{c and c.config.root_dir or 'none'}}, '{seen}')"
    )
    environ = {**os.environ, "HOME": str(tmp_path), "MEMLSP_DATA_DIR": str(tmp_path / "data")}
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        environ[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())
    words = [demand(NEOVIM), "--headless", "-n", "a.py", "-c", f"lua {ask}", "-c", "qa!"]
    done = subprocess.run(
        words, cwd=tmp_path / "project", env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert seen.read_text().strip() == str(tmp_path / "project"), done.stderr


DRIVER = """
import { MemlspPlugin } from "./memlsp.mjs"
const shown = []
const tui = { showToast: async ({ body }) => shown.push(body.message) }
const plugin = await MemlspPlugin({ client: { tui }, directory: "/p", worktree: "/p" })
const system = { system: ["base"] }, before = { args: { filePath: "/p/a.py" } }
const after = { title: "t", output: "text", metadata: {} }
const other = { title: "t", output: "x".repeat(30000), metadata: {} }
const session = { id: "s1", directory: "/p" }
await plugin.event({ event: { type: "session.created", properties: { info: session } } })
await plugin.event({ event: { type: "message.updated", properties: {} } })
await plugin["chat.message"]({ sessionID: "s1" }, { message: { id: "m" }, parts: [{ type: "text", text: "hi" }] })
await plugin["experimental.chat.system.transform"]({ sessionID: "s1" }, system)
await plugin["tool.execute.before"]({ tool: "edit", sessionID: "s1", callID: "c1" }, before)
let denied = ""
try {
  await plugin["tool.execute.before"]({ tool: "bash", sessionID: "s1", callID: "c2" }, { args: {} })
} catch (error) {
  denied = error.message
}
await plugin["tool.execute.before"]({ tool: "list", sessionID: "s1", callID: "c3" }, { args: {} })
await plugin["tool.execute.after"]({ tool: "edit", sessionID: "s1", callID: "c1", args: before.args }, after)
await plugin["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c2", args: {} }, other)
await plugin["experimental.text.complete"]({ sessionID: "s1" }, { text: "Done." })
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
console.log(JSON.stringify({ system, after, denied, shown, long: other.output.length }))
"""

HOOK = """
import json, sys
payload = json.load(sys.stdin)
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(payload) + "\\n")
name = payload["hook_event_name"]
if name == "event" and payload["event"]["type"] == "session.created":
    print('{"context": "a briefing"}')
elif name == "tool.execute.before":
    print('{"context": "a note"}' if payload["input"]["tool"] == "edit" else '{"deny": "a rule"}')
elif name == "chat.message":
    print('{"context": "it bears on it", "message": "told 1 thing"}')
elif name == "tool.execute.after":
    print("no JSON")
"""


def run_plugin(tmp_path: Path, command: list[str]) -> Any:
    """What the driver saw of a plugin that starts this command."""
    (tmp_path / "memlsp.mjs").write_text(opencode.plugin(command))
    (tmp_path / "driver.mjs").write_text(DRIVER)
    node = demand(NODE)
    done = subprocess.run(
        [node, "driver.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.npm
def test_the_plugin_of_opencode_tells_and_passes_on(tmp_path: Path) -> None:
    (tmp_path / "hook.py").write_text(HOOK)
    told = tmp_path / "told"
    saw = run_plugin(tmp_path, [sys.executable, str(tmp_path / "hook.py"), str(told)])
    assert saw["system"] == {"system": ["base", "a briefing", "it bears on it"]}
    assert (saw["denied"], saw["shown"]) == ("a rule", ["told 1 thing"])
    assert saw["after"]["output"] == "text\n\na note"
    payloads = [json.loads(line) for line in told.read_text().splitlines()]
    assert [payload["hook_event_name"] for payload in payloads] == [
        *("event", "chat.message", "tool.execute.before", "tool.execute.before"),
        *("tool.execute.after", "tool.execute.after", "event"),
    ]  # fmt: skip
    assert all(payload["directory"] == payload["worktree"] == "/p" for payload in payloads)
    assert payloads[-1]["last_assistant_message"] == "Done."
    assert len(payloads[5]["output"]["output"]) == 20_000
    assert saw["long"] == 30_000  # what the agent sees is not cut


@pytest.mark.npm
def test_the_plugin_of_opencode_does_without_a_memlsp_that_is_gone(tmp_path: Path) -> None:
    saw = run_plugin(tmp_path, [str(tmp_path / "gone"), "hook"])
    assert saw["system"] == {"system": ["base"]}
    assert saw["after"]["output"] == "text"
