"""The tag of a release: `python3 release/tag.py v1.2.3` checks that every file names that version, and that the changes
have its date; `--news v1.2.3` prints what is new in it. It needs only Python."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
NAMED_IN = {
    "memlsp/version.py": r'VERSION = "(.+)"',
    "plugins/team/pyproject.toml": r'^version = "(.+)"',
    "plugins/model/pyproject.toml": r'^version = "(.+)"',
    "vscode-extension/package.json": r'^  "version": "(.+)"',
    "vscode-extension/package-lock.json": r'^  "version": "(.+)"',
    "plugins/claude-code/.claude-plugin/plugin.json": r'"version": "(.+)"',
    "plugins/cursor/.cursor-plugin/plugin.json": r'"version": "(.+)"',
    "packaging/mason/package.yaml": r"pkg:pypi/memlsp@(.+)",
}
"""Files that name the version, and where in them."""

CHANGES = ("CHANGELOG.md", "vscode-extension/CHANGELOG.md")


def versions(top: Path = TOP) -> dict[str, str]:
    """The version that each file names, "" for none."""
    found = {name: re.search(rule, (top / name).read_text("utf-8"), re.MULTILINE) for name, rule in NAMED_IN.items()}
    named = {name: match[1] if match else "" for name, match in found.items()}
    server = json.loads((top / "server.json").read_text("utf-8"))
    return {**named, "server.json": server["version"], "server.json (package)": server["packages"][0]["version"]}


def faults(tag: str, top: Path = TOP) -> list[str]:
    """What keeps this tag from being a release, one line for each."""
    version = tag.removeprefix("v")
    wrong = [f"{name} says {named or 'nothing'}" for name, named in versions(top).items() if named != version]
    for name in CHANGES:
        text = (top / name).read_text("utf-8")
        if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", text, re.MULTILINE):
            wrong.append(f"{name} has no dated section `## {version} (YYYY-MM-DD)`")
    return wrong


def news(tag: str, top: Path = TOP) -> str:
    """The section of the changes for this tag, "" where there is none."""
    version = re.escape(tag.removeprefix("v"))
    text = (top / CHANGES[0]).read_text("utf-8")
    found = re.search(rf"(?ms)^## {version} .*?\n(.*?)(?=^## |\Z)", text)
    return found[1].strip() + "\n" if found else ""


def main(arguments: list[str]) -> int:
    """Print the faults of a tag, or its news; 1 where there are faults or no news."""
    if arguments[:1] == ["--news"]:
        text = news(arguments[1])
        print(text, end="")
        return not text
    wrong = faults(arguments[0])
    print("\n".join(wrong) or f"{arguments[0]}: every file names it")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
