"""The commands `memlsp.server.*`, for clients that can send nothing else: code lenses, code actions, key bindings. Each
gives its positional arguments the names of a request's parameters and calls the handler of that request. The answer is
that of the request with `ok`; when that is false `error` and `hint` say why, and the editor has shown them."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files

from attrs import field, frozen
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlsp.faces.arguments import Arguments
from memlsp.faces.lsp.features.links import without_links
from memlsp.faces.lsp.requests import recall, remember, review, revise, timeline
from memlsp.faces.lsp.requests.context import RequestContext
from memlsp.faces.lsp.requests.table import Handler
from memlsp.faces.render import wording
from memlsp.faces.render.belief_json import Json
from memlsp.model.errors import BadValue, MemlspError

PREFIX = "memlsp.server."

log = logging.getLogger(__name__)


@frozen
class Command:
    """A handler, the names of its positional arguments, and their description. `where` is a line or a symbol,
    `conditions` one text with commas. `fixed` are further parameters."""

    handler: Handler
    names: tuple[str, ...]
    about: str
    fixed: dict[str, object] = field(factory=dict[str, object])

    def arguments(self, sent: Sequence[object]) -> Arguments:
        """The arguments by name. Raises BadValue when there are too many."""
        if len(sent) > len(self.names):
            raise BadValue(f"{len(sent)} arguments, at most {len(self.names)} are understood")
        values = dict(self.fixed)
        for name, value in zip(self.names, sent, strict=False):
            if name == "where":
                values["symbol" if isinstance(value, str) else "line"] = value
            elif name == "conditions" and isinstance(value, str):
                values[name] = [value] if value.strip() else []
            elif name == "note" and self.fixed and value is not None:
                values[name] = str(value)  # the number of a revision, say
            elif name == "typing":
                values[name] = value is True
            else:
                values[name] = value
        return Arguments(values)


_HANDLERS: dict[str, Handler] = {
    "remember": remember.remember,
    "why": recall.explain,
    "show": recall.explain,
    "status": recall.count_beliefs,
    "recall": recall.recall,
    "threads": timeline.list_threads,
    "closeThread": timeline.close_thread,
    "conflicts": review.list_conflicts,
    "settle": review.settle,
    "forget": revise.forget,
}
"""The commands that are no revision of a belief."""


def _command(name: str, names: list[str], about: str) -> Command:
    handler = _HANDLERS.get(name)
    return Command(handler or revise.revise, tuple(names), about, {} if handler else {"action": name})


COMMANDS = {
    name: _command(name, **given)
    for name, given in tomllib.loads((files("memlsp.faces.lsp.requests") / "commands.toml").read_text("utf-8")).items()
}
"""The commands without their prefix."""


def command_feature(
    server: LanguageServer, context: RequestContext, name: str
) -> Callable[[Sequence[object]], Awaitable[Json]]:
    """A command as pygls runs it: errors become an answer and a message in the editor."""
    command = COMMANDS[name]

    def show(kind: types.MessageType, text: str) -> None:
        server.window_show_message(types.ShowMessageParams(kind, without_links(text)))

    def refuse(message: str, hint: str) -> Json:
        show(types.MessageType.Error, wording.plain(f"{message}. {hint}" if hint else message))
        return {"ok": False, "error": message, "hint": hint}

    async def run(sent: Sequence[object]) -> Json:
        try:
            answer: Json = {"ok": True, **await command.handler(context, command.arguments(sent))}
        except MemlspError as error:
            return refuse(str(error), error.hint)
        except Exception as error:
            log.exception("command %s failed", name)
            return refuse(f"memlsp could not {name}: {type(error).__name__}", "the log says more")
        if "belief" in answer:
            answer.setdefault("id", answer["belief"]["id"])
        if name == "show":
            show(types.MessageType.Info, str(answer["text"]))
        return answer

    return run
