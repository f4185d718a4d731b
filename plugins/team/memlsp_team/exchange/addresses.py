"""Addresses of exchanges: which ones git may be given, and how they are shown."""

from __future__ import annotations

import re
from pathlib import Path, PureWindowsPath
from urllib.parse import urlsplit

from memlsp.model.errors import Refused
from memlsp.model.one_line import plain

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SCP = re.compile(r"(?:[\w.+-]+@)?(?:\w[\w.-]*|\[[0-9A-Fa-f:.]+\]):(?!:).+", re.ASCII)


def git_address(address: str) -> str:
    """Return the address where git may be given it. Raises Refused for what could start a program, be read by others
    on the way, or mean another place in another folder."""
    fault = ""
    scheme, separator, _ = address.partition("://")
    if address.startswith("-") or not address.isprintable():
        fault = "it is no address"
    elif re.match(r"[\w+.-]*::", address, re.ASCII):
        fault = "it would start a program"
    elif separator and re.fullmatch(r"[\w+.-]+", scheme, re.ASCII):
        fault = _url_fault(address)
    elif not (Path(address).is_absolute() or PureWindowsPath(address).is_absolute() or _SCP.fullmatch(address)):
        fault = "a path must be absolute, for it is used from several folders"
    if fault:
        raise Refused(
            f"not an address for a team: {shown(address)}: {fault}",
            "use https://..., ssh://..., host:path, file:///... or an absolute path",
        )
    return address


def _url_fault(address: str) -> str:
    try:
        url = urlsplit(address)
        host, scheme, password = url.hostname or "", url.scheme.lower(), url.password
        _ = url.port
    except ValueError:
        return "it is no URL"
    if password is not None:
        return "every process can see a password there; git's credential helpers keep one"
    if host.startswith("-") or (url.username or "").startswith("-"):
        return "it is no address"
    if scheme in {"http", "git"}:  # the sign-in could be read by others, and lines be held back unseen
        return "" if host in LOOPBACK else f"{scheme} is not encrypted; beyond this machine use https or ssh"
    return "" if scheme in {"https", "ssh", "file"} else f"{scheme} is not a protocol for this"


def shown(text: str, limit: int = 120) -> str:
    """An address, or a text with addresses, as one line without what somebody signs in with."""
    return plain(re.sub(r"//[^/@\s]*@", "//...@", text), limit)
