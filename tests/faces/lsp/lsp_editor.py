"""An editor for tests: pytest-lsp's client with the few habits of an editor, every wait bounded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from lsprotocol import types
from patience import patience
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features
from warm_start import warm_program

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds after which something that should have come is missing; a busy machine is slow."""

READS_HISTORY = {"onboarding": {"enabled": True}}
"""The default of the server. Two more processes read, which few tests look at and all would pay for."""

Change = types.TextDocumentContentChangePartial


def newest_vscode() -> types.ClientCapabilities:
    """The newest recorded VS Code, with what it has learned since: pulling diagnostics and being told to."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    assert capabilities.workspace is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


CLIENTS: dict[str, Callable[[], types.ClientCapabilities]] = {
    "neovim 0.7": lambda: client_capabilities("neovim@v0.7"),
    "neovim 0.11": lambda: client_capabilities("neovim@v0.11"),
    "emacs": lambda: client_capabilities("emacs"),
    "vs code 1.65": lambda: client_capabilities("visual-studio-code"),
    "vs code": newest_vscode,
    "bare": types.ClientCapabilities,
}


class Editor:
    """One editor with one server."""

    def __init__(self, client: LanguageClient, root: Path, result: types.InitializeResult) -> None:
        self.client = client
        self.root = root
        self.server = result.capabilities
        self.refreshed: list[str] = []
        self.asked: list[str] = []
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    def uri(self, path: str | Path) -> str:
        """The URI of a file of the project."""
        return (self.root / path).as_uri()

    def document(self, path: str | Path) -> types.TextDocumentIdentifier:
        """What names it in requests."""
        return types.TextDocumentIdentifier(self.uri(path))

    def open(self, path: str | Path, text: str | None = None, language: str = "python") -> str:
        """Open a file, with its text from disk unless another is given."""
        uri = self.uri(path)
        content = (self.root / path).read_text(encoding="utf-8") if text is None else text
        self._versions[uri], self._texts[uri] = 1, content
        item = types.TextDocumentItem(uri, language, 1, content)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return content

    def replace(self, path: str | Path, old: str, new: str) -> None:
        """Edit an open file by one incremental change, as an editor would."""
        uri = self.uri(path)
        text = self._texts[uri]
        assert old in text
        before, _, after = text.partition(old)
        start, end = _position(before), _position(before + old)
        self._texts[uri] = before + new + after
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=uri, version=self._versions[uri]),
                [types.TextDocumentContentChangePartial(types.Range(start, end), new)],
            )
        )

    def save(self, path: str | Path) -> None:
        """Write the buffer and say so."""
        uri = self.uri(path)
        (self.root / path).write_text(self._texts[uri], encoding="utf-8")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document(path)))

    def close(self, path: str | Path) -> None:
        """Close a file."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(path)))

    def at(self, path: str | Path, needle: str, nth: int = 0) -> types.Position:
        """Where a text stands in an open file, as the wire counts."""
        text, start = self._texts[self.uri(path)], -1
        for _ in range(nth + 1):
            start = text.index(needle, start + 1)
        return _position(text[:start])

    async def hover(self, path: str | Path, needle: str | types.Position, nth: int = 0) -> str | None:
        """What hovering a text shows."""
        position = needle if isinstance(needle, types.Position) else self.at(path, needle, nth)
        params = types.HoverParams(self.document(path), position)
        shown = await within(self.client.text_document_hover_async(params))
        if shown is None:
            return None
        assert isinstance(shown.contents, types.MarkupContent)
        return shown.contents.value

    async def lenses(self, path: str | Path) -> list[types.CodeLens]:
        """The lenses of a file."""
        params = types.CodeLensParams(self.document(path))
        found = list(await within(self.client.text_document_code_lens_async(params)) or [])
        assert all(lens.command is not None for lens in found)
        return found

    async def titles(self, path: str | Path) -> list[str]:
        """What the lenses of a file say."""
        return [lens.command.title for lens in await self.lenses(path) if lens.command]

    async def run(self, name: str, *arguments: object) -> dict[str, Any]:
        """Run one of our commands; its answer."""
        params = types.ExecuteCommandParams(f"memlsp.server.{name}", list(arguments))
        answer = await within(self.client.workspace_execute_command_async(params))
        return plain_of(answer)

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Ask one of our requests, `memlsp/METHOD`; its answer. Raises JsonRpcException when it is refused."""
        asked = self.client.protocol.send_request_async(  # pyright: ignore[reportUnknownMemberType] - untyped there
            f"memlsp/{method}", params
        )
        return plain_of(await within(asked))

    async def remember(self, path: str | Path, line: int, text: str, kind: str = "decision") -> str:
        """Remember something through the editor; its id."""
        answer = await self.run("remember", self.uri(path), line, text, kind)
        assert answer["ok"], answer
        return str(answer["id"])

    def shown(self, path: str | Path) -> Sequence[types.Diagnostic]:
        """The diagnostics pushed last."""
        return self.client.diagnostics.get(self.uri(path), [])

    async def diagnostics(self, path: str | Path, count: int) -> Sequence[types.Diagnostic]:
        """The diagnostics, as soon as there are `count` of them, pushed or pulled as the server says."""
        if self.server.diagnostic_provider is None:
            await until(lambda: len(self.shown(path)) == count)
            return self.shown(path)
        items: Sequence[types.Diagnostic] = []

        async def pulled() -> bool:
            nonlocal items
            items = await self.pull(path)
            return len(items) == count

        await until(pulled)
        return items

    async def pull(self, path: str | Path, previous: str | None = None) -> Sequence[types.Diagnostic]:
        """Pull the diagnostics once."""
        params = types.DocumentDiagnosticParams(self.document(path), previous_result_id=previous)
        report = await within(self.client.text_document_diagnostic_async(params))
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return report.items

    async def actions(
        self,
        path: str | Path,
        position: types.Position,
        *,
        diagnostics: Sequence[types.Diagnostic] = (),
        only: Sequence[str] | None = None,
        trigger: types.CodeActionTriggerKind | None = types.CodeActionTriggerKind.Invoked,
    ) -> list[types.CodeAction | types.Command]:
        """The code actions at a position."""
        context = types.CodeActionContext(list(diagnostics), only, trigger)  # type: ignore[arg-type]
        params = types.CodeActionParams(self.document(path), types.Range(position, position), context)
        return list(await within(self.client.text_document_code_action_async(params)) or [])

    async def act(self, actions: Sequence[types.CodeAction | types.Command], title: str) -> dict[str, Any]:
        """Run the action whose title begins so."""
        chosen = next(each for each in actions if each.title.startswith(title))
        command = chosen.command if isinstance(chosen, types.CodeAction) else chosen
        assert isinstance(command, types.Command)
        params = types.ExecuteCommandParams(command.command, command.arguments)
        return plain_of(await within(self.client.workspace_execute_command_async(params)))

    def said(self, kind: types.MessageType | None = None) -> list[str]:
        """The messages shown so far."""
        return [each.message for each in self.client.messages if kind is None or each.type is kind]


def _position(before: str) -> types.Position:
    lines = before.replace("\r\n", "\n").split("\n")
    return types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)


def plain_of(value: Any) -> Any:
    """JSON as dictionaries: pygls makes tuples with names of objects that it has no type for."""
    if hasattr(value, "_asdict"):
        return {key: plain_of(inner) for key, inner in value._asdict().items()}
    return [plain_of(inner) for inner in value] if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownVariableType]


def _converter() -> Any:
    """lsprotocol takes every action that holds a command for a command."""
    converter = default_converter()

    def action(raw: Any, _: object) -> types.Command | types.CodeAction:
        kind = types.Command if isinstance(raw.get("command"), str) else types.CodeAction
        return converter.structure(raw, kind)

    converter.register_structure_hook(types.Command | types.CodeAction, action)
    return converter


def _said(options: object) -> object:
    """The options, with the background reading off where they do not speak of it."""
    if not isinstance(options, dict):
        return options
    known = cast("dict[str, object]", options)
    inner = known.get("memlsp")
    section = cast("dict[str, object]", inner) if isinstance(inner, dict) else known
    quiet = {"onboarding": {"enabled": False}, **section}
    return {**known, "memlsp": quiet} if section is inner else quiet


async def within(work: Awaitable[T], seconds: float = PATIENCE) -> T:
    """The answer, or a failure when it does not come."""
    return await asyncio.wait_for(work, patience(seconds))


async def until(happened: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until something is so, a failure when it does not become so."""
    loop = asyncio.get_running_loop()
    end = loop.time() + patience(seconds)
    while True:
        answer = happened()
        if await answer if asyncio.iscoroutine(answer) else answer:
            return
        assert loop.time() < end, "it did not happen in time"
        await asyncio.sleep(0.02)


@asynccontextmanager
async def editor(
    root: Path,
    data: Path,
    capabilities: types.ClientCapabilities | None = None,
    *,
    options: object = None,
    folders: Sequence[Path] | None = None,
    name: str = "test editor",
    process_id: int | None = None,
    answers: bool = True,
) -> AsyncGenerator[Editor]:
    """An editor with a server of its own, initialized and in the end shut down. Without `answers` nobody is at it.
    Without `options` its lenses show beliefs that hold, too. The history is read in the background only where `options`
    say so: READS_HISTORY."""
    client = LanguageClient(converter_factory=_converter)
    register_lsp_features(client)
    refreshed: list[str] = []

    def lens_refresh(_: None) -> None:
        refreshed.append("lens")

    client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lens_refresh)
    asked: list[str] = []

    def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        """What a person does who presses the first button, unless the test takes that person away."""
        asked.append(params.message)
        return params.actions[0] if params.actions and answers else None

    client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(ask)

    environment = {**os.environ, "MEMLSP_DATA_DIR": str(data)}
    await client.start_io(  # pyright: ignore[reportUnknownMemberType] - its arguments are untyped
        *warm_program("lsp", "--stdio"), env=environment
    )
    try:
        result = await within(
            client.initialize_session(
                types.InitializeParams(
                    capabilities=capabilities or client_capabilities("neovim@v0.7"),
                    root_uri=root.as_uri(),
                    workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in folders or [root]],
                    initialization_options=_said({"lens": {"holding": True}} if options is None else options),
                    client_info=types.ClientInfo(name),
                    process_id=process_id,
                )
            )
        )
        session = Editor(client, root, result)
        session.refreshed, session.asked = refreshed, asked
        yield session
        await within(client.shutdown_session())
    finally:
        server = client._server  # pyright: ignore[reportPrivateUsage] - nothing else ends it when a test failed
        if server is not None and server.returncode is None:
            server.kill()
        await client.stop()
