"""Command links in hovers, for clients that announced commands; and their removal from messages. A link holds ids and
uris only, nothing that anybody typed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

from memlsp.faces.lsp.server.settings import CONFIRM, OPEN, PEEK, REPLACE, RETIRE, SETTLE
from memlsp.model.standing import Judgement

_ID = re.compile(r"[a-z0-9]{1,40}\Z")


def links_line(judgement: Judgement, commands: frozenset[str], root: str, *, clashing: bool = False) -> str:
    """The actions for a belief as a line of markdown links; "" for an unusual id, or a client without these commands.
    `root` is the uri of the belief's workspace, since another may know the same id. `clashing`: it is in conflict."""
    id = judgement.belief.id
    if not _ID.match(id):
        return ""
    about = {"id": id, "root": root}
    titles = {OPEN: "Open"}
    if clashing:
        titles[SETTLE] = "Settle\N{HORIZONTAL ELLIPSIS}"
    if not judgement.standing.holds:
        titles[CONFIRM] = "Still true"
    titles[REPLACE] = "Replace\N{HORIZONTAL ELLIPSIS}"
    titles[RETIRE] = "No longer true"
    return " \u00b7 ".join(
        f"[{title}]({_address(command, [about])})" for command, title in titles.items() if command in commands
    )


def peek_address(uri: str, line: int, commands: frozenset[str]) -> str:
    """The address that shows all that is known at a line (from 1) of a document; "" for a client that cannot."""
    return _address(PEEK, [uri, line]) if PEEK in commands else ""


def without_links(message: str) -> str:
    """Break links in a message: VS Code runs `[words](command:...)` in its message boxes."""
    return message.replace("](", "] (")


def _address(command: str, arguments: Sequence[object]) -> str:
    return f"command:{command}?{quote(json.dumps(arguments), safe='')}"
