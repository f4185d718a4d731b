"""The files for others, held against their own schemas."""

from __future__ import annotations

import json
from pathlib import Path

from release.checks import CannotRun, CheckFailed, run, tool

_CURSOR = "https://raw.githubusercontent.com/cursor/plugins/main/schemas"
_REMOTE = {
    "plugins/cursor/.cursor-plugin/plugin.json": f"{_CURSOR}/plugin.schema.json",
    ".cursor-plugin/marketplace.json": f"{_CURSOR}/marketplace.schema.json",
}


def workflows(project: Path) -> str:
    """Check the workflows and the action against the schemas that the checker brings."""
    checker = tool("check-jsonschema")
    paths = sorted((project / ".github" / "workflows").glob("*.yml"))
    run([checker, "--builtin-schema", "vendor.github-workflows", *paths], project)
    run([checker, "--builtin-schema", "vendor.github-actions", project / "action.yml"], project)
    return f"{len(paths)} workflows and the action"


def entries(project: Path) -> str:
    """Check the entries of registries against the schemas that these publish."""
    registry: str = json.loads((project / "server.json").read_text("utf-8"))["$schema"]
    for name, schema in {"server.json": registry, **_REMOTE}.items():
        try:
            run([tool("check-jsonschema"), "--schemafile", schema, project / name], project)
        except CheckFailed as error:
            if any(word in str(error) for word in ("gaierror", "ConnectionError", "FailedDownload", "Timeout")):
                raise CannotRun(f"the schema of {name} cannot be fetched from here") from None
            raise
    return ", ".join(["server.json", *_REMOTE])
