"""The wheel and the source archive: built from a clone, equal to the byte whoever builds them, and complete."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

from release.checks import CheckFailed, run, tool

_BUILDER = Path(__file__).with_name("build-constraints.txt")
_BUILT_TOO = (".pyc", ".so", "__pycache__")


def clone(project: Path, folder: Path) -> Path:
    """A clone of what is committed in `project`; nothing that lies about in it gets into a release."""
    run(["git", "clone", "--quiet", project, folder], project)
    return folder


def moment(project: Path) -> str:
    """The time that every file of a release bears, in seconds: that of the last commit."""
    return os.environ.get("SOURCE_DATE_EPOCH") or run(["git", "log", "-1", "--format=%ct"], project).strip()


def build_environment(project: Path) -> dict[str, str]:
    """What makes two builds equal: the time, the builder's version and the rights of new files."""
    builder = {"PIP_CONSTRAINT": str(_BUILDER), "PIP_BUILD_CONSTRAINT": str(_BUILDER)}
    return {**os.environ, **builder, "SOURCE_DATE_EPOCH": moment(project), "PYTHON": sys.executable}


def build(project: Path, folder: Path) -> tuple[Path, Path]:
    """Build wheel and source archive of a clone into `folder`."""
    environ = build_environment(project)
    run([sys.executable, "-m", "build", "--outdir", folder, project], project, environ)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    level(archive, int(environ["SOURCE_DATE_EPOCH"]))
    return wheel, archive


def level(archive: Path, seconds: int) -> None:
    """Write a source archive again without what differs between machines: times, owners, rights and order."""
    with tarfile.open(archive) as old:
        members = sorted((member for member in old.getmembers() if member.isfile()), key=lambda member: member.name)
        texts = [(member, old.extractfile(member)) for member in members]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as new:
            for member, text in texts:
                plain = tarfile.TarInfo(member.name)
                plain.size, plain.mtime, plain.mode = member.size, seconds, 0o644
                new.addfile(plain, text)
    with archive.open("wb") as file, gzip.GzipFile("", "wb", 9, file, seconds) as squeezed:
        squeezed.write(packed.getvalue())


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def same(first: Path, second: Path) -> str:
    """The digest of two equal files. Raises CheckFailed with the first member that differs."""
    if digest(first) == digest(second):
        return f"{first.name}: {digest(first)[:16]} twice"
    raise CheckFailed(f"{first.name} differs between two builds: {_difference(first, second)}")


def _difference(first: Path, second: Path) -> str:
    one, other = members(first), members(second)
    lost = sorted(one.keys() ^ other.keys())
    if lost:
        return f"{lost[0]} is in one only"
    return next((name for name, text in one.items() if other[name] != text), "order, times or rights of its files")


def members(path: Path) -> dict[str, bytes]:
    """The files in a wheel, a .vsix or a source archive, by name."""
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as archive:
            files = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
            return {name: file.read() for name, file in files if file is not None}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def complete(project: Path, wheel: Path) -> str:
    """Check that a wheel holds every file of the package in git, unchanged, and no other."""
    tracked = run(["git", "ls-files", "memlsp"], project).split("\n")[:-1]
    held = {name: text for name, text in members(wheel).items() if ".dist-info/" not in name}
    missing = [name for name in tracked if name not in held]
    foreign = sorted(held.keys() - set(tracked))
    changed = [name for name in tracked if name in held and held[name] != (project / name).read_bytes()]
    if missing or foreign or changed:
        raise CheckFailed(f"missing: {missing[:3]}, not in git: {foreign[:3]}, changed: {changed[:3]}")
    return f"{len(tracked)} files, all that git has of memlsp/ and nothing else"


def metadata(folder: Path) -> str:
    """Check the metadata and the README of wheel and archive, as an index does."""
    found = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    run([tool("twine"), "check", "--strict", *found], folder)
    return ", ".join(f"{path.name} ({path.stat().st_size / 1e6:.1f} MB)" for path in found)


def commit_of(project: Path) -> str:
    """The commit that is released, with a mark where the work tree has changes that are not in it."""
    short = run(["git", "rev-parse", "--short=12", "HEAD"], project).strip()
    dirty = subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=project, check=False).returncode
    return f"{short} (the work tree has changes that are not in it)" if dirty else short
