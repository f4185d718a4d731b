"""Links in a hover that run a command of the editor: for clients alone that announced it, and of nothing but ids and
roots of workspaces. And none in a message, where VS Code reads them too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from memlsp.faces.lsp.server.client_options import CONFIRM, OPEN, REPLACE, RETIRE
from memlsp.model.standing import Judgement

_ID = re.compile(r"[a-z0-9]{1,40}\Z")


def links_line(judgement: Judgement, commands: frozenset[str], root: str) -> str:
    """What can be done about a belief, as a line of markdown links; "" when the client runs nothing of it. `root` is
    the uri of its workspace: another may know the same id.

    Nothing that anybody typed gets into it: a belief whose id is none of ours has no links.
    """
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
    """A message in which nothing is a link that runs: VS Code reads `[words](command:...)` as one in its boxes."""
    return message.replace("](", "] (")


def _address(command: str, arguments: Sequence[Mapping[str, str]]) -> str:
    return f"command:{command}?{quote(json.dumps(arguments), safe='')}"
