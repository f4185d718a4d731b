"""Projects with their statements and prompts, and memlsp asked about them as a hook asks."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from attrs import evolve, field, frozen

from memlsp.memory import Memory
from memlsp.memory.injection import wording
from memlsp.memory.injection.injection import Injection, at_prompt
from memlsp.memory.injection.injection_stores import InjectionStores
from memlsp.model.belief import BeliefKind
from memlsp.model.errors import MemlspError, NoSuchFile
from memlsp.model.place import Place
from memlsp.store.core import hook_connection
from memlsp.store.core.locations import store_path, user_store_path
from memlsp.store.tables import hook_beliefs, hook_notes

BEARS, OWN, FOREIGN = "bears", "own", "foreign"
"""Sorts of prompts: something of the project bears on it; of the project, and nothing does; of another project."""

BUDGET = 250
"""Tokens of one telling: the default of the setting `agents.prompt`."""

OTHERS = 100
"""Statements of other projects that a workspace is told as well, to see what a larger memory changes."""


@frozen
class ToldStatement:
    """A statement that a workspace remembers. `places` are the symbols and files that it is tied to."""

    id: str
    text: str
    kind: BeliefKind | None = None
    locked: bool = False
    places: tuple[Place, ...] = ()


@frozen
class AskedPrompt:
    """A prompt with the ids of the statements that bear on it."""

    id: str
    text: str
    gold: frozenset[str]
    sort: str
    unsure: bool = False


@frozen
class Project:
    """Statements, and prompts put to whoever remembers them."""

    name: str
    statements: tuple[ToldStatement, ...]
    prompts: tuple[AskedPrompt, ...]
    root: Path | None = field(default=None)
    """The checkout to which the statements are tied; None for an empty folder."""


def projects_in(path: Path) -> list[Project]:
    """The projects of a file of JSON lines. Raises NoSuchFile, KeyError for what is not of its form."""
    return [_project(each) for each in lines_of(path)]


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a file. Raises NoSuchFile."""
    if not path.is_file():
        raise NoSuchFile(f"no cases at {path}", "they are in fixtures/injection of the checkout")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _project(entry: Mapping[str, Any]) -> Project:
    kinds = set(BeliefKind)
    return Project(
        entry["project"],
        tuple(
            ToldStatement(
                each["id"],
                each["text"],
                BeliefKind(each["kind"]) if each["kind"] in kinds else BeliefKind.FACT,
                locked=each["locked"],
            )
            for each in entry["statements"]
        ),
        tuple(
            AskedPrompt(each["id"], each["text"], frozenset(each["gold"]), each["sort"], bool(each.get("unsure")))
            for each in entry["prompts"]
        ),
    )


def crowded(project: Project, projects: Sequence[Project], most: int = OTHERS) -> Project:
    """The project with statements of the others remembered as well, which bear on none of its prompts."""
    at = projects.index(project)
    others = [each for other in (*projects[at + 1 :], *projects[:at]) for each in other.statements]
    added = [evolve(each, id=f"other {number}") for number, each in enumerate(others[:most])]
    return evolve(project, statements=(*project.statements, *added))


class ToldProject:
    """A fresh workspace that was told the statements, asked through the function that the hook calls. A context
    manager: its folder goes with it."""

    def __init__(self, project: Project) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="memlsp-injection-"))
        self._data = self._folder / "data"
        root = project.root or self._folder / "project"
        if project.root is None:
            root.mkdir()
            subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        self._ids: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        """Tokens of each statement as it is told."""
        with Memory.open(root, data_dir=self._data) as memory:
            for each in project.statements:
                with suppress(MemlspError):  # a symbol of which our reader has another name
                    belief = memory.remember(each.text, kind=each.kind, at=each.places).belief
                    if each.locked:
                        memory.revise(belief.id, "lock")
                    self._ids[belief.id] = each.id
            self._root = memory.workspace.root
            self._connection = hook_connection.opened(str(store_path(memory.workspace.key, self._data)))
        for belief in self._beliefs():
            self.lines[self._ids[belief.id]] = hook_notes.tokens(wording.told(belief))

    def _beliefs(self) -> Iterator[Any]:
        yield from hook_beliefs.beliefs_of(self._connection, range(1, hook_beliefs.number(self._connection) + 1))

    def told(self, text: str, session: str) -> list[str]:
        """The ids of the statements that a prompt in this session is handed."""
        return [self._ids[id] for id in self.injection(text, session).ids]

    def injection(self, text: str, session: str) -> Injection:
        """What the hook would say."""
        user = user_store_path(self._data)
        stores = InjectionStores(
            self._connection,
            lambda: hook_connection.opened(str(user)) if user.is_file() else None,
            f"claude-code {session}",
            lambda path: hook_notes.stamp_of(f"{self._root}/{path}"),
            datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        )
        return at_prompt(stores, text, BUDGET)

    def close(self) -> None:
        """Close the store and take the folder away."""
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
