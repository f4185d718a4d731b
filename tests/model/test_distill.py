"""`memlsp model` and `memlsp distill` with the package memlsp-model, against a scripted server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result
from memlsp_model.distiller import ModelDistiller
from memlsp_model.endpoint import Endpoint
from project import Project

from memlsp import Memory
from memlsp.faces.cli.app import memlsp
from memlsp.model.errors import BadValue, Refused

DECIDED = "We keep three tries in fetch, because the API drops one call in ten."
SECRET = "ghp_" + "a1B2" * 9


class ModelServer:
    """A server that answers every request with `answer`, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answer = ""
        self.redirect = ""
        self.headers: list[str | None] = []
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


def hooked(project: Project, payload: dict[str, str]) -> None:
    """An event of an agent, as a hook takes it in."""
    command = [sys.executable, "-m", "memlsp", "hook", "claude-code"]
    text = json.dumps({**payload, "cwd": str(project.root)})
    subprocess.run(command, input=text, cwd=project.root, check=True, text=True, capture_output=True)


def prompted(project: Project, session: str, text: str) -> None:
    hooked(project, {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": text})


@pytest.fixture
def session(project: Project) -> None:
    """Two prompts."""
    prompted(project, "s1", f"Make fetch patient. The token is {SECRET}")
    prompted(project, "s1", DECIDED)


def said(**what: object) -> str:
    return json.dumps(what)


def run(*words: str, status: int = 0) -> Result:
    """Call memlsp in the current folder."""
    result = CliRunner().invoke(memlsp, words)
    assert result.exit_code == status, (result.stdout, result.stderr, result.exception)
    return result


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(project.root)
    return project


@pytest.fixture
def on(here: Project, session: None, server: ModelServer) -> ModelServer:
    """The server's model is on, and there is a session."""
    run("model", "on", server.address, "tiny")
    return server


# --- what is proposed ----------------------------------------------------------------------------------------------


def test_a_statement_whose_words_stand_in_an_event_is_proposed_and_every_other_left(
    on: ModelServer, here: Project
) -> None:
    kept = "fetch tries three times: the API drops one call in ten"
    on.answer = "\n".join(
        [
            "Here is what I found:",
            said(statement=kept, event=2, quote="because the API drops  one call in ten"),
            said(statement="The API needs a key", event=2, quote="the API needs a key"),
            said(statement="fetch is tested", event=9, quote="We keep three tries in fetch"),
            said(statement="From another event", event=1, quote="We keep three tries in fetch"),
            said(statement="Without a quotation", event=2),
            said(statement="Too short to prove anything", event=2, quote="We keep"),
            said(statement="No number", event=True, quote=DECIDED),
            said(statement=7, event=2, quote=DECIDED),
        ]
    )
    (done,) = json.loads(run("distill", "s1", "--json").stdout)
    assert [each["text"] for each in done["left_out"]] == [
        "The API needs a key",
        "fetch is tested",
        "From another event",
        "Too short to prove anything",
        "No number",
    ]
    with Memory.open(here.root) as memory:
        assert kept not in [each.belief.text for each in memory.beliefs()]  # before a person admits it
        (proposal,) = [each for each in memory.proposals.list() if each.belief.author.name == "model:tiny"]
        assert done["proposals"] == [proposal.belief.id]
        assert "because the API drops one call in ten" in proposal.belief.evidence[0].quote
        (receipt,) = memory.receipts()
        assert (receipt.surface, receipt.asker, receipt.served) == ("model", "model:tiny", (proposal.belief.id,))
        assert receipt.tokens == done["tokens"] > 100
        assert memory.revise(proposal.belief.id, "admit").belief.text == kept


def test_what_a_model_proposed_is_taken_back_at_once(on: ModelServer, here: Project) -> None:
    on.answer = said(statement="The API drops calls", event=2, quote="the API drops one call in ten")
    assert "The API drops calls" in run("distill", "s1").stdout
    run("undo", "--session", "distill:s1")
    with Memory.open(here.root) as memory:
        assert [each for each in memory.proposals.list() if each.belief.author.name == "model:tiny"] == []


def test_each_session_since_a_time_that_tells_something_is_asked_about(on: ModelServer, here: Project) -> None:
    prompted(here, "s2", "The wait grows, since the API blocks whoever hurries.")
    begun = {"hook_event_name": "SessionStart", "session_id": "s3", "source": "startup"}
    hooked(here, begun)  # nothing was said in it
    found = json.loads(run("distill", "--since", "2d", "--json").stdout)
    assert [each["session"] for each in found] == ["s2", "s1"]
    assert len(on.asked) == 2
    assert "2 sessions, 0 proposals" in run("distill", "--since", "2d").stderr
    assert "name a session, or --since" in run("distill", status=2).stderr


def test_what_was_proposed_before_the_budget_ended_is_told(here: Project, session: None, server: ModelServer) -> None:
    prompted(here, "s2", DECIDED)
    server.answer = said(statement="The API drops calls", event=1, quote="the API drops one call in ten")
    run("model", "on", server.address, "tiny", "--budget", "1250")
    ended = run("distill", "--since", "2d", status=1)
    assert "The API drops calls" in ended.stdout
    assert "1 session, 1 proposal" in ended.stderr
    assert "are left today" in ended.stderr
    assert len(server.asked) == 1


# --- what is sent --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("session")
def test_nothing_is_sent_before_a_person_turns_the_model_on(here: Project, server: ModelServer) -> None:
    assert "no model is on for this project" in run("distill", "s1", status=1).stderr
    assert "only a person" in run("model", "on", server.address, "tiny", "--agent", "claude", status=1).stderr
    assert "no model is on" in run("distill", "s1", status=1).stderr
    run("model", "on", server.address, "tiny")
    assert json.loads(run("model", "status", "--json").stdout) == {
        "address": server.address, "model": "tiny", "budget": 50_000, "spent": 0,
    }  # fmt: skip
    assert "only a person" in run("model", "off", "--agent", "claude", status=1).stderr
    run("model", "off")
    assert "no model is on" in run("distill", "s1", status=1).stderr
    assert server.asked == []


def test_a_model_is_on_for_one_project_alone(on: ModelServer, here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    other = here.root.parent / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert "No model is on" in run("model", "status").stdout


def test_what_is_shown_is_what_is_sent_and_holds_no_secret(on: ModelServer) -> None:
    shown = run("distill", "s1", "--show").stdout
    assert on.asked == []
    run("distill", "s1")
    (asked,) = on.asked
    assert asked["messages"][1]["content"] == shown.rstrip("\n")
    assert DECIDED in shown
    assert SECRET not in json.dumps(asked)


def test_the_budget_of_a_day_is_kept(here: Project, session: None, server: ModelServer) -> None:
    run("model", "on", server.address, "tiny")
    run("distill", "s1")
    spent = json.loads(run("model", "status", "--json").stdout)["spent"]
    assert spent > 100
    run("model", "on", server.address, "tiny", "--budget", str(spent + 50))
    assert "are left today" in run("distill", "s1", status=1).stderr
    assert len(server.asked) == 1
    assert f"{spent} of {spent + 50} tokens" in run("model", "status").stdout


def test_what_failed_was_spent_too_and_a_redirection_is_not_followed(on: ModelServer, here: Project) -> None:
    on.redirect = f"{on.address}/elsewhere"
    assert "answered 302" in run("distill", "s1", status=1).stderr
    assert len(on.asked) == 1
    with Memory.open(here.root) as memory:
        assert [each.tokens > 0 for each in memory.receipts()] == [True]


@pytest.mark.usefixtures("session")
def test_a_server_that_is_not_there_is_one_line(here: Project) -> None:
    run("model", "on", "http://127.0.0.1:9/v1", "tiny")
    refused = run("distill", "s1", status=1).stderr
    assert "does not answer" in refused
    assert len(refused.splitlines()) == 1


def test_a_session_that_tells_nothing_is_not_sent(on: ModelServer) -> None:
    assert "no session 's9'" in run("distill", "s9", status=1).stderr
    assert on.asked == []


def test_an_answer_that_is_no_completion_is_one_line(on: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp_model.endpoint._LONGEST_ANSWER", 7)
    assert "something else than a completion" in run("distill", "s1", status=1).stderr


# --- where to ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example/v1",
        "ftp://localhost/v1",
        "file:///etc/passwd",
        "http://127.0.0.1.example/v1",
        "http://[::2]/v1",
        "https:///v1",
        "models.example",
    ],
)
def test_an_address_in_the_open_is_refused(here: Project, address: str) -> None:
    with pytest.raises(Refused, match="neither on this machine nor encrypted"):
        Endpoint(address, "tiny").check()
    assert "nor encrypted" in run("model", "on", address, "tiny", status=1).stderr
    assert "No model is on" in run("model", "status").stdout


@pytest.mark.parametrize("address", ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8080/v1"])
def test_this_machine_needs_no_key(address: str) -> None:
    Endpoint(address, "tiny").check()


def test_an_address_holds_no_password() -> None:
    with pytest.raises(Refused, match="no name, key or query"):
        Endpoint("https://me:secret@models.example/v1", "tiny").check()
    with pytest.raises(BadValue, match="not an address"):
        Endpoint("http://127.0.0.1:http/v1", "tiny").check()


def test_the_key_of_a_remote_model_comes_from_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Endpoint("https://models.example/v1", "large")
    keyring: Any = ModuleType("keyring")
    known: dict[tuple[str, str], str] = {}

    def get_password(service: str, name: str) -> str | None:
        return known.get((service, name))

    keyring.get_password = get_password
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    with pytest.raises(Refused, match="no key for models"):
        model.check()
    known["memlsp", "models.example"] = "k1"
    assert model._key() == {"Authorization": "Bearer k1"}  # pyright: ignore[reportPrivateUsage] - nothing else shows it without a server that has a certificate
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(Refused, match="needs the package keyring"):
        model.check()


# --- without the package -------------------------------------------------------------------------------------------


def test_without_the_package_one_line_says_how_to_get_it(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "memlsp_model"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "memlsp_model", None)
    for words in (("model", "status"), ("distill", "s1"), ("model", "on", "http://127.0.0.1:1/v1", "tiny")):
        refused = run(*words, status=1)
        assert refused.stdout == ""
        assert "pip install 'memlsp[model]'" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    assert "\n  distill " in run("--help").stdout


def test_in_python_the_package_is_used_directly(on: ModelServer, here: Project) -> None:
    on.answer = said(statement="The API drops calls", event=2, quote="the API drops one call in ten")
    with Memory.open(here.root) as memory:
        distiller = ModelDistiller(memory)
        (id,) = distiller.distill("s1").proposals
        assert memory.belief(id).belief.text == "The API drops calls"
        assert distiller.status().spent > 100
