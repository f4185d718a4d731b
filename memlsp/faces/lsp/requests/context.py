"""Finds the workspace, file, line or symbol that a request names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.faces.arguments import Arguments
from memlsp.faces.caller import author_of
from memlsp.faces.lsp.features.history import SymbolHistories
from memlsp.faces.lsp.server.documents import Document, Documents, file_of
from memlsp.faces.lsp.server.workspaces import EditorWorkspace, EditorWorkspaces
from memlsp.faces.render import wording
from memlsp.model.belief import Belief
from memlsp.model.caller import Caller
from memlsp.model.errors import NoSuchBelief, NoSuchFile, NotFound, NoWorkspace, Refused
from memlsp.model.place import Place

if TYPE_CHECKING:
    from memlsp.memory import Memory


@frozen
class ResolvedPlace:
    """A named place: its workspace, the path there, the line (from 1) or symbol, and the document if it is open."""

    workspace: EditorWorkspace
    path: str
    line: int | None = None
    symbol: str | None = None
    document: Document | None = None

    @property
    def place(self) -> Place:
        """The place as `Memory` takes it."""
        return Place(self.path, symbol=self.symbol) if self.symbol else Place(self.path, line=self.line)


@frozen
class RequestContext:
    """The services that request handlers share. `source` names the editor in what it writes; `wrote` is called after
    each write, to refresh what the editor shows; `ask` has the editor ask its person, who presses a button or not."""

    workspaces: EditorWorkspaces
    documents: Documents
    histories: SymbolHistories
    source: Callable[[], str]
    wrote: Callable[[], None]
    ask: Callable[[str, str], Awaitable[bool]]

    def caller(self, *, note: str = "", folder: Path | None = None) -> Caller:
        """Who decides: the person at the editor, or the agent in whose shell the server was started. An editor that is
        opened from such a shell counts as the agent too, since nobody can tell the two apart."""
        return Caller(author_of(None), self.source(), note=note, folder=folder)

    async def decider(
        self,
        workspace: EditorWorkspace,
        sides: Callable[[Memory], Iterable[Belief | None]],
        *,
        note: str = "",
        folder: Path | None = None,
    ) -> Caller:
        """Who decides about beliefs: as `caller`, and for locked ones after the editor asked its person, which a
        program that only sends requests does not answer. Raises Refused where nobody says to go on."""
        caller = self.caller(note=note, folder=folder)
        known = await workspace.run(lambda: tuple(sides(workspace.memory)))
        locked = next((belief for belief in known if belief is not None and belief.locked), None)
        if caller.author is not None or locked is None:
            return caller
        if not await self.ask(f"“{wording.plain(locked.text, 200)}” is locked. Change it all the same?", "Change it"):
            why = f"{locked.id} is locked by a person, and nobody at the editor said to go on"
            raise Refused(why, "answer the editor's question")
        return evolve(caller, source=f"{caller.source}, asked")

    def root_of(self, workspace: EditorWorkspace) -> str:
        """The uri of a workspace's root folder."""
        return self.workspaces.root_uri(workspace)

    async def place(self, arguments: Arguments, *, whole_file: bool = False) -> ResolvedPlace:
        """Resolve `uri` (or an absolute path) with `line` or `symbol`; without these, or for the whole file, the file.
        Raises BadValue, NoSuchFile, NoWorkspace."""
        address = arguments.text("uri", "the document's uri")
        file = _file(address)
        if file is None:
            raise NoSuchFile(f"not a file: {wording.plain(address, 80)}", "send a file: uri")
        line = symbol = None
        if not whole_file:
            symbol = arguments.optional("symbol") or None
            line = arguments.number("line", least=1) if symbol is None else None
        located = await self.documents.locate(address)
        if located is not None:
            document, where = located
            return ResolvedPlace(where.workspace, where.path, line, symbol, document)
        workspace = await self._workspace_of_file(file)
        return ResolvedPlace(workspace, await workspace.run(lambda: workspace.relative(file)), line, symbol)

    async def workspace(self, arguments: Arguments) -> EditorWorkspace:
        """The workspace of `uri`, a folder or a document; without it that of the document changed last, or the only
        one. `root` must be a folder that exists. Raises NoSuchFile, NoWorkspace."""
        uri = arguments.optional("uri")
        if arguments.has("root"):
            uri = arguments.text("root", "the uri of a workspace's folder")
            if not is_folder(uri):
                said = f"not the folder of a workspace: {wording.plain(uri, 80)}"
                raise NoSuchFile(said, "send the uri of one that is there, or none")
        if uri is None:
            return await self._any_workspace()
        located = await self.documents.locate(uri)
        if located is not None:
            return located[1].workspace
        file = _file(uri)
        if file is None:
            raise NoSuchFile(f"not a file or folder: {wording.plain(uri, 80)}", "send a file: uri")
        return await self._workspace_of_file(file / "any" if file.is_dir() else file)

    async def workspace_with(
        self, arguments: Arguments, find: Callable[[Memory], object], missing: str
    ) -> EditorWorkspace:
        """The workspace of `root` or `uri`; without these the first in which `find` raises no NotFound. Imported and
        restored beliefs may have the same id in several workspaces. Raises the first NotFound."""
        if arguments.has("root") or arguments.has("uri"):
            return await self.workspace(arguments)
        first: NotFound | None = None
        for workspace in self.workspaces.all() or (await self._any_workspace(),):
            try:
                await workspace.run(lambda workspace=workspace: find(workspace.memory))
            except NotFound as error:
                first = first or error
                continue
            return workspace
        raise first or NoSuchBelief(missing)

    async def workspace_of_belief(self, arguments: Arguments) -> tuple[EditorWorkspace, str]:
        """The workspace of the belief `id`, and the id. Raises NoSuchBelief."""
        id = arguments.text("id", "the belief's id")
        return await self.workspace_with(arguments, lambda memory: memory.belief(id), f"no belief {id!r}"), id

    async def _workspace_of_file(self, file: Path) -> EditorWorkspace:
        workspace = await self.workspaces.workspace_of_file(file)
        if workspace is None:
            raise NoWorkspace(f"no memory could be opened for {file}", "memlsp doctor says why")
        return workspace

    async def _any_workspace(self) -> EditorWorkspace:
        for document in self.documents.all():
            located = await self.documents.locate(document.uri)
            if located is not None:
                return located[1].workspace
        folders = self.workspaces.folders
        if folders:
            return await self._workspace_of_file(folders[0] / "any")
        raise NoWorkspace("no file of a workspace is open", "open one, or send its uri")


def _file(address: str) -> Path | None:
    return file_of(address) or (Path(address) if Path(address).is_absolute() else None)


def is_folder(uri: str | None) -> bool:
    """True for the uri or absolute path of a folder that exists."""
    file = _file(uri) if uri else None
    return file is not None and file.is_dir()
