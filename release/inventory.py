"""What an installation consists of: a software bill of materials, and the licence of each part."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from attrs import frozen

from release.checks import CheckFailed, run, tool

_ASK = """
import json
from importlib.metadata import distributions
found = []
for each in distributions():
    data = each.metadata
    marks = [mark for mark in data.get_all("Classifier") or [] if mark.startswith("License")]
    written = data.get("License-Expression") or "", (data.get("License") or "").partition(chr(10))[0]
    found.append([data["Name"], data["Version"], *written, [mark.rpartition(" :: ")[2] for mark in marks]])
print(json.dumps(found))
"""

_SPOKEN = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_WELCOME = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    ]
)

_LOOKED_AT = {
    "apsw": ("any-OSI", "its LICENSE: the terms of the zlib licence, or any licence that the OSI approves"),
    "pygit2": ("GPLv2 with linking exception", "linked and not changed, which its exception allows to any program"),
}
"""Licences that no list decides, and what somebody read in them."""


@frozen
class Part:
    """An installed package and its licence; `note` says what a person read in an unusual one."""

    name: str
    version: str
    licence: str
    note: str

    @property
    def welcome(self) -> bool:
        """True for a licence that an MIT program may be handed out beside."""
        return bool(self.note) or all(word in _WELCOME for word in re.split(r" (?:AND|OR) ", self.licence))


def parts(python: Path) -> list[Part]:
    """The packages that are installed for a Python, by name."""
    found: list[tuple[str, str, str, str, list[str]]] = json.loads(run([python, "-I", "-c", _ASK], Path()))
    told: dict[str, Part] = {}
    for name, version, expression, text, marks in found:
        spoken = next((_SPOKEN[mark] for mark in [text, *marks] if mark in _SPOKEN), "")
        licence = expression or spoken or text or "unknown"
        known, note = _LOOKED_AT.get(name, ("", ""))
        told[name.lower()] = Part(name, version, licence, note if licence == known else "")
    return [told[name] for name in sorted(told)]


def licences(python: Path, extension: dict[str, Any], written: Path) -> str:
    """Write the licence of every part, those of the extension too. Raises CheckFailed for one that nobody looked at."""
    all_parts = [*parts(python), *_of_extension(extension)]
    rows = [f"| {part.name} | {part.version} | {part.licence} | {part.note} |" for part in all_parts]
    head = ["# Licences of what memlsp is installed with", "", "| package | version | licence | note |"]
    written.write_text("\n".join([*head, "|---|---|---|---|", *rows, ""]), "utf-8")
    strange = [f"{part.name}: {part.licence}" for part in all_parts if not part.welcome]
    if strange:
        raise CheckFailed(f"nobody looked at {', '.join(strange)}")
    return f"{len(all_parts)} parts, {len({part.licence for part in all_parts})} licences"


def _of_extension(bill: dict[str, Any]) -> list[Part]:
    def licence(part: dict[str, Any]) -> str:
        named = [each.get("expression") or each["license"].get("id", "unknown") for each in part.get("licenses", [])]
        return " AND ".join(named) or "unknown"

    return [Part(part["name"], part["version"], licence(part), "") for part in bill.get("components", [])]


def python_bill(python: Path, project: Path, written: Path) -> str:
    """Write the bill of materials of an installation (CycloneDX 1.6), the same for the same packages."""
    words = [tool("cyclonedx-py"), "environment", "--pyproject", project / "pyproject.toml", "--output-reproducible"]
    run([*words, "--spec-version", "1.6", "--output-format", "JSON", "--validate", "-o", written, python], project)
    bill = json.loads(written.read_text("utf-8"))
    for part in bill["components"]:  # memlsp itself comes from a file of this machine
        part["externalReferences"] = [
            each for each in part.get("externalReferences", []) if not each["url"].startswith("file:")
        ]
    written.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    return f"{len(bill['components'])} components"


def extension_bill(project: Path, written: Path) -> dict[str, Any]:
    """Write the bill of materials of what the extension is bundled from, and return it."""
    words = ["npm", "sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"]
    bill = json.loads(run(words, project / "vscode-extension", os.environ))
    bill.pop("serialNumber", None)  # new in every run
    bill["metadata"]["timestamp"] = run(["git", "log", "-1", "--format=%cI"], project).strip()
    for part in [bill["metadata"]["component"], *bill["components"]]:
        part["externalReferences"] = [
            each for each in part.get("externalReferences", []) if each["type"] != "distribution"
        ]
    written.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    return bill
