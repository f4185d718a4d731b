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

from memlsp.beliefs.standing.reasons import ReasonCode
from memlsp.faces.cli.app import memlsp as program
from memlsp.memory.ingest.capture_switches import all_parameters
from memlsp.model.belief import Authority, BeliefKind, ScopeKind
from memlsp.model.standing import Standing

_NOTE = "<!-- Written by `python -m docs.generate.reference` from the program. Do not edit. -->\n"

_STANDINGS = {
    Standing.CURRENT: ("holds", "The code is as it was when the belief was last verified, comments and layout aside."),
    Standing.CARRIED: (
        "holds",
        "The code was renamed, moved to another file, or its container was, and means the same.",
    ),
    Standing.CHANGED: (
        "look",
        "The code moved on in ways that the statement may cover. Confirm it, replace it, or retire it.",
    ),
    Standing.CONTRADICTED: (
        "does not hold",
        "Something the statement names (a value, a default, an exception, a call, a path, a command) is no longer so.",
    ),
    Standing.ORPHANED: ("look", "The code it spoke of is gone. Candidates are named where something similar exists."),
    Standing.EXPIRED: ("look", "The date until which it was said to hold has passed."),
    Standing.UNBOUND: ("holds", "It is tied to nothing that could be checked: nothing speaks for or against it."),
    Standing.SUPERSEDED: ("past", "Another belief took its place."),
    Standing.RETIRED: ("past", "Somebody said that it is no longer true."),
}

_KINDS = {
    BeliefKind.DECISION: 'What was chosen, and why: "decided", "because", "instead of".',
    BeliefKind.RULE: 'What must or must never be: "must", "never", "always".',
    BeliefKind.GOTCHA: 'What surprises people: "careful", "watch out".',
    BeliefKind.FACT: "What is so. The default when the wording suggests nothing else.",
    BeliefKind.PREFERENCE: 'What a person likes: "I prefer".',
    BeliefKind.PROCEDURE: "How something is done, in steps.",
}

_SCOPES = {
    ScopeKind.USER: "Every workspace of this user. Kept in a store of its own.",
    ScopeKind.WORKSPACE: "The whole project, in all its worktrees and clones on this machine.",
    ScopeKind.GLOB: "The files that a pattern covers, as in a `.gitignore`: `glob:src/**`.",
    ScopeKind.FILE: "One file.",
    ScopeKind.SYMBOL: "One symbol and what it holds. The default with a place.",
}

_AUTHORITIES = {
    Authority.LOCKED: "A person locked it: only a person can change it.",
    Authority.REVIEWED: "Reviewed in the repository.",
    Authority.PERSON: "A person said or confirmed it.",
    Authority.AGENT: "An agent said it.",
    Authority.MINED: "Found in the history.",
    Authority.PROPOSED: "Waits for somebody to admit it.",
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
    parts.append(
        "## Exit status\n\n0 when it was done; 1 for an error that is the user's or the data's, told in one line on "
        "stderr; 2 for wrong usage.\n"
    )
    return "\n".join(parts)


def standings_page() -> str:
    """Standings, their reasons, and the other words of a belief."""
    lines = [_NOTE, "# Standings, reasons, and the words of a belief\n"]
    lines.append("What the code says of a belief now. Computed at the moment of asking, never stored.\n")
    for standing in Standing:
        state, about = _STANDINGS[standing]
        lines.append(f"## {standing}\n\n*{state}.* {about}\n")
    lines.append("## Reason codes\n\n| code | meaning |\n|---|---|")
    lines += [f"| `{code.value}` | {code.about} |" for code in ReasonCode]
    for title, table in (
        ("Kinds", _KINDS),
        ("Scopes, widest first", _SCOPES),
        ("Authority, most trusted first", _AUTHORITIES),
    ):
        lines.append(f"\n## {title}\n\n| | |\n|---|---|")
        lines += [f"| `{word}` | {about} |" for word, about in table.items()]
    return "\n".join(lines) + "\n"


def mcp_page() -> str:
    """The tools, resources and prompts as an agent and its client are told of them."""
    from memlsp.faces.mcp.prompts import KINDS  # the mcp package takes half a second to load
    from memlsp.faces.mcp.resources import RESOURCES, TEMPLATES
    from memlsp.faces.mcp.tools import TOOLS

    lines = [_NOTE, "# MCP tools, resources and prompts\n", "## Tools\n", "As `tools/list` gives them.\n"]
    for tool in TOOLS:
        shown = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
        lines.append(f"### {shown['name']}\n\n{shown['description']}\n")
        marks = ", ".join(f"{key} {str(value).lower()}" for key, value in shown.get("annotations", {}).items())
        lines.append(f"Annotations: {marks}.\n")
        lines.append("| argument | type | |\n|---|---|---|")
        required = shown["inputSchema"].get("required", [])
        for name, schema in shown["inputSchema"].get("properties", {}).items():
            needed = "required" if name in required else ""
            about = schema.get("description", "")
            lines.append(f"| `{name}` | {_kind_of(schema)} | {'; '.join(part for part in (needed, about) if part)} |")
        lines.append("")
    lines.append("## Resources\n\n| address | type | |\n|---|---|---|")
    lines += [f"| `{each.uri}` | {each.mime_type} | {each.description} |" for each in RESOURCES]
    lines += [f"| `{each.uri_template}` | {each.mime_type} | {each.description} |" for each in TEMPLATES]
    lines.append("\n## Prompts\n\n| name | takes | |\n|---|---|---|")
    for kind in KINDS.values():
        taken = [
            f"`{each.name}`{' (required)' if each.required else ''}: {each.description}"
            for each in kind.prompt.arguments or ()
        ]
        lines.append(f"| `{kind.prompt.name}` | {'; '.join(taken)} | {kind.prompt.description} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting, its default, and who may set it."""
    parameters, ignored = all_parameters()
    lines = [_NOTE, "# Settings\n", _SETTINGS]
    for table in dict.fromkeys(each.table for each in parameters):
        lines.append(f"## [{table}]\n\n| setting | is | default | in the workspace | |\n|---|---|---|---|---|")
        lines += [
            f"| `{each.name}` | {each.sort} | `{each.default}` | {each.workspace or 'no'} | {each.about} |"
            for each in parameters
            if each.table == table
        ]
        lines.append("")
    lines.append("## Ignored without a setting\n\n" + ", ".join(f"`{pattern}`" for pattern in ignored) + "\n")
    return "\n".join(lines)


_SETTINGS = """\
Two files, read anew when they change:

- yours: `~/.config/memlsp/config.toml` (macOS: `~/Library/Application Support/memlsp/config.toml`, Windows:
  `%LOCALAPPDATA%\\memlsp\\config.toml`), or the file that `MEMLSP_CONFIG` names;
- the workspace's: `.memlsp/config.toml`. It comes with the repository, so it can only make things stricter: turn a
  source off, ignore more, lower a cap, take out more. It can never turn terminals on, admit a proposal, or choose what
  is run.
  (It may also name the workspace: `[workspace]` `id`.)

A value that cannot be is told (`memlsp capture status`, `memlsp doctor`), and the default holds. A file that cannot be
read at all turns capturing off until it can be: what it forbids cannot be known.

```toml
[capture]
terminals = true
ignore = ["customers/**", "!.env.example"]
off = ["~/clients/acme"]

[redaction]
personal = ["email", "phone", "card"]
```

Secrets are taken out always, and `<private>...</private>` is never kept; neither is a setting. For a while, there are
switches: `memlsp capture off` (see [the command line](cli.md)), and `MEMLSP_CAPTURE=off` for one program and all it
starts.
"""


def editor_settings_page() -> str:
    """What an editor may send, and the commands that it may run."""
    from memlsp.faces.lsp.server.settings import options

    lines = [
        _NOTE,
        "# Settings of the editor\n",
        _EDITOR_SETTINGS,
        "| setting | takes | default | |\n|---|---|---|---|",
    ]
    for option in options():
        default = json.dumps(option.default, default=dict)
        lines.append(f"| `memlsp.{option.name}` | {option.takes} | `{default}` | {option.about} |")
    return "\n".join([*lines, ""])


_EDITOR_SETTINGS = """\
Sent by the editor as `initializationOptions`, or as its `memlsp` section when the server asks; `{"hover": {"work":
false}}` and `{"hover.work": false}` are the same. A value that cannot be is told once, and the default holds. What is
captured, and what is taken out of it, is set elsewhere: [settings](settings.md).
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
}


def stale_pages(folder: Path) -> Iterator[str]:
    """The names of the pages that are not as the program would write them."""
    for name, page in PAGES.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != page():
            yield name


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
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
