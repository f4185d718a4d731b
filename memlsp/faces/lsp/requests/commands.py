"""The commands `memlsp.server.*`, for clients that can send nothing else: code lenses, code actions, key bindings.

Each gives its positional arguments the names of a request's parameters and calls the handler of that request. The
answer is that of the request with `ok`; when that is false `error` and `hint` say why, and the editor has shown them.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

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
from memlsp.model.belief import RevisionAction
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


def _revision(action: RevisionAction, about: str, extra: str = "note") -> Command:
    return Command(revise.revise, ("id", extra, "root"), about, {"action": action.value})


COMMANDS: dict[str, Command] = {
    "remember": Command(
        remember.remember,
        ("uri", "where", "text", "kind"),
        "[uri, line from 1 or symbol, text, kind?]: remember a statement.",
    ),
    "why": Command(
        recall.explain, ("uri", "where"), "[uri, line from 1 or symbol]: beliefs and history as data, and as text."
    ),
    "show": Command(
        recall.explain,
        ("uri", "where"),
        "[uri, line from 1 or symbol]: the same, and a message with the text, for the lenses of every editor.",
    ),
    "status": Command(recall.count_beliefs, ("uri",), "[uri?]: the workspace's memory in numbers."),
    "recall": Command(
        recall.recall,
        ("query", "uri", "where", "typing"),
        "[query, uri?, line from 1 or symbol?, true while the user types?]: the beliefs that answer a question, best "
        "first. The uri of a folder only names the workspace. While the user types, no receipt is kept.",
    ),
    "threads": Command(
        timeline.list_threads,
        ("uri",),
        "[uri?]: the open threads of a file, or without it of the whole workspace; newest first.",
    ),
    "closeThread": Command(timeline.close_thread, ("id", "note"), "[id, why?]: close a thread by hand."),
    "conflicts": Command(review.list_conflicts, ("uri",), "[uri?]: the open contradictions of a workspace."),
    "settle": Command(
        review.settle,
        ("id", "settlement", "keep", "conditions", "root"),
        "[conflict, `superseded`, `retired` or `kept`, id of the side that stays], or [conflict, `scoped`, id of a "
        "side, KEY=VALUE that it applies under, more of these with commas]; fifth the workspace's root, if need be.",
    ),
    "forget": Command(
        revise.forget, ("id", "root"), "[id, root?]: erase a belief for good, with everything derived from it."
    ),
    "confirm": _revision(RevisionAction.CONFIRM, "[id, note?, root?]: the belief is still true for the current code."),
    "supersede": _revision(
        RevisionAction.SUPERSEDE, "[id, text, root?]: another statement replaces the belief.", extra="text"
    ),
    "retire": _revision(RevisionAction.RETIRE, "[id, note?, root?]: no longer true; of a proposal: unwanted."),
    "lock": _revision(RevisionAction.LOCK, "[id, note?, root?]: only persons may change the belief."),
    "unlock": _revision(RevisionAction.UNLOCK, "[id, note?, root?]: agents may change the belief again."),
    "reanchor": _revision(
        RevisionAction.REANCHOR,
        "[id, place?, root?]: tie the belief to `PATH`, `PATH:LINE` or `PATH#NAME`, or to the only candidate.",
        extra="place",
    ),
    "scope": _revision(
        RevisionAction.SCOPE,
        "[id, conditions, root?]: limit the belief to `KEY=VALUE`, more with commas; an empty text lifts the limit.",
        extra="conditions",
    ),
    "worked": _revision(RevisionAction.WORKED, "[id, note?, root?]: following the belief worked."),
    "failed": _revision(RevisionAction.FAILED, "[id, note?, root?]: following the belief failed."),
    "rollback": _revision(
        RevisionAction.ROLLBACK, "[id, number?, root?]: take back a revision; without a number the last."
    ),
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
