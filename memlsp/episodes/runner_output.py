"""Reads the output of test runners: failed tests, passed tests, and whether a run covers all that it was asked to run.

It knows pytest, unittest, jest, vitest, mocha, go test, cargo test and nextest, Maven, Gradle, PHPUnit, RSpec and
dotnet test (`runners.toml`). Only the head and tail of an output are kept, so a missing line proves nothing: a run
covers tests that it does not name only when its own count says that no other failed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from memlsp.code.vocabulary import patterns, word_sets

MOST = 20
"""Failing tests that are kept of one run; a suite that fails as a whole is one problem, not a thousand."""

_MESSAGE = 160


@frozen
class FailedTest:
    """A failing test: `name` as its runner writes it, without parameters; `path` "" where the output has none."""

    name: str
    path: str = ""
    message: str = ""
    group: str = ""  # Go's package


@frozen
class TestRun:
    """One run of a runner. `clean` is True when it ran something and nothing failed, None when the output does not say.

    `whole` means that every failure is named. `filters` has the names asked for, `paths` the files or folders as
    typed; both empty means all. `groups` has the Go packages that passed.
    """

    __test__ = False  # pytest takes the name for its own

    runner: str
    failed: tuple[FailedTest, ...] = ()
    passed: tuple[str, ...] = ()
    clean: bool | None = None
    whole: bool = False
    filters: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    early: bool = False  # it stops at the first failure
    unclear: bool = False  # what it was asked for cannot be read

    def speaks_for(self, name: str, path: str, group: str = "") -> bool:
        """True when the run proves that a test which it does not name passed."""
        if self.unclear or (self.early and not self.clean):
            return False
        if self.runner == "go":
            return group in self.groups and self._asked(name)
        if not (self.clean or (self.whole and self.clean is False)):
            return False
        below = not self.paths or any(_is_below(path, each) for each in self.paths)
        return below and self._asked(name)

    def _asked(self, name: str) -> bool:
        return not self.filters or any(each in name for each in self.filters)


@frozen
class TestRunner:
    """The patterns of one runner, and the files and definitions of its tests; see `runners.toml`."""

    __test__ = False

    name: str
    command: re.Pattern[str]
    sign: re.Pattern[str]
    failed: tuple[re.Pattern[str], ...]
    passed: re.Pattern[str] | None
    count: re.Pattern[str] | None
    clean: re.Pattern[str]
    stops_early: re.Pattern[str]
    suffixes: tuple[str, ...]
    definition: str


def line(pattern: str) -> re.Pattern[str]:
    """A pattern in which `^` and `$` are those of a line."""
    return re.compile(pattern, re.MULTILINE)


def _runner(name: str, patterns: Mapping[str, Any]) -> TestRunner:
    passed, count = (line(patterns[key]) if key in patterns else None for key in ("passed", "count"))
    required = line(patterns["command"]), line(patterns["sign"]), tuple(map(line, patterns["failed"]))
    early = re.compile(patterns.get("stops_early", r"(?!)"))
    definition = patterns.get("definition", "{}")
    clean = line(patterns["clean"])
    return TestRunner(name, *required, passed, count, clean, early, tuple(patterns["suffixes"]), definition)


RUNNERS = {
    name: _runner(name, patterns)
    for name, patterns in tomllib.loads(Path(__file__).with_name("runners.toml").read_text(encoding="utf-8")).items()
}
"""The runners by name."""

_ANY = line(
    r"\b(?:npm|yarn|pnpm|bun|make|just|task|rake|hatch|poetry run|uv run|nx|turbo)\b.*\btests?\b|\btests?\.sh\b"
)
_SOME = line(r"\b(?:npm|yarn|pnpm|bun|make|just|task|rake|hatch|nx|turbo)\b[^|;&]*\btests?[:_-]\w")  # a part of them
_RE = patterns(__name__)
_WORDS = word_sets(__name__)
_GO_PACKAGE = line(r"^FAIL[ \t]+(\S+)")
_JEST_FILE = line(r"^\s*FAIL\s+(?:\S+ )?(\S+\.\w+)")


def read_run(command: str, output: str, ok: bool | None) -> TestRun | None:
    """The test run of a command; None for other commands. `ok` is its success, None when unknown."""
    runner = _runner_of(command, output)
    if runner is None:
        return None
    failed = tuple(_failures(runner, output))
    counted = _counted(runner, output)
    clean: bool | None = None
    if failed or counted:
        clean = False
    elif runner.clean.search(output):
        clean = None if ok is False else True
    elif not output.strip() and ok and not _RE["pipe"].search(command) and runner.command.search(command):
        clean = True  # a terminal only reports success
    filters, readable = _filters(runner.name, command)
    names = tuple(_named(found) for found in runner.passed.finditer(output)) if runner.passed else ()
    broken = {each.name for each in failed}
    return TestRun(
        runner.name,
        _grouped(runner, failed)[:MOST],
        tuple(dict.fromkeys(name for name in names if name not in broken)),
        clean,
        whole=counted is not None and len({(each.path, each.name) for each in failed}) >= counted > 0,
        filters=filters,
        paths=_paths(runner, command),
        groups=tuple(re.findall(r"^ok\s+(\S+)", output, re.MULTILINE)) if runner.name == "go" else (),
        early=bool(runner.stops_early.search(command)) or "Interrupted:" in output,
        unclear=not readable,
    )


def _runner_of(command: str, output: str) -> TestRunner | None:
    called = [runner for runner in RUNNERS.values() if runner.command.search(command)]
    said = [runner for runner in RUNNERS.values() if runner.sign.search(output)]
    for runner in said:
        if runner in called:
            return runner
    if said and (_ANY.search(command) or called):
        return said[0]
    return called[0] if called else None


def _failures(runner: TestRunner, output: str) -> Iterator[FailedTest]:
    seen: set[tuple[str, str]] = set()
    for pattern in runner.failed:
        for found in pattern.finditer(output):
            groups = found.groupdict()
            name, path = _named(found), groups.get("path") or ""
            if (path, name) in seen or not (name or path):
                continue
            if seen and runner.name == "maven" and any(known.endswith(_last_two(name)) for _, known in seen):
                continue  # said once where it failed and once in the list at the end
            seen.add((path, name))
            group = groups.get("group") or ""
            if runner.name == "go":
                after = _GO_PACKAGE.search(output, found.end())
                group = after[1] if after else ""
            elif runner.name == "jest":
                path = path or next(
                    (each[1] for each in reversed([*_JEST_FILE.finditer(output, 0, found.start())])), ""
                )
            message = " ".join((groups.get("message") or "").split())[:_MESSAGE]
            yield FailedTest(name, path, message, group)


def _named(found: re.Match[str]) -> str:
    groups = found.groupdict()
    name = " ".join((groups.get("name") or "").split())
    method = groups.get("method")
    if method and name.rpartition(".")[2] != method:
        name = f"{name}.{method}"  # before Python 3.11 the method was not repeated
    return name


def _last_two(name: str) -> str:
    return ".".join(name.replace("#", ".").split(".")[-2:])


def _grouped(runner: TestRunner, failed: Iterable[FailedTest]) -> tuple[FailedTest, ...]:
    """One entry for each test; parameters and subtests count as their test."""
    tests: dict[tuple[str, str], FailedTest] = {}
    for each in failed:
        name = base_name(runner.name, each.name)
        known = tests.get((each.path, name))
        if known is None or (each.message and not known.message):
            tests[each.path, name] = FailedTest(
                name, each.path or (known.path if known else ""), each.message, each.group
            )
    if runner.name != "go":
        return tuple(tests.values())
    merged: dict[str, FailedTest] = {}
    for each in tests.values():  # the parent says no file, its subtest does
        known = merged.get(each.name)
        if known is None or not known.path:
            merged[each.name] = each
    return tuple(merged.values())


def base_name(runner: str, name: str) -> str:
    """The name of the test that a case belongs to."""
    if runner == "pytest":
        return _RE["parameters"].sub("", name)
    if runner == "go":
        return name.partition("/")[0]
    if runner == "maven":
        return _last_two(name)  # said with its package where it failed, and without in the list at the end
    return name


def _counted(runner: TestRunner, output: str) -> int | None:
    found = list(runner.count.finditer(output)) if runner.count else []
    if not found:
        return None
    text = found[-1]["count"]
    if runner.name == "pytest":
        text = " ".join(re.findall(r"(\d+) (?:failed|errors?)\b", found[-1][0]))
    return sum(int(number) for number in _RE["number"].findall(text))


def _filters(runner: str, command: str) -> tuple[tuple[str, ...], bool]:
    """The names asked for, and whether all filters could be read."""
    names: list[str] = []
    readable = True
    for found in _RE["filter"].finditer(command):
        value = found["value"].strip("'\"")
        if runner == "maven":
            value = value.replace("#", ".").rstrip("*")
        if runner in {"dotnet", "gradle"}:
            value = value.rpartition("~")[2].rpartition("=")[2].strip("*")
        if re.search(r"\b(?:and|or|not)\b|[&!,]", value):
            readable = False
        names += [part.strip("^$*/() ") for part in value.split("|")]
    if runner == "pytest":
        names += [_RE["parameters"].sub("", part.partition("::")[2]) for part in command.split() if "::" in part]
    if _SOME.search(command):
        readable = False
    if runner == "cargo":
        after = re.search(
            r"\bcargo (?:\+\S+ )?(?:test|t|nextest run)((?:\s+(?!--\s|[|;&>2]).+?)*?)(?=\s--(?:\s|$)|[|;&>]|2>|$)",
            command,
        )
        if after:
            names += _plain_arguments(after[1])
        names += _plain_arguments(command.partition(" -- ")[2])
    return tuple(name for name in names if name), readable


def _plain_arguments(text: str) -> Iterator[str]:
    skip = False
    for part in re.split(r"[|;&>]|2>", text)[0].split():
        if skip or part.startswith("-"):
            skip = part in _WORDS["valued"]
            continue
        yield part.strip("'\"")


def _paths(runner: TestRunner, command: str) -> tuple[str, ...]:
    if runner.name in {"cargo", "maven", "gradle", "dotnet", "go"}:
        return ()
    found = runner.command.search(command) or _ANY.search(command)
    rest = re.split(r"[|;&>]|\s2>", command[found.end() :])[0] if found else ""
    words = [word.strip("'\"").partition("::")[0] for word in _RE["filter"].sub(" ", rest).split()]
    named = [
        word.rstrip("/").removeprefix("./")
        for word in words
        if not (_RE["no_path"].search(word) or word in _WORDS["no_paths"])
    ]
    if runner.name == "unittest":
        named = [re.sub(r"\.(?!py$)", "/", word) for word in named]
    return tuple(word for word in named if word)


def _is_below(path: str, place: str) -> bool:
    return bool(path) and (
        path == place or path.startswith(f"{place}/") or f"/{place}/" in f"/{path}/" or path == f"{place}.py"
    )
