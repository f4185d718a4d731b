"""Which workspace, file, line or symbol a command or request means by the address that it was given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.faces.lsp.server.documents import Document, Documents, file_of
from memlsp.faces.lsp.server.workspaces import Desk, Desks
from memlsp.faces.render import wording
from memlsp.model.errors import BadValue, NoSuchBelief, NoSuchFile, NotFound, NoWorkspace
from memlsp.model.place import Place

if TYPE_CHECKING:
    from memlsp.memory import Memory


@frozen
class Spot:
    """A place that was named: its workspace, its path there, the line (from 1) or symbol, and the document when it is
    open."""

    desk: Desk
    path: str
    line: int | None
    symbol: str | None
    document: Document | None

    @property
    def place(self) -> Place:
        """The place as the memory takes it."""
        return Place(self.path, symbol=self.symbol) if self.symbol else Place(self.path, line=self.line)


class Addresses:
    """Finds what is meant."""

    def __init__(self, desks: Desks, documents: Documents) -> None:
        self._desks = desks
        self._documents = documents

    async def spot(self, uri: object, where: object) -> Spot:
        """A document's uri (or an absolute path) with a line from 1, a symbol's dotted name, or None for all of it.

        Raises BadValue, NoSuchFile, NoWorkspace.
        """
        address = text_of(uri, "the document's uri")
        file = _file(address)
        if file is None:
            raise NoSuchFile(f"not a file: {wording.plain(address, 80)}", "send a file: uri")
        placed = await self._documents.where(address)
        if placed is not None:
            document, known = placed
            desk, path = known.desk, known.path
        else:
            document = None
            desk = await self.need(file)
            path = await desk.run(lambda: desk.relative(file))
        if where is None:
            return Spot(desk, path, None, None, document)
        if isinstance(where, str):
            return Spot(desk, path, None, where, document)
        if isinstance(where, bool) or not isinstance(where, int | float) or where < 1:
            raise BadValue(
                f"not a line: {where!r}", "lines count from 1, as in PATH:LINE; or send a symbol's dotted name"
            )
        return Spot(desk, path, int(where), None, document)

    async def desk(self, uri: str | None) -> Desk:
        """The workspace of a folder or a document, by uri or absolute path; without one the workspace that was touched
        last, or the only one.

        Raises NoSuchFile, NoWorkspace.
        """
        if uri is None:
            return await self.any_desk()
        placed = await self._documents.where(uri)
        if placed is not None:
            return placed[1].desk
        file = _file(uri)
        if file is None:
            raise NoSuchFile(f"not a file or folder: {wording.plain(uri, 80)}", "send a file: uri")
        return await self.need(file / "any" if file.is_dir() else file)

    async def need(self, file: Path) -> Desk:
        """The workspace of a file. Raises NoWorkspace."""
        desk = await self._desks.desk_for(file)
        if desk is None:
            raise NoWorkspace(f"no memory could be opened for {file}", "memlsp doctor says why")
        return desk

    async def any_desk(self) -> Desk:
        """The workspace of the document changed last, for questions that name no place."""
        for document in self._documents.all():
            placed = await self._documents.where(document.uri)
            if placed is not None:
                return placed[1].desk
        folders = self._desks.folders
        if folders:
            return await self.need(folders[0] / "any")
        raise NoWorkspace("no file of a workspace is open", "open one, or send its uri")

    async def desk_of_belief(self, belief: str, uri: str | None = None) -> Desk:
        """The workspace that knows a belief; that of `uri` where one is given. Raises NoSuchBelief."""
        if uri is not None:
            return await self.desk(uri)
        return await self.desk_where(lambda memory: memory.belief(belief), f"no belief {belief!r}")

    async def desk_in(self, folder: object) -> Desk:
        """The workspace of a folder that an answer named as its root. Raises BadValue, NoSuchFile, NoWorkspace."""
        uri = text_of(folder, "the uri of a workspace's folder")
        if not names_folder(uri):
            raise NoSuchFile(
                f"not the folder of a workspace: {wording.plain(uri, 80)}", "send the uri of one that is there, or none"
            )
        return await self.desk(uri)

    async def desk_where(self, find: Callable[[Memory], object], missing: str) -> Desk:
        """The first desk whose memory finds something; raises what the first said that did not."""
        desks = self._desks.all() or (await self.any_desk(),)
        first: NotFound | None = None
        for desk in desks:
            try:
                await desk.run(lambda desk=desk: find(desk.memory))
            except NotFound as error:
                first = first or error
                continue
            return desk
        raise first or NoSuchBelief(missing)


def _file(address: str) -> Path | None:
    """The file or folder that a uri or an absolute path names."""
    return file_of(address) or (Path(address) if Path(address).is_absolute() else None)


def names_folder(uri: object) -> bool:
    """True for the uri or absolute path of a folder that is there."""
    file = _file(uri) if isinstance(uri, str) else None
    return file is not None and file.is_dir()


def text_of(value: object, what: str = "a text") -> str:
    """A text that is not empty. Raises BadValue, which names `what` was expected."""
    if not isinstance(value, str) or not value.strip():
        raise BadValue(f"expected {what}, got {value!r:.60}" if value is not None else f"{what} is missing")
    return value


def conditions_of(text: str) -> list[tuple[str, str]]:
    """KEY=VALUE, more of these with commas. Raises BadValue."""
    pairs = [each.partition("=") for each in text.split(",")]
    if not all(key.strip() and value.strip() for key, _, value in pairs):
        raise BadValue(f"not a condition: {text!r:.60}", "write KEY=VALUE, such as env=staging")
    return [(key.strip(), value.strip()) for key, _, value in pairs]
