"""The options that a client announces in `initializationOptions.memlsp`; without any it is served as every editor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from attrs import frozen

from memlsp.faces.lsp.server.settings import object_of

OPEN, PEEK = "memlsp.openBelief", "memlsp.peek"
CONFIRM, REPLACE, RETIRE = "memlsp.belief.confirm", "memlsp.belief.supersede", "memlsp.belief.retire"

_COMMAND = re.compile(r"memlsp\.[A-Za-z.]{1,60}\Z")


@frozen
class ClientOptions:
    """`tell_changes`: it takes `memlsp/changed`. `trusted`: the user trusts the open folders; the default.
    `commands`: its own commands that a hover may link to and a lens may run."""

    tell_changes: bool = False
    trusted: bool = True
    commands: frozenset[str] = frozenset()

    @classmethod
    def of(cls, options: object) -> ClientOptions:
        """Read `initializationOptions`. A value of the wrong type counts as absent; for `trusted` it means no."""
        said = object_of(object_of(options).get("memlsp"))
        names = said.get("commands")
        commands = cast("Sequence[object]", names) if isinstance(names, list | tuple) else ()
        return cls(
            said.get("tellChanges") is True,
            said.get("trusted", True) is True,
            frozenset(each for each in commands if isinstance(each, str) and _COMMAND.match(each)),
        )
