"""Writes docs/reference/ from the program itself: `python -m docs.generate.reference`, or `--check` to compare only.

A test calls `--check`'s function, so the pages cannot lag behind.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from docs.generate.layout import entry, wrapped
from docs.generate.reference_python import python_pages
from memlsp.beliefs.reasons import ReasonCode
from memlsp.capture.settings.schema import SETTINGS
from memlsp.capture.settings.settings import IGNORED
from memlsp.faces.cli.app import memlsp as program
from memlsp.model.belief import Authority, BeliefKind, ScopeKind
from memlsp.model.standing import Standing

_NOTE = "<!-- Written by `python -m docs.generate.reference` from the program. Do not edit. -->\n"

_STANDINGS = {
    Standing.CURRENT: (
        "holds",
        (
            "The code means the same as when the belief was last verified. Comments and layout do not count. `✓` is "
            "shown where the code was seen to bear out a claim of the statement, with the claim: `checked: 20 %`. "
            "Without any, `=` and `no claim checked` say that the code is as it was when this was said, and nothing "
            "of whether the statement is true."
        ),
    ),
    Standing.CARRIED: ("holds", "The code, or its container, was renamed or moved to another file. It means the same."),
    Standing.AHEAD: (
        "holds",
        (
            "A decision, rule or plan that the code does not follow yet. It is shown and raises no alarm. When the "
            "code arrives it becomes current, and from then on code that leaves it contradicts it."
        ),
    ),
    Standing.CHANGED: (
        "look",
        (
            "The code changed in a way that the statement may cover. Confirm the belief, replace it, or retire it. "
            "Where the change is in nothing that the statement speaks of, the hover and the lists alone tell it."
        ),
    ),
    Standing.CONTRADICTED: (
        "does not hold",
        (
            "The code no longer has something that the statement names (a value, default, exception, call, path, "
            "command), or had something else when a description was made."
        ),
    ),
    Standing.ORPHANED: ("look", "The anchored code is gone. memlsp lists candidates where similar code exists."),
    Standing.EXPIRED: ("look", "The end date of the belief has passed."),
    Standing.UNBOUND: ("holds", "The belief has no anchor that can be checked."),
    Standing.SUPERSEDED: ("past", "Another belief replaced it."),
    Standing.RETIRED: ("past", "A person or an agent said that it is no longer true."),
}

_KINDS = {
    BeliefKind.DECISION: 'A choice and its reason: "decided", "because", "instead of".',
    BeliefKind.RULE: 'An obligation or a prohibition: "must", "never", "always".',
    BeliefKind.GOTCHA: 'A surprise: "careful", "watch out".',
    BeliefKind.FACT: "A property of the code. The default when the wording suggests no other kind.",
    BeliefKind.PREFERENCE: 'A wish of a person: "I prefer".',
    BeliefKind.PROCEDURE: "The steps of a task.",
}

_SCOPES = {
    ScopeKind.USER: "Every workspace of this user. It has a store of its own.",
    ScopeKind.WORKSPACE: "The whole project, in all its worktrees and clones on this machine.",
    ScopeKind.GLOB: "The files that match a pattern, as in a `.gitignore`: `glob:src/**`.",
    ScopeKind.FILE: "One file.",
    ScopeKind.SYMBOL: "One symbol and its members. The default with a place.",
}

_AUTHORITIES = {
    Authority.LOCKED: "A person locked it. Only a person can change it.",
    Authority.REVIEWED: "The repository contains it as a reviewed belief.",
    Authority.PERSON: "A person stated or confirmed it.",
    Authority.AGENT: "An agent stated it.",
    Authority.MINED: "Derived from the history.",
    Authority.PROPOSED: "A proposal that nobody has admitted yet.",
}


def cli_page() -> str:
    """Every command as `--help` shows it."""
    parts = [_NOTE, "# Command line\n", _fenced(_help(program, "memlsp"))]
    context = click.Context(program, info_name="memlsp")
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        parts += [f"## memlsp {name}\n", _fenced(_help(command, f"memlsp {name}"))]
        for inner, each in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
            parts += [f"### memlsp {name} {inner}\n", _fenced(_help(each, f"memlsp {name} {inner}"))]
    exits = "0: done. 1: an error of the user or of the data, described in one line on stderr. 2: wrong usage."
    parts.append(f"## Exit status\n\n{wrapped(exits)}\n")
    return "\n".join(parts)


_FOLLOWS = (
    "A statement about a symbol is judged by the symbol's own code, and by what it takes from one step away:",
    """the value of each constant, enum member, inherited field and configuration key that it uses, through constants
    that are made of constants at three removes;""",
    "the signature of each function that it calls;",
    """the constants that a called function returns and the names of the exceptions that it raises. Methods of its own
    object count, inherited ones too, and properties; of a macro, which is expanded in place, all literals
    and in C all of it;""",
    """what the constructor of its class, or of a direct base, gives to an attribute that it reads: a constant, or the
    default of a parameter;""",
    "in C and C++, the defaults that a header declares for it;",
    """the value that a field of a typed object has by its class: `self.options.timeout` with `options: Options`;""",
    """the body of each function that it calls, and the constants that this body uses.""",
    """What a called function calls in its turn is not looked at. What is returned, raised, given, declared or done
    there counts only where the statement speaks of it: where it names the former value, has the words of the function's
    or attribute's name, or has words or amounts of the lines that differ. Otherwise the standing is current, with the
    reason `untouched`. A body that does the same in other words has not changed.""",
)


def standings_page() -> str:
    """Standings, their reasons, and the other words of a belief."""
    lines = [_NOTE, "# Standings, reasons, and the words of a belief\n"]
    lines.append("The verdict of the code on a belief. memlsp computes it on demand and never stores it.\n")
    for standing in Standing:
        state, about = _STANDINGS[standing]
        lines.append(f"## {standing}\n\n{wrapped(f'*{state}.* {about}')}\n")
    lines.append(f"## What a symbol follows from\n\n{wrapped(_FOLLOWS[0])}\n")
    lines += [entry(" ".join(each.split()), "") for each in _FOLLOWS[1:-1]]
    lines.append(f"\n{wrapped(' '.join(_FOLLOWS[-1].split()))}\n")
    lines.append("## Reason codes\n")
    lines += [entry(f"`{code.value}`", code.about) for code in ReasonCode]
    for title, table in (
        ("Kinds", _KINDS),
        ("Scopes, widest first", _SCOPES),
        ("Authority, most trusted first", _AUTHORITIES),
    ):
        lines.append(f"\n## {title}\n")
        lines += [entry(f"`{word}`", about) for word, about in table.items()]
    return "\n".join(lines) + "\n"


def mcp_page() -> str:
    """The tools and prompts as an agent and its client are told of them."""
    from memlsp.faces.mcp.prompts import PROMPTS  # the mcp package takes half a second to load
    from memlsp.faces.mcp.tools import TOOLS

    lines = [_NOTE, "# MCP tools and prompts\n", "## Tools\n", "As `tools/list` gives them.\n"]
    for tool in TOOLS:
        shown = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
        lines.append(f"### {shown['name']}\n\n{wrapped(shown['description'])}\n")
        marks = ", ".join(f"{key} {str(value).lower()}" for key, value in shown.get("annotations", {}).items())
        lines.append(wrapped(f"Annotations: {marks}.") + "\n")
        required = shown["inputSchema"].get("required", [])
        for name, schema in shown["inputSchema"].get("properties", {}).items():
            kind_of = f"{_kind_of(schema)}{', required' if name in required else ''}"
            lines.append(entry(f"`{name}` ({kind_of})", schema.get("description", "")))
        lines.append("")
    lines.append("## Prompts\n")
    for prompt in PROMPTS.values():
        taken = [
            f"takes `{each.name}`{' (required)' if each.required else ''}: {each.description}"
            for each in prompt.arguments or ()
        ]
        lines.append(entry(f"`{prompt.name}`", prompt.description or ""))
        lines += [entry(each, "", "  ") for each in taken]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting, its default, and who may set it."""
    lines = [_NOTE, "# Settings\n", _SETTINGS]
    for table in dict.fromkeys(each.table for each in SETTINGS):
        lines.append(f"## [{table}]\n")
        for each in SETTINGS:
            if each.table == table:
                lines.append(entry(f"`{each.name}`", each.about))
                allowed = f"{each.sort}; default `{each.default}`; in the workspace: {each.workspace or 'no'}."
                lines.append(wrapped(f"  *{allowed}*", "  "))
        lines.append("")
    patterns = wrapped(", ".join(f"`{pattern}`" for pattern in IGNORED))
    lines.append(f"## Ignored without a setting\n\n{patterns}\n")
    return "\n".join(lines)


_SETTINGS = """\
memlsp reads two files again whenever they change:

- Yours: `~/.config/memlsp/config.toml` (macOS: `~/Library/Application Support/memlsp/config.toml`,
  Windows: `%LOCALAPPDATA%\\memlsp\\config.toml`), or the file that `MEMLSP_CONFIG` names.
- The workspace's: `.memlsp/config.toml`. It comes with the repository, so it can only make things
  stricter: turn a source off, ignore more, lower a cap, redact more. It can never turn terminals
  on, admit a proposal, or choose a program to run. It may ask for a
  memory, `workspace = "NAME"`, which [a person grants](../how-to/move-and-merge.md#share-one-memory).

Every command and the first event of an agent's session report an invalid value, `memlsp doctor` all
of them. Its default applies; an invalid `enforce` counts as `ask`, an invalid `admit` as `[]`. A
file that cannot be read turns capture off, since its prohibitions are unknown.

```toml
[capture]
terminals = true
ignore = ["customers/**", "!.env.example"]
off = ["~/clients/acme"]

[redaction]
personal = ["email", "phone", "card"]
```

memlsp always redacts secrets and never keeps `<private>...</private>`; no setting changes that. Two
switches work for a while: `memlsp capture off` (see [the command line](cli.md)), and
`MEMLSP_CAPTURE=off` for one program and everything it starts.
"""


def editor_settings_page() -> str:
    """What an editor may send, and the commands that it may run."""
    from memlsp.faces.lsp.server.settings import options

    lines = [_NOTE, "# Settings of the editor\n", _EDITOR_SETTINGS]
    for option in options():
        default = json.dumps(option.default, default=dict)
        lines.append(entry(f"`memlsp.{option.name}`", option.about))
        lines.append(wrapped(f"  *{option.takes}; default `{default}`.*", "  "))
    return "\n".join([*lines, ""])


_EDITOR_SETTINGS = """\
The editor sends these as `initializationOptions`, or as its `memlsp` section when the server asks.
`{"hover": {"work": false}}` and `{"hover.work": false}` are the same. The server reports an invalid
value once, and the default applies. Capture and redaction have their own [settings](settings.md).
"""


def lsp_page() -> str:
    """What an editor may announce, ask and run beyond the protocol."""
    from docs.generate import reference_lsp

    return f"{_NOTE}\n{reference_lsp.lsp_page()}"


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "standings.md": standings_page,
    "mcp-tools.md": mcp_page,
    "settings.md": settings_page,
    "editor-settings.md": editor_settings_page,
    "lsp.md": lsp_page,
    **{name: lambda page=page: f"{_NOTE}\n{page()}" for name, page in python_pages().items()},
}


def stale_pages(folder: Path) -> Iterator[str]:
    """The names of the pages that are not as the program would write them."""
    for name, page in PAGES.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != page():
            yield name
    for path in (folder / "python").glob("*.md"):
        if f"python/{path.name}" not in PAGES:
            yield f"python/{path.name}"


def _kind_of(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind_of(each) for each in schema["anyOf"] if each.get("type") != "null")
    return str(schema.get("type", json.dumps(schema)))


def _help(command: click.Command, name: str) -> str:
    settings: dict[str, Any] = {**program.context_settings, "max_content_width": 100, "terminal_width": 100}
    context = click.Context(command, info_name=name, **settings)
    return command.get_help(context)


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or compare them; 1 when one is stale."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate.reference", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    chosen = parser.parse_args(arguments)
    folder = Path(__file__).resolve().parents[2] / "docs" / "reference"
    if chosen.check:
        stale = list(stale_pages(folder))
        for name in stale:
            print(f"docs/reference/{name} is stale: python -m docs.generate.reference")
        return 1 if stale else 0
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "python").mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
