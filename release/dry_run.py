"""A release without a word to the outside: every artefact in one folder, made from a clone of the last commit, with
checks. `python -m release.dry_run [--out FOLDER] [--targets all|NAME,NAME|none]`."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

from attrs import frozen

from release import extension, footprint, formula, installs, inventory, manifests, packages
from release.checks import Checks

TOP = Path(__file__).resolve().parents[1]


@frozen
class Release:
    """Two clones and the folder of what was made; `targets` and `pythons` name what the extension is made for."""

    clones: tuple[Path, Path]
    scratch: Path
    out: Path
    checks: Checks
    version: str
    targets: list[str]
    pythons: str


def make(release: Release) -> None:
    """Make every artefact and every check, one after the other; what stands on a failed one is left out."""
    check, first = release.checks.make, release.clones[0]
    if not check("build", partial(_built, release)):
        return
    wheel, archive = next(release.out.glob("*.whl")), next(release.out.glob("*.tar.gz"))
    again = release.scratch / "again"
    for path in (wheel, archive):
        check(f"reproducible {path.suffix}", partial(packages.same, path, again / path.name))
    check("wheel complete", partial(packages.complete, first, wheel))
    check("twine check", partial(packages.metadata, release.out))
    for name in ("team", "model"):
        check(f"memlsp-{name}", partial(_plugin, release, name))
    _extensions(release, wheel)
    _installed(release, wheel)
    check("Homebrew", partial(formula.write, first, archive, release.version, release.out / "memlsp.rb"))
    check("workflows", partial(manifests.workflows, first))
    check("entries of registries", partial(manifests.entries, first))
    check("checksums", partial(_checksums, release.out))


def _built(release: Release) -> str:
    again = release.scratch / "again"
    wheel, archive = packages.build(release.clones[0], release.out)
    packages.build(release.clones[1], again)
    return f"{wheel.name}, {archive.name}"


def _plugin(release: Release, name: str) -> str:
    """Build a distribution of its own, of plugins/NAME, twice."""
    folders = release.out / f"memlsp-{name}", release.scratch / "again" / f"memlsp-{name}"
    built = [packages.build(clone / "plugins" / name, out) for clone, out in zip(release.clones, folders, strict=True)]
    told = [packages.same(*pair) for pair in zip(*built, strict=True)]
    packages.metadata(folders[0])
    return ", ".join(told)


def _extensions(release: Release, wheel: Path) -> None:
    check, modules = release.checks.make, TOP / "vscode-extension" / "node_modules"

    def everywhere() -> str:
        vsix = extension.pack(release.clones[0], modules, release.out)
        return extension.carries(vsix, wheel)

    def twice() -> str:
        vsix = extension.pack(release.clones[1], modules, release.scratch / "again")
        return packages.same(release.out / vsix.name, vsix)

    def one(target: str) -> str:
        vsix = extension.pack(release.clones[0], modules, release.out, target, release.pythons)
        return extension.carries(vsix, wheel)

    if check("extension", everywhere):
        check("reproducible .vsix", twice)
    for target in release.targets:
        check(f"extension for {target}", partial(one, target))


def _installed(release: Release, wheel: Path) -> None:
    check, scratch, out, version = release.checks.make, release.scratch, release.out, release.version
    pinned = ["--constraint", release.clones[0] / "constraints.txt"]
    whole = scratch / "whole"
    if check("install", lambda: str(installs.environment(whole, wheel, installs.interpreter("3.11"), *pinned).name)):
        python = whole / "bin" / "python"
        bill = inventory.extension_bill(release.clones[0], out / "memlsp-extension.cdx.json")
        check("bill of materials", partial(inventory.python_bill, python, release.clones[0], out / "memlsp.cdx.json"))
        check("licences", partial(inventory.licences, python, bill, out / "licences.md"))
        check("disk", partial(footprint.whole, python))
        check("time to start", partial(footprint.times, python))
    check("small installation", partial(footprint.small, wheel, version, scratch / "small"))
    check("uv tool install", partial(installs.with_uv, wheel, version, scratch / "uv"))
    check("pipx install", partial(installs.with_pipx, wheel, version, scratch / "pipx"))
    for python_version in installs.PYTHONS:
        folder = scratch / f"python{python_version}"
        check(f"Python {python_version}", partial(installs.with_python, wheel, version, python_version, folder))


def _checksums(out: Path) -> str:
    files = sorted(path for path in out.iterdir() if path.is_file())
    lines = [f"{packages.digest(path)}  {path.name}" for path in files]
    (out / "SHA256SUMS").write_text("\n".join([*lines, ""]), "utf-8")
    return f"{len(files)} files"


def main() -> None:
    """Make the release in a folder and end with 1 when a check does not hold."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--out", type=Path, default=TOP / "out" / "release")
    asked.add_argument("--targets", default="none", help="platforms of the extension: all, none, or names with commas")
    asked.add_argument("--pythons", default="3.12", help="whose libraries those carry")
    given = asked.parse_args()
    asked_for: str = given.targets
    targets = {"all": [*extension.TARGETS], "none": list[str]()}.get(asked_for, asked_for.split(","))
    os.environ.pop("PYTHONPATH", None)  # what is installed is looked at, not a checkout
    os.umask(0o022)  # the rights of files are in the archives
    out: Path = given.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="memlsp-release-") as scratch:
        clones = packages.clone(TOP, Path(scratch) / "first"), packages.clone(TOP, Path(scratch) / "second")
        version: dict[str, str] = {}
        exec((clones[0] / "memlsp" / "version.py").read_text("utf-8"), version)  # noqa: S102 -- our own two lines
        make(Release(clones, Path(scratch), out, checks, version["VERSION"], targets, given.pythons))
    head = f"# Dry run of memlsp {version['VERSION']} at {packages.commit_of(TOP)}\n\n"
    (out / "report.md").write_text(head + checks.report(), "utf-8")
    print(f"{out}: {len(checks.outcomes)} checks, {sum(each.ok is False for each in checks.outcomes)} failed")
    raise SystemExit(checks.failed)


if __name__ == "__main__":
    main()
