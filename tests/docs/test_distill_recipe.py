"""The program of docs/how-to/distill-with-a-model.md, against a scripted server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from project import Project

from docs.generate.example_files import EXAMPLES
from memlsp import Memory
from memlsp.model.errors import Refused

DECIDED = "We keep three tries in fetch, because the API drops one call in ten."
SECRET = "ghp_" + "a1B2" * 9


class ModelServer:
    """A server that answers every request with `answer`, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answer = ""
        self.redirect = ""
        self.asked: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(302 if outer.redirect else 200)
                if outer.redirect:
                    self.send_header("Location", outer.redirect)
                self.end_headers()
                self.wfile.write(json.dumps({"choices": [{"message": {"content": outer.answer}}]}).encode())

            def log_message(self, *_: object) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride] - stays silent

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch, project: Project) -> ModuleType:
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "path", [str(EXAMPLES / "recipes"), *sys.path])
    return import_module("distill")


@pytest.fixture
def session(project: Project) -> None:
    """Two prompts, as a hook takes them in."""
    for text in (f"Make fetch patient. The token is {SECRET}", DECIDED):
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(project.root), "prompt": text}
        command = [sys.executable, "-m", "memlsp", "hook", "claude-code"]
        subprocess.run(command, input=json.dumps(payload), cwd=project.root, check=True, text=True, capture_output=True)


def said(**what: object) -> str:
    return json.dumps(what)


@pytest.mark.usefixtures("session")
def test_a_statement_whose_words_stand_in_an_event_is_proposed_and_every_other_left(
    recipe: ModuleType, server: ModelServer, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = "fetch tries three times: the API drops one call in ten"
    server.answer = "\n".join(
        [
            "Here is what I found:",
            said(statement=kept, event=2, quote="because the API drops  one call in ten"),
            said(statement="The API needs a key", event=2, quote="the API needs a key"),
            said(statement="fetch is tested", event=9, quote="We keep three tries in fetch"),
            said(statement="From another event", event=1, quote="We keep three tries in fetch"),
            said(statement="Without a quotation", event=2),
            said(statement="Too short to prove anything", event=2, quote="We keep"),
            said(statement=7, event=True, quote=DECIDED),
        ]
    )
    assert recipe.main(["s1", "--address", server.address, "--model", "tiny", "--send"]) == 0
    assert capsys.readouterr().out.split(maxsplit=1)[1].strip() == kept
    with Memory.open(project.root) as memory:
        assert kept not in [each.belief.text for each in memory.beliefs()]  # before a person admits it
        (proposal,) = [each for each in memory.proposals.list() if each.belief.author.name == "model:tiny"]
        assert "because the API drops one call in ten" in proposal.belief.evidence[0].quote
        (receipt,) = memory.receipts()
        assert (receipt.surface, receipt.asker, receipt.served) == ("model", "model:tiny", (proposal.belief.id,))
        assert receipt.tokens > 100
        assert memory.revise(proposal.belief.id, "admit").belief.text == kept


@pytest.mark.usefixtures("session")
def test_what_a_model_proposed_is_taken_back_at_once(recipe: ModuleType, server: ModelServer, project: Project) -> None:
    server.answer = said(statement="The API drops calls", event=2, quote="the API drops one call in ten")
    assert recipe.main(["s1", "--address", server.address, "--model", "tiny", "--send"]) == 0
    with Memory.open(project.root) as memory:
        assert len(memory.undo.session("distill:s1").changed) == 1
        assert [each for each in memory.proposals.list() if each.belief.author.name == "model:tiny"] == []


@pytest.mark.usefixtures("session")
def test_nothing_is_sent_without_the_word_and_no_secret_with_it(
    recipe: ModuleType, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["s1", "--address", server.address, "--model", "tiny"]
    assert recipe.main(given) == 0
    shown = capsys.readouterr().out
    assert server.asked == []
    assert recipe.main([*given, "--send"]) == 0
    (asked,) = server.asked
    assert asked["messages"][1]["content"] == shown.rstrip("\n")
    assert DECIDED in shown
    assert SECRET not in json.dumps(asked)


@pytest.mark.usefixtures("session")
def test_the_budget_of_a_day_is_kept(
    recipe: ModuleType, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["s1", "--address", server.address, "--model", "tiny"]
    assert recipe.main(given) == 0
    needed = recipe.tokens(recipe.TASK + capsys.readouterr().out) + recipe.ANSWER_TOKENS
    given += ["--send", "--budget", str(needed + 50)]
    assert recipe.main(given) == 0
    assert recipe.main(given) == 1
    assert "are left today" in capsys.readouterr().err
    assert len(server.asked) == 1


@pytest.mark.usefixtures("session")
def test_what_failed_was_spent_too(recipe: ModuleType, server: ModelServer, project: Project) -> None:
    server.redirect = "http://127.0.0.1:9/elsewhere"
    assert recipe.main(["s1", "--address", server.address, "--model", "tiny", "--send"]) == 1
    assert len(server.asked) == 1  # a redirection is not followed
    with Memory.open(project.root) as memory:
        assert [each.tokens > 0 for each in memory.receipts()] == [True]


def test_a_session_that_tells_nothing_is_not_sent(
    recipe: ModuleType, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recipe.main(["s9", "--address", server.address, "--model", "tiny", "--send"]) == 1
    assert "no session 's9'" in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize(
    "address", ["http://models.example/v1", "ftp://localhost/v1", "file:///etc/passwd", "http://127.0.0.1.example/v1"]
)
def test_an_address_in_the_open_is_refused(recipe: ModuleType, address: str) -> None:
    with pytest.raises(Refused, match="neither on this machine nor encrypted"):
        recipe.Model(address, "tiny", 1000).ask("hello")


def test_the_key_of_a_remote_model_comes_from_the_keyring(recipe: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    model = recipe.Model("https://models.example/v1", "large", 1000)
    keyring: Any = ModuleType("keyring")
    known: dict[tuple[str, str], str] = {}

    def get_password(service: str, name: str) -> str | None:
        return known.get((service, name))

    keyring.get_password = get_password
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    headers: Callable[[], dict[str, str]] = model._key
    with pytest.raises(Refused, match="no key for models"):
        headers()
    known["memlsp", "models.example"] = "k1"
    assert headers() == {"Authorization": "Bearer k1"}
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(Refused, match="needs the package keyring"):
        headers()
