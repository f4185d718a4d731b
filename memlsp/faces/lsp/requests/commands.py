"""The commands `memlsp.server.*`, for clients that can send nothing else: code lenses, code actions, key bindings. Each
gives its positional arguments the names of a request's parameters and calls the handler of that request. The answer is
that of the request with `ok`; when that is false `error` and `hint` say why, and the editor has shown them. A client
without commands of its own is also shown what a decision did, in one line."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.features.links import without_links
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.table import handler_of
from memlsp.faces.lsp.server.editor_server import MemlspServer
from memlsp.faces.render import wording
from memlsp.faces.render.belief_json import Json
from memlsp.model.errors import BadValue, MemlspError

PREFIX = "memlsp.server."
_WIDE = 60
"""Characters of a message: of a line of 80 Neovim takes 11, and our name 8; of a longer one it asks for Enter."""

_LEAST = 20  # of the statement

log = logging.getLogger(__name__)


COMMANDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
"""The commands without their prefix."""


def _arguments(command: str, sent: Sequence[object]) -> Arguments:
    """Name the arguments: `where` is a line or a symbol, `conditions` one text with commas."""
    names, revises = COMMANDS[command]["names"], "handler" not in COMMANDS[command]
    if len(sent) > len(names):
        raise BadValue(f"{len(sent)} arguments, at most {len(names)} are understood")
    values: dict[str, object] = {"action": command} if revises else {}
    for name, value in zip(names, sent, strict=False):
        if name == "where":
            values["symbol" if isinstance(value, str) else "line"] = value
        elif name == "conditions" and isinstance(value, str):
            values[name] = [value] if value.strip() else []
        elif name == "note" and revises and value is not None:
            values[name] = str(value)  # the number of a revision, say
        elif name == "typing":
            values[name] = value is True
        else:
            values[name] = value
    return Arguments(values)


def command_feature(
    server: MemlspServer, context: RequestContext, name: str
) -> Callable[[Sequence[object]], Awaitable[Json]]:
    """A command as pygls runs it: errors become an answer and a message in the editor."""

    def show(kind: types.MessageType, text: str) -> None:
        server.window_show_message(types.ShowMessageParams(kind, without_links(text)))

    def refuse(message: str, hint: str) -> Json:
        end = "" if message.endswith(("?", ".")) else "."
        show(types.MessageType.Error, wording.plain(f"{message}{end} {hint}" if hint else message))
        return {"ok": False, "error": message, "hint": hint}

    async def run(sent: Sequence[object]) -> Json:
        if sent and sent[0] in ("file://", "file:///"):
            return {"ok": False, "error": "the document has no file", "hint": "save it"}  # no box: nobody asked there
        try:
            handler = handler_of(COMMANDS[name].get("handler", "revise.revise"))
            answer: Json = {"ok": True, **await handler(context, _arguments(name, sent))}
        except MemlspError as error:
            return refuse(str(error), error.hint)
        except Exception as error:
            log.exception("command %s failed", name)
            return refuse(f"memlsp could not {name}: {type(error).__name__}", "the log says more")
        if "belief" in answer:
            answer.setdefault("id", answer["belief"]["id"])
        if name == "show":
            show(types.MessageType.Info, str(answer["text"]))
        elif "done" in COMMANDS[name] and not server.client.commands:
            show(types.MessageType.Info, _told(COMMANDS[name]["done"], answer))
        return answer

    return run


def _told(done: str, answer: Json) -> str:
    """What a decision did, with what has to be known about it, in one line."""
    text = answer["belief"]["text"] if "belief" in answer else answer.get("stays", "")
    end = answer.get("how", "")
    room = max(_WIDE - len(done) - len(end) - 4, _LEAST)
    said = f"{done}: “{wording.plain(text, room)}”{end}" if text else f"{done}{end}."
    conflicts = [f"Contradiction: {each}" for each in answer.get("conflicts", ())[:1]]
    return " ".join([said, *answer.get("notices", ()), *conflicts])
