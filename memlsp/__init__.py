"""memlsp: the language server that remembers why the code is the way it is.

`Memory` is the memory of one workspace. Beside it are the values that its methods take, and the error that they raise:
`from memlsp import Memory, Place`. The other values are in `memlsp.model`.
"""

from __future__ import annotations

from memlsp.version import VERSION

TYPE_CHECKING = False  # as in typing, without importing it: a hook's whole process has 40 ms
if TYPE_CHECKING:
    from memlsp.memory import Memory as Memory
    from memlsp.model.belief import Author as Author
    from memlsp.model.belief import AuthorKind as AuthorKind
    from memlsp.model.belief import BeliefKind as BeliefKind
    from memlsp.model.belief import Limits as Limits
    from memlsp.model.belief import Scope as Scope
    from memlsp.model.caller import Caller as Caller
    from memlsp.model.errors import MemlspError as MemlspError
    from memlsp.model.handoff import HandoffNotes as HandoffNotes
    from memlsp.model.place import Place as Place
    from memlsp.model.recall import RecallOptions as RecallOptions
    from memlsp.model.standing import Standing as Standing

_HOMES = {
    "Author": "memlsp.model.belief",
    "AuthorKind": "memlsp.model.belief",
    "BeliefKind": "memlsp.model.belief",
    "Caller": "memlsp.model.caller",
    "HandoffNotes": "memlsp.model.handoff",
    "Limits": "memlsp.model.belief",
    "Memory": "memlsp.memory",
    "MemlspError": "memlsp.model.errors",
    "Place": "memlsp.model.place",
    "RecallOptions": "memlsp.model.recall",
    "Scope": "memlsp.model.belief",
    "Standing": "memlsp.model.standing",
}

__version__ = VERSION
__all__ = [
    "Author",
    "AuthorKind",
    "BeliefKind",
    "Caller",
    "HandoffNotes",
    "Limits",
    "MemlspError",
    "Memory",
    "Place",
    "RecallOptions",
    "Scope",
    "Standing",
    "__version__",
]


def __getattr__(name: str) -> object:
    # loaded when first asked for, so that `memlsp --version` and other short ways in stay short
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
