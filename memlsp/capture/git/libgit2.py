"""libgit2, loaded when it is first used: that takes longer than most answers of the command line do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pygit2
else:

    class _LateModule:
        """Stands for `pygit2`; its names are looked up there once."""

        def __getattr__(self, name: str) -> Any:
            import pygit2

            # We only read: libgit2 runs no command that a repository configures, so one that belongs to somebody else
            # ("dubious ownership" to git) is no danger, and in containers it is the usual case.
            pygit2.settings.owner_validation = False
            found = self.__dict__[name] = getattr(pygit2, name)
            return found

    pygit2 = _LateModule()


def unreadable() -> tuple[type[Exception], ...]:
    """What libgit2 raises for objects, references and files that are missing or damaged."""
    return (pygit2.GitError, KeyError, ValueError, OSError)
