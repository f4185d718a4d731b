"""Every page in a real Chromium: accessible in light and dark, usable by keys and without JavaScript, never elsewhere.
The screenshots are kept in vscode-extension/e2e/artefacts/web, where continuous integration takes them from."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from pathlib import Path

import pytest
import uvicorn
from attrs import evolve
from project import Project
from statements import revision_of

from memlsp import Memory
from memlsp.faces.web.access import Access
from memlsp.faces.web.server import application
from memlsp.faces.web_server import Endpoint
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions
from memlsp.store.tables.acts import FoundBy

ROOT = Path(__file__).parents[3]
NODE = ROOT / ".tools" / "workbench" / "node" / "current" / "bin" / "node"
DRIVER = ROOT / ".tools" / "workbench" / "driver"
AXE = ROOT / ".tools" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARTEFACTS = ROOT / "vscode-extension" / "e2e" / "artefacts" / "web"
PATIENCE = 300

pytestmark = [
    pytest.mark.npm,
    pytest.mark.skipif(not all(path.exists() for path in (NODE, DRIVER, AXE, CHROMIUM)), reason="make tools workbench"),
]


def remember_much(project: Project, memory: Memory) -> None:
    """A shop with decisions, contradictions, a session, hostile words, and 1,200 beliefs in 120 files."""
    for number in range(120):
        functions = "".join(f"def job{n}(limit={n + 3}):\n    return [limit] * {n}\n\n\n" for n in range(10))
        project.write(f"services/team{number % 8}/worker{number}.py", functions)
    project.write("src/<img src=x onerror=alert(1)>.py", "def f():\n    return 1\n")
    project.commit("Add services")
    memory.files_changed(None)
    hostile = "<script>alert(1)</script> is no <img src=x onerror=alert(2)>"
    memory.remember(hostile, at=[Place("src/<img src=x onerror=alert(1)>.py", symbol="f")])
    store = memory._store  # pyright: ignore[reportPrivateUsage] - to remember a thousand takes minutes
    for number in range(120):
        path = f"services/team{number % 8}/worker{number}.py"
        first = memory.remember(f"job0 of worker {number} has a limit of 3", at=[Place(path, symbol="job0")]).belief
        copies = [evolve(first, id=f"w{number}x{n}", text=f"worker {number} is no {n}") for n in range(9)]
        store.change_all([(each, revision_of(each), FoundBy()) for each in copies])
    fetch = Place("client.py", symbol="fetch")
    base = memory.remember("fetch tries 3 times: the API drops one call in ten", at=[fetch]).belief.id
    memory.remember("Retries wait longer each time", at=[fetch], because_of=[base])
    memory.remember("All prices are rounded to cents", at=[Place("pricing/tax.py")])
    memory.review.propose("Every request goes through fetch")
    memory.recall("how often do we retry", RecallOptions(session="claude-code s-1"), asker="claude-code")
    at = 1_790_000_000_000
    of_session = {"source": "claude-code", "session": "s-1"}
    memory.events.take(
        [
            {**of_session, "kind": "prompt", "at": at, "key": "k1", "text": "make the client more patient"},
            {**of_session, "kind": "command", "at": at + 9_000, "key": "k2", "text": "pytest -q", "output": "2 passed"},
        ]
    )
    project.replace("client.py", "retries=3", "retries=5")
    project.replace("services/team0/worker0.py", "limit=3", "limit=9")
    memory.files_changed(None)
    memory.survey.look()


def test_every_page_in_a_browser(project: Project, memory: Memory, tmp_path: Path) -> None:
    remember_much(project, memory)
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    access = Access(port, None, lambda _: None, secure=False)
    app = application(memory, access, Endpoint(), port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    broken = memory.survey.found.fallen[0].belief.id
    order = {
        "driver": str(DRIVER),
        "axe": str(AXE),
        "chromium": str(CHROMIUM),
        "artefacts": str(ARTEFACTS),
        "url": f"http://127.0.0.1:{port}",
        "link": access.link,
        "word": "rounded",
        "pages": {
            "today": "/",
            "beliefs": "/beliefs",
            "belief": f"/belief/{broken}",
            "review": "/review",
            "timeline": "/timeline",
            "graph": "/graph",
            "receipts": "/receipts",
            "sessions": "/sessions",
            "session": "/session/claude-code/s-1",
            "storage": "/storage?checks=1",
            "open": "/open",
        },
    }
    (tmp_path / "order.json").write_text(json.dumps(order))
    try:
        command = [str(NODE), str(Path(__file__).with_name("browse.mjs")), str(tmp_path / "order.json")]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
    finally:
        server.should_exit = True
        thread.join(30)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert found["violations"] == []
    seen = found["seen"]
    assert seen["asked"].startswith("Is this still true?")
    assert "Still true: “" in seen["decided"]
    assert seen["chosen"] == "50 chosen:"
    assert seen["focus"] == "q"
    assert seen["step"] == "step-2"
    assert seen["leaves"] >= 1_200
    assert seen["circles"] >= 1_300
    assert seen["again"] == "/open"
    assert "Still true: “" in seen["without"]
    assert "Taken back: 1 belief" in seen["undone"]
    assert seen["table"] == 100
    assert any("worker0.py" in title and "contradicted or orphaned" in title for title in seen["broken"])
    assert seen["opened"] > 0
    assert seen["tied"] > 0
    assert not seen["printed"]
    assert seen["wide"] == []
    assert seen["question"] < 450  # of 900: above the fold, and not below the list
