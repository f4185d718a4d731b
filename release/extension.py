"""The VS Code extension as files to upload: one for every platform, and one for each platform with all it needs."""

from __future__ import annotations

import json
from pathlib import Path

from release.checks import CannotRun, CheckFailed, run
from release.packages import build_environment, digest, members

TARGETS = (
    *("win32-x64", "win32-arm64", "linux-x64", "linux-arm64"),
    *("alpine-x64", "alpine-arm64", "darwin-x64", "darwin-arm64"),
)
"""The platforms that the marketplaces know."""


def pack(project: Path, modules: Path, folder: Path, target: str = "", pythons: str = "") -> Path:
    """Make a .vsix of a clone; `modules` is a node_modules with what it is built with. `target` "" is for every
    platform, without libraries."""
    extension = project / "vscode-extension"
    if not modules.is_dir():
        raise CannotRun("no vscode-extension/node_modules: make extension brings it")
    if not (extension / "node_modules").exists():
        (extension / "node_modules").symlink_to(modules, target_is_directory=True)
    version = json.loads((extension / "package.json").read_text("utf-8"))["version"]
    name = f"memlsp-{target}-{version}.vsix" if target else f"memlsp-{version}.vsix"
    words = ["node", "scripts/package.mjs", "--out", str(folder)]
    if target:
        words += ["--target", target, "--python", pythons]
    run(words, extension, build_environment(project))
    return folder / name


def carries(vsix: Path, wheel: Path) -> str:
    """Check that a .vsix carries the very wheel that is released."""
    held = members(vsix)
    inside = next((name for name in held if name.startswith("extension/bundled/") and name.endswith(".whl")), "")
    if not inside:
        raise CheckFailed(f"{vsix.name} carries no wheel")
    if held[inside] != wheel.read_bytes():
        raise CheckFailed(f"{inside} in {vsix.name} is not {wheel.name}, {digest(wheel)[:16]}")
    return f"{vsix.stat().st_size / 1e6:.1f} MB with the wheel that is released"
