"""The site of the shop's memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from project import Project
from starlette.testclient import TestClient
from web_site import ORIGIN, PORT, Site

from memlsp import Memory
from memlsp.faces.web.access import Access
from memlsp.faces.web.server import application
from memlsp.faces.web_server import Endpoint
from memlsp.model.place import Place


@pytest.fixture
def site(project: Project, memory: Memory) -> Iterator[Site]:
    """The shop's memory with a belief that broke and one that holds, surveyed."""
    memory.remember("fetch tries 3 times: the API drops one call in ten", at=[Place("client.py", symbol="fetch")])
    memory.remember("All prices are rounded to cents", at=[Place("pricing/tax.py")])
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(["client.py"])
    memory.survey.look()
    links: list[str] = []
    access = Access(PORT, None, links.append, secure=False)
    app = application(memory, access, Endpoint(), PORT)
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as client:
        assert client.get(access.link).status_code == 200
        yield Site(memory, access, client, links)
