"""Command links in hovers, for clients that announced commands; and their removal from messages. A link holds ids and
roots of workspaces only, nothing that anybody typed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from memlsp.faces.lsp.server.settings import CONFIRM, OPEN, REPLACE, RETIRE
from memlsp.model.standing import Judgement

_ID = re.compile(r"[a-z0-9]{1,40}\Z")


def links_line(judgement: Judgement, commands: frozenset[str], root: str) -> str:
    """The actions for a belief as a line of markdown links; "" for an unusual id, or a client without these commands.
    `root` is the uri of the belief's workspace, since another may know the same id."""
    id = judgement.belief.id
    if not _ID.match(id):
        return ""
    about = {"id": id, "root": root}
    titles = {OPEN: "Open"}
    if not judgement.standing.holds:
        titles[CONFIRM] = "Still true"
    titles[REPLACE] = "Replace\N{HORIZONTAL ELLIPSIS}"
    titles[RETIRE] = "No longer true"
    return " \u00b7 ".join(
        f"[{title}]({_address(command, [about])})" for command, title in titles.items() if command in commands
    )


def without_links(message: str) -> str:
    """Break links in a message: VS Code runs `[words](command:...)` in its message boxes."""
    return message.replace("](", "] (")


def _address(command: str, arguments: Sequence[Mapping[str, str]]) -> str:
    return f"command:{command}?{quote(json.dumps(arguments), safe='')}"
