"""The main job on a clone of pallets/flask, as a log in markdown: `python -m benchmarks.work.flask_run CLONE`.

The clone is copied first, so it stays as it is. What is written down is what the server sent; the edits and statements
are below, before any result was seen.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks.reporting.machine import this_machine
from benchmarks.speed.editor import Editor, shown
from benchmarks.speed.wire import WireError

_HOVERS = 200

_UNSEEN = (
    ("src/flask/app.py", "make_response(self"),
    ("src/flask/helpers.py", "url_for("),
    ("src/flask/cli.py", "load_dotenv("),
)


@frozen
class Statement:
    """Something remembered at a definition."""

    path: str
    definition: str
    text: str


@frozen
class Edit:
    """What somebody types. `expect` is a diagnostic's code, or "" for silence."""

    about: str
    path: str
    steps: tuple[tuple[str, str], ...]
    expect: str


_STATEMENTS = (
    Statement("src/flask/app.py", "run(\n", "Without a port and a SERVER_NAME, run listens on port 5000"),
    Statement("src/flask/helpers.py", "get_debug_flag()", "Debug mode is off unless FLASK_DEBUG says otherwise"),
    Statement(
        "src/flask/sessions.py", "get_signing_serializer(self", "Cookies are signed with the salt cookie-session"
    ),
)

_EDITS = (
    Edit(
        "a local is renamed, a comment and a docstring are rewritten",
        "src/flask/helpers.py",
        (
            (
                '    val = os.environ.get("FLASK_DEBUG")\n',
                '    # as exported\n    flag = os.environ.get("FLASK_DEBUG")\n',
            ),
            ("return bool(val and val.lower() not in", "return bool(flag and flag.lower() not in"),
            ("Get whether debug mode should be enabled", "Whether debug mode is to be enabled"),
        ),
        "",
    ),
    Edit("the fallback port becomes 8000", "src/flask/app.py", (("port = 5000", "port = 8000"),), "contradicted"),
    Edit(
        "the class attribute that the method reads becomes another salt",
        "src/flask/sessions.py",
        (('salt = "cookie-session"', 'salt = "session-cookie"'),),
        "contradicted",
    ),
)


def run(project: Path, data: Path) -> Iterable[str]:
    """The lines of the log."""
    env = os.environ | {"MEMLSP_DATA_DIR": str(data)}
    with Editor(project, env) as editor:
        yield "### Onboarding by hover alone: files that memlsp has never seen\n"
        for path, needle in _UNSEEN:
            yield from _first_look(editor, path, needle)
        yield "### Hover, when it was looked at before\n"
        yield from _latency(editor, *_UNSEEN[0])
        yield "### Three beliefs\n"
        for statement in _STATEMENTS:
            yield from _remember(editor, statement)
        yield "\n### Three edits, none of them saved\n"
        for edit in _EDITS:
            yield from _edit(editor, edit)


def _first_look(editor: Editor, path: str, needle: str) -> Iterable[str]:
    editor.open(path)
    line, character = editor.find(path, f"def {needle}")
    place = (path, line, character + len("def "))
    text, took = editor.hover(*place)
    yield f"`{path}`, on `{needle.partition('(')[0]}`: answered in {took:.0f} ms.\n"
    again, asked = text, 1
    while "reading" in again or not again:
        again, _ = editor.hover(*place)
        asked += 1
        if asked > 2000:
            break
    if asked > 1:
        yield "What was not read in time was there at a later hover:\n"
    yield _quoted(again)


def _latency(editor: Editor, path: str, needle: str) -> Iterable[str]:
    line, character = editor.find(path, f"def {needle}")
    times = sorted(editor.hover(path, line, character + len("def "))[1] for _ in range(_HOVERS))
    p95 = times[int(0.95 * len(times))]
    yield f"{_HOVERS} hovers on `{path}`: p50 {statistics.median(times):.2f} ms, p95 {p95:.2f} ms.\n"


def _remember(editor: Editor, statement: Statement) -> Iterable[str]:
    editor.open(statement.path)
    line, _ = editor.find(statement.path, f"def {statement.definition}")
    editor.command("remember", editor.uri(statement.path), line + 1, statement.text)
    yield f"- at `{statement.path}:{line + 1}`: {statement.text}"


def _edit(editor: Editor, edit: Edit) -> Iterable[str]:
    sent = max(editor.edit(edit.path, old, new) for old, new in edit.steps)
    yield f"**{edit.about}** (`{edit.path}`). Expected: {edit.expect or 'silence'}.\n"
    if edit.expect:
        found, came = editor.diagnostics(edit.path, wanted=True)
        took = 1000 * (came - sent)
        yield f"{took:.0f} ms after the edit was sent, a pause of up to 150 ms for further typing included:\n"
        yield _quoted("\n".join(shown(each, edit.path) for each in found))
        if [each["code"] for each in found] != [edit.expect]:
            raise WireError(f"{edit.about}: not what was expected")
    else:
        try:
            found, _ = editor.diagnostics(edit.path, wanted=True, timeout=3)
        except WireError:
            yield "Nothing was said.\n"
        else:
            raise WireError(f"{edit.about}: {[each['message'] for each in found]}")


def _quoted(text: str) -> str:
    return "```text\n" + text.strip() + "\n```\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it and print or write the log; 1 when something else was said than expected."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.work.flask_run", description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of pallets/flask with its history")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the log there instead of printing it")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="memlsp-flask-") as folder:
        project = Path(folder) / "flask"
        subprocess.run(["git", "clone", "--quiet", str(chosen.clone), str(project)], check=True)
        head = subprocess.run(
            ["git", "log", "-1", "--format=%h of %as"], cwd=project, check=True, capture_output=True, text=True
        ).stdout.strip()
        lines = [f"pallets/flask at {head}; {this_machine()}\n"]
        try:
            lines += run(project, Path(folder) / "data")
        except WireError as error:
            print("\n".join(lines))
            print(f"stopped: {error}", file=sys.stderr)
            return 1
    text = "\n".join(lines)
    if chosen.log:
        chosen.log.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
