"""Recognises command lines that run tests, and git commands that discard changes."""

from __future__ import annotations

import re
import shlex

_TESTS = re.compile(
    r"(?:^|[\s;&|/])(?:pytest|py\.test|tox|nox|unittest|nose2|jest|vitest|mocha|ava|karma|cypress run"
    r"|playwright test|rspec|minitest|phpunit|pest|ctest|bats|busted|shellspec|prove|surefire)(?=$|[\s;&|:])"
    r"|\b(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|zig|dart|flutter|lein|sbt|stack|cabal|rake|bazel|buck2?|make|just|task"
    r"|meson|ninja|composer|rails|hatch|pdm|poetry)\s+(?:run\s+|run-script\s+|-\S+\s+)*(?:\S*:)?(?:test|tests|check|spec|nextest|t)\b"
    r"|\b(?:mvnw?|gradlew?)\b.*\b(?:test|verify|check|integrationTest)\b",
    re.IGNORECASE,
)
_DROPS = re.compile(r"(?:^|[;&|]\s*)git\s+(?:-C\s+\S+\s+)?(checkout|restore|reset|stash|clean)\b([^;&|]*)")


def is_test_run(command: str) -> bool:
    """True for a command line that runs tests, in the languages that memlsp reads."""
    return bool(_TESTS.search(command))


def discarded_files(command: str) -> tuple[str, ...] | None:
    """The files whose changes a git command discards or stashes: () for all, None for other commands."""
    found = _DROPS.search(command)
    if found is None:
        return None
    try:
        words = shlex.split(found[2])
    except ValueError:
        return None
    options = {word for word in words if word.startswith("-") and word != "--"}
    named = [word for word in words if not word.startswith("-")]
    paths = tuple(words[words.index("--") + 1 :]) if "--" in words else ()
    match found[1]:
        case "reset":
            return () if "--hard" in options else None
        case "stash":
            aside = not named or named[0] in {"push", "save"}
            return (paths or tuple(named[1:]) if named[:1] == ["push"] else ()) if aside else None
        case "restore":
            return None if "--staged" in options and not options & {"--worktree", "-W"} else _files(named)
        case "checkout":
            return _files(list(paths)) if paths else () if named == ["."] else None
        case _:
            return None


def _files(named: list[str]) -> tuple[str, ...]:
    return () if "." in named else tuple(name.removeprefix("./") for name in named)
