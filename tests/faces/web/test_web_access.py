"""Nobody but the person's own browser sees the page or decides on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project
from starlette.testclient import TestClient
from web_site import ORIGIN, PORT, Site

from memlsp import Memory
from memlsp.faces.caller import VARIABLES
from memlsp.faces.web.access import Access
from memlsp.faces.web.server import application
from memlsp.faces.web_server import Endpoint
from memlsp.model.belief import AuthorKind, RevisionAction
from memlsp.model.errors import BadValue
from memlsp.model.place import Place

PAGES = ("/", "/beliefs", "/review", "/timeline", "/graph", "/receipts", "/sessions", "/storage", "/nothing")


@pytest.mark.parametrize("path", PAGES)
def test_no_page_without_the_cookie(site: Site, path: str) -> None:
    answer = site.stranger().get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/open")


@pytest.mark.parametrize("path", ["/open", "/open/wrong", "/open/a/b", "/static/none", "/openly"])
def test_what_a_stranger_sees_tells_nothing_of_the_memory(site: Site, path: str) -> None:
    answer = site.stranger().get(path)
    assert "shop" not in answer.text
    assert site.access.form_token not in answer.text
    assert "set-cookie" not in answer.headers


def test_a_link_works_once(site: Site) -> None:
    link = site.access.link
    first, second = site.stranger(), site.stranger()
    answer = first.get(link)
    assert answer.status_code == 200
    assert first.get("/").status_code == 200
    assert second.get(link).status_code == 401
    assert second.get("/").status_code == 303
    assert site.links[-1] == site.access.link != link


def test_the_cookie_is_kept_from_scripts_and_other_sites(site: Site) -> None:
    cookie = site.stranger().get(site.access.link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert f"memlsp-{PORT}=" in cookie


def test_the_page_after_the_link_names_it_to_nobody(site: Site) -> None:
    answer = site.stranger().get(site.access.link)
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert site.client.get("/").headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:8765"])
def test_another_host_is_refused(site: Site, host: str) -> None:
    assert site.client.get("/", headers={"Host": host}).status_code == 403


def test_a_foreign_or_missing_origin_of_a_form_is_refused(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", None):
        answer = site.post("/decide", origin, id=id, action="retire")
        assert answer.status_code == 403, origin
    assert len(site.memory.revisions(id)) == 1


def test_a_form_without_its_secret_is_refused(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    for token in ("", "0" * 64, "é"):
        form = {"form_token": token, "id": id, "action": "retire"}
        assert site.client.post("/decide", data=form, headers={"Origin": ORIGIN}).status_code == 409
    assert len(site.memory.revisions(id)) == 1


def test_nothing_is_written_by_get(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    before = site.memory.version(), len(site.memory.receipts()), len(site.memory.audit.list())
    asked = f"?form_token={site.access.form_token}&id={id}&action=retire&item={id}&said=x"
    for path in (*PAGES[:-1], f"/belief/{id}", "/storage?checks=1", "/review?item=" + id):
        assert site.client.get(path).status_code == 200
    for path in ("/decide", "/settle", "/undo"):
        assert site.client.get(path + asked).status_code in {404, 405}
    assert (site.memory.version(), len(site.memory.receipts()), len(site.memory.audit.list())) == before


def test_headers_keep_a_page_to_itself(site: Site) -> None:
    for path in ("/", "/open", "/static/page.js", "/none", "/belief/none"):
        headers = site.client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'; script-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_a_form_leads_nowhere_else(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    for back in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"):
        answer = site.post("/decide", id=id, action="confirm", back=back)
        assert answer.headers["location"].startswith("/?said="), back


def test_an_enormous_form_is_refused(site: Site) -> None:
    assert site.post("/decide", id="x", action="confirm", text="x" * (2 << 20)).status_code == 409


def test_a_token_of_ones_own_is_asked_for_by_a_form(project: Project, memory: Memory) -> None:
    token = "t" * 43
    access = Access(PORT, token, lambda _: pytest.fail("there is no link"), secure=True)
    app = application(memory, access, Endpoint(), PORT)
    client = TestClient(app, base_url=ORIGIN, follow_redirects=False, headers={"Origin": ORIGIN})
    assert access.link == "/open"
    assert client.post("/open", data={"token": "wrong"}).status_code == 401
    for _ in range(2):
        answer = client.post("/open", data={"token": token})
        assert answer.status_code == 200
        assert "secure" in answer.headers["set-cookie"].lower()


def test_beyond_loopback_it_takes_a_token_and_tls() -> None:
    file = Path("file")
    for host, token, certificate, key in (
        ("192.0.2.1", None, None, None),
        ("192.0.2.1", file, None, None),
        ("memory.example.org", None, file, file),
        ("0.0.0.0", file, file, file),
        ("127.0.0.1", None, file, None),
    ):
        with pytest.raises(BadValue):
            Endpoint(host, 0, token, certificate, key)
    served = Endpoint("memory.example.org", 8443, file, file, file)
    assert served.names(8443) == ("memory.example.org:8443",)
    assert served.origins(8443) == ("https://memory.example.org:8443",)
    assert Endpoint("::1").names(80)[0] == "[::1]:80"


def test_an_agent_decides_as_an_agent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    [broken, held] = site.memory.beliefs()
    site.memory.revise(held.belief.id, RevisionAction.LOCK)
    proposal = site.memory.review.propose("Every request goes through fetch").belief.id
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "decides as the agent Claude Code" in site.page("/")
    assert site.post("/decide", id=held.belief.id, action="unlock").status_code == 409
    assert site.post("/decide", id=proposal, action="admit").status_code == 409
    assert site.post("/settle", item=proposal, action="admit").status_code == 409
    assert site.post("/decide", id=broken.belief.id, action="failed").status_code == 303
    assert site.memory.revisions(broken.belief.id)[-1].author.kind is AuthorKind.AGENT


def test_a_lock_is_kept_where_nobody_is_at_a_terminal(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    id = site.memory.beliefs()[0].belief.id
    monkeypatch.setattr("memlsp.faces.caller.attended", lambda: False)
    assert site.post("/decide", id=id, action="lock").status_code == 409
    monkeypatch.setattr("memlsp.faces.caller.attended", lambda: True)
    assert site.post("/decide", id=id, action="lock").status_code == 303
    assert site.memory.belief(id).belief.locked
    for action in ("unlock", "retire"):  # a browser asks for no code, so an agent could have sent it
        assert site.post("/decide", id=id, action=action).status_code == 409
    assert site.memory.belief(id).belief.locked
    assert not [name for name in VARIABLES if name in site.page("/")]


def test_hostile_statements_and_names_stay_text(project: Project, memory: Memory) -> None:
    project.write("src/<img src=x onerror=alert(1)>.py", "def f():\n    return 1\n")
    project.commit("</title><script>alert(3)</script>")
    hostile = "<script>alert(1)</script> \u202e \x1b[31m \"onload='x' {{ 7 * 7 }}"
    id = memory.remember(hostile, at=[Place("src/<img src=x onerror=alert(1)>.py", symbol="f")]).belief.id
    memory.record_telling("act", [id], "x", asker="<s>agent</s>", session="cc <i>", about="<u>")
    project.write("src/<img src=x onerror=alert(1)>.py", "def f():\n    return '</pre><script>alert(4)</script>'\n")
    memory.files_changed(None)
    memory.survey.look()
    access = Access(PORT, None, lambda _: None, secure=False)
    client = TestClient(application(memory, access, Endpoint(), PORT), base_url=ORIGIN)
    client.get(access.link)
    for path in (*PAGES, f"/belief/{id}", '/beliefs?q=<script>&author="><s>', "/session/cc/<i>", "/belief/<script>"):
        text = client.get(path).text
        for sign in ("<script>alert", "<img src=x", "<s>", "<i>", "<u>", "\u202e", "\x1b"):
            assert sign not in text, (path, sign)
    assert "{{ 7 * 7 }}" in client.get(f"/belief/{id}").text
