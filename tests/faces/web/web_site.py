"""A site as a browser sees it, without a network between them."""

from __future__ import annotations

import re

from attrs import frozen
from httpx2 import Response
from starlette.testclient import TestClient

from memlsp import Memory
from memlsp.faces.web.access import Access

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"


@frozen
class Site:
    """The application of the shop's memory. `client` is a browser that was let in."""

    memory: Memory
    access: Access
    client: TestClient
    links: list[str]

    def stranger(self, origin: str = ORIGIN) -> TestClient:
        """A browser without the cookie, at an address."""
        return TestClient(self.client.app, base_url=origin, follow_redirects=False)

    def page(self, path: str, status: int = 200) -> str:
        """The text of a page."""
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return answer.text

    def post(self, path: str, origin: str | None = ORIGIN, **form: str | list[str]) -> Response:
        """A form as the page would send it."""
        headers = {"Origin": origin} if origin is not None else {}
        return self.client.post(path, data={"form_token": self.access.form_token, **form}, headers=headers)

    def said(self, answer: Response) -> str:
        """What the page says after a form."""
        assert answer.status_code == 303, answer.text
        notice = re.search(r'class="notice done".*?</div>', self.page(answer.headers["location"]), re.DOTALL)
        assert notice
        return notice[0]

    def undo(self, answer: Response) -> str:
        """Take back what a form did; what the page says then."""
        return self.said(self.post("/undo", said=answer.headers["location"].rpartition("said=")[2]))
