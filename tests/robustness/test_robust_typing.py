"""Code that is being typed: it does not parse most of the time, and nothing false may flash meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import CLIENT, Project
from robust_world import Editor

from memlsp import Memory
from memlsp.code.syntax.outline import outline
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Standing

PYTHON = (
    CLIENT
    + '''

class Pool:
    """Connections."""

    size = 8

    def take(self, wait=2.5):
        """One of them."""
        if not self.free:
            raise LookupError("none left")
        return self.free.pop()


LIMIT = 100
'''
)
TYPED = '''def fetch_all(urls, *, pause=0.5):
    """Get "many" (see `fetch`)."""
    for url in urls:
        # it's not closed "
        if not url.startswith(("a", 'b')):
            raise ValueError(f"no {url!r}")
    return {key: [x] for key, x in urls}
'''
SCRIPT = """export const LIMIT = 100;

export function fetchPage(url, retries = 3) {
  for (let i = 0; i < retries; i++) {
    try { return get(url); } catch (error) { wait(i); }
  }
  throw new Error(`none: ${url}`);
}

class Pool {
  take(wait = 2.5) { return this.free.pop(); }
}
"""
TYPED_SCRIPT = """function pick(a, {b = "x", ...rest} = {}) {
  const text = `it's ${a ? [b, (1)] : "}"}`;
  return /[/"']/.test(text) ? { a, b } : null; // "
}
"""

# name: (path, text, what is typed, before which text it is typed)
PLACES: dict[str, tuple[str, str, str, str]] = {
    "python, at the top": ("client.py", PYTHON, TYPED, "def fetch("),
    "python, between": ("client.py", PYTHON, TYPED, "class Pool"),
    "python, at the end": ("client.py", PYTHON, TYPED, "LIMIT"),
    "javascript, at the top": ("page.js", SCRIPT, TYPED_SCRIPT, "export function"),
    "javascript, between": ("page.js", SCRIPT, TYPED_SCRIPT, "class Pool"),
}
BELIEFS = {
    "client.py": {
        "client.py#fetch": "It retries 3 times and catches IOError",
        "client.py#Pool": "The pool holds 8",
        "client.py#Pool.take": "A connection is waited for 2.5 seconds, else LookupError is raised",
        "client.py#LIMIT": "The limit is 100",
    },
    "page.js": {
        "page.js#fetchPage": "It retries 3 times",
        "page.js#Pool": "The pool is taken from",
        "page.js#Pool.take": "A connection is waited for 2.5 seconds",
        "page.js#LIMIT": "The limit is 100",
    },
}


def remember_all(project: Project, path: str, data: Path | None = None) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        for place, text in BELIEFS[path].items():
            memory.remember(text, at=[Place.parse(place)], by=Caller(folder=project.root))


@pytest.mark.parametrize("where", PLACES)
def test_typing_a_function_character_by_character_raises_no_false_alarm(project: Project, where: str) -> None:
    path, text, typed, before = PLACES[where]
    project.write(path, text)
    remember_all(project, path)
    at = text.index(before)
    flashed: list[str] = []
    broken = 0
    with Memory.open(project.root) as memory:
        for count in range(len(typed) + 1):
            # editors put what is begun on a line of its own
            now = f"{text[:at]}{typed[:count]}\n{text[at:]}"
            memory.open_buffer(path, now, count)
            parsed = not outline(path, now.encode()).has_errors
            broken += not parsed
            flashed += [
                f"{typed[max(0, count - 20) : count]!r}: {finding.brief}"
                for finding in memory.findings(path)
                if not parsed or finding.standing is not Standing.CHANGED
            ]
        assert flashed == []
        assert broken > 20, "or nothing was tried"
        assert memory.findings(path) == ()
        assert {each.standing for each in memory.beliefs()} == {Standing.CURRENT}


def test_retyping_a_body_alarms_only_when_it_parses_and_ends_as_it_began(project: Project) -> None:
    project.write("client.py", PYTHON)
    remember_all(project, "client.py")
    start, end = PYTHON.index("    for attempt"), PYTHON.index("class Pool")
    body = PYTHON[start:end]
    with Memory.open(project.root) as memory:
        for count in (*range(len(body), -1, -7), *range(0, len(body) + 1, 3), len(body)):
            now = PYTHON[:start] + body[:count] + "\n\n" + PYTHON[end:]
            memory.open_buffer("client.py", now, count)
            others = [each for each in memory.findings("client.py") if each.spot.name != "fetch"]
            assert others == [], body[:count]
            if outline("client.py", now.encode()).has_errors:
                assert Standing.ORPHANED not in {each.standing for each in memory.findings("client.py")}
        assert {each.standing for each in memory.beliefs()} == {Standing.CURRENT}


def test_an_editor_shows_after_typing_what_a_fresh_start_shows(project: Project, tmp_path: Path) -> None:
    project.write("client.py", PYTHON)
    data = tmp_path / "data"
    remember_all(project, "client.py", data)
    line = PYTHON[: PYTHON.index("class Pool")].count("\n")
    typed = TYPED.replace("pause=0.5", "pause=0.7")
    lines = PYTHON.splitlines(keepends=True)
    final = "".join([*lines[:line], typed, "\n", *lines[line:]])
    with Editor(project.root, data) as editor:
        editor.open("client.py", PYTHON)
        assert editor.diagnostics("client.py") == []
        at_line, at_column = line, 0
        here = {"line": line, "character": 0}
        editor.change("client.py", {"range": {"start": here, "end": here}, "text": "\n"})  # a line to type on
        for count, character in enumerate(typed):
            position = {"line": at_line, "character": at_column}
            editor.change("client.py", {"range": {"start": position, "end": position}, "text": character})
            at_line, at_column = (at_line + 1, 0) if character == "\n" else (at_line, at_column + 1)
            if count % 9 == 0:
                shown = editor.diagnostics("client.py")
                assert [each for each in shown if each["code"] in {"contradicted", "orphaned"}] == [], typed[:count]
        # then two edits that do count, one of them half done at first
        retries = PYTHON[: PYTHON.index("retries=3")].count("\n")
        at = lines[retries].index("retries=3") + len("retries=")
        for start, end, text in ((at, at + 1, ""), (at, at, "5")):
            place = {"start": {"line": retries, "character": start}, "end": {"line": retries, "character": end}}
            editor.change("client.py", {"range": place, "text": text})
            shown = editor.diagnostics("client.py")
        with Editor(project.root, data) as fresh:
            fresh.open("client.py", final.replace("retries=3", "retries=5"))
            assert fresh.diagnostics("client.py") == shown
        assert [each["code"] for each in shown] == ["contradicted"]
