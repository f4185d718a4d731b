"""Normalised addresses of git remotes."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from attrs import frozen

_SCP = re.compile(r"^(?:[^@/\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^:/\s@]+):(?P<path>(?!//).*)$", re.DOTALL)
_DRIVE = re.compile(r"^[A-Za-z]:(?:[\\/]|$)")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")
_HELPER = re.compile(r"^[A-Za-z0-9][A-Za-z0-9+.-]*::")

# Second names by which large hosts are reached (ssh over port 443, and the like).
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
_CASE_BLIND = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@frozen
class Address:
    """A remote on a network: `host/path`, without scheme, credentials, port, trailing slash or `.git`."""

    host: str
    path: str

    def __str__(self) -> str:
        return f"{self.host}/{self.path}" if self.host else self.path

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def address_of(url: str) -> Address | None:
    """The address that `url` names; None when it is a path on this machine (see `local_path`) or empty.

    The port is left out, since one server has one for ssh and another for https; on a loopback host it is kept, where
    another port is another server. The path keeps its case, except at hosts known not to care."""
    url = url.strip()
    if not url or _DRIVE.match(url) or url.lower().startswith("file:"):
        return None
    if _HELPER.match(url):
        return Address("", _trimmed(url))
    if _SCHEME.match(url):
        try:
            parts = urlsplit(url)
            host, port, path = parts.hostname or "", parts.port, parts.path
        except ValueError:
            return Address("", _trimmed(url))
        host = f"{host}:{port}" if port and host in _LOOPBACK else host
        return _address(host, path)
    found = _SCP.match(url)
    if found:
        return _address(found["host"].strip("[]"), found["path"])
    return None


_COMMIT_PAGES = {"github.com": "commit", "codeberg.org": "commit", "gitlab.com": "-/commit", "bitbucket.org": "commits"}


def commit_page(url: str) -> str:
    """The web address of a commit of the remote `url`, without the hash; "" where the host is none of those known."""
    address = address_of(url)
    page = _COMMIT_PAGES.get(address.host) if address else None
    if address is None or page is None or not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", address.path, re.ASCII):
        return ""
    return f"https://{address}/{page}/"


def local_path(url: str, base: Path) -> Path | None:
    """The folder that `url` names when it is a path, relative ones taken from `base`; None for a network address."""
    url = url.strip()
    if not url or address_of(url) is not None:
        return None
    if url.lower().startswith("file:"):
        path = unquote(urlsplit(url).path)
        url = path[1:] if _DRIVE.match(path[1:]) else path
    return base / url if url else None


def _address(host: str, path: str) -> Address | None:
    host = host.lower().rstrip(".")
    host = _SAME_HOST.get(host, host)
    path = _trimmed(unquote(path))
    if host in _CASE_BLIND:
        path = path.lower()
    return Address(host, path) if host and path else None


def _trimmed(path: str) -> str:
    path = re.sub(r"/{2,}", "/", path).strip("/")
    return path[:-4].rstrip("/") if path.lower().endswith(".git") and len(path) > 4 else path
