"""Writes the reviewed beliefs of a repository where agents without hooks read them.

Those for the whole project stand in a marked block of AGENTS.md and CLAUDE.md, those for a path pattern in a rule file
of each agent that the repository is set up for. What does not hold in the code leaves them. Nothing outside the marks
is touched, and no memory is needed: the files in `.memlsp/beliefs` are what is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from attrs import frozen

from memlsp.beliefs.lifecycle.belief_file import BeliefFile, read_file
from memlsp.beliefs.mining.passages import BLOCK_BEGIN, BLOCK_END, own_block
from memlsp.memory.check.repository_check import check_repository
from memlsp.model.belief import FOLDER
from memlsp.model.check import CheckRule
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.one_line import plain

_DOCUMENTS = ("AGENTS.md", "CLAUDE.md")
_LONGEST = 400  # characters of a statement
_RULE_FILES: Mapping[str, tuple[str, str, Callable[[str], str]]] = {
    ".claude": (".claude/rules", ".md", lambda pattern: f'paths:\n  - "{pattern}"'),
    ".cursor": (".cursor/rules", ".mdc", lambda pattern: f"globs: {pattern}\nalwaysApply: false"),
    ".github/instructions": (".github/instructions", ".instructions.md", lambda pattern: f'applyTo: "{pattern}"'),
}
"""By the folder of an agent that is used here: where its rules are, how they end, how they name a path pattern."""


@frozen
class RuleSync:
    """The files that were written, or would be, and the beliefs that are left out since they do not hold (`stale`)."""

    changed: tuple[str, ...]
    stale: tuple[str, ...]


def sync_rules(root: Path, *, dry_run: bool = False) -> RuleSync:
    """Bring the agents' files up to date. Raises Refused without a git repository, and for a file that is a link."""
    report = check_repository(root, paths=(FOLDER,))
    false = (each for each in report.findings if not each.rule.is_doubt and each.rule is not CheckRule.GUARD_BROKEN)
    stale = {Path(each.path).name.partition("-")[0] for each in false}
    beliefs = [each for each in _files(root) if not each.retired]
    standing = [each for each in beliefs if each.id not in stale]
    changed: list[str] = []
    for path, text in _wanted(root, standing):
        place = root / path
        if place.is_symlink() or not place.parent.resolve().is_relative_to(root.resolve()):
            raise Refused(f"{path} is a link, and is not written", "make it a file of the repository")
        before = place.read_bytes().decode("utf-8") if place.exists() else ""
        if before != text:
            changed.append(path)
            if not dry_run:
                _write(place, text)
    return RuleSync(tuple(changed), tuple(each.id for each in beliefs if each.id in stale))


def _files(root: Path) -> Iterator[BeliefFile]:
    for path in sorted((root / FOLDER).glob("*.md")):
        with suppress(MemlspError, OSError, UnicodeDecodeError):
            yield read_file(path.read_text("utf-8"))


def _wanted(root: Path, beliefs: list[BeliefFile]) -> Iterator[tuple[str, str]]:
    """The files as they should be: path and text, "" for one that should not be."""
    present = [name for name in _DOCUMENTS if (root / name).is_file() and not (root / name).is_symlink()]
    general = [_line(each) for each in beliefs if not each.pattern]
    for name in present or (_DOCUMENTS[:1] if general else ()):
        text = (root / name).read_bytes().decode("utf-8") if name in present else ""
        yield name, _with_block(text, general)
    by_pattern: dict[str, list[str]] = {}
    for each in beliefs:
        if each.pattern:
            by_pattern.setdefault(each.pattern, []).append(_line(each))
    for folder, (place, suffix, head) in _RULE_FILES.items():
        if not (root / folder).is_dir():
            continue
        files = {
            f"{place}/memlsp-{_slug(pattern)}{suffix}": f"---\n{head(pattern)}\n---\n\n{_block(lines)}"
            for pattern, lines in sorted(by_pattern.items())
        }
        for old in sorted((root / place).glob(f"memlsp-*{suffix}")):
            if f"{place}/{old.name}" not in files and BLOCK_BEGIN in old.read_text("utf-8", "replace"):
                files[f"{place}/{old.name}"] = ""
        yield from files.items()


def _line(belief: BeliefFile) -> str:
    """The statement as an item of a list, with where it applies."""
    said = plain(re.sub(r"<!--|-->", "", belief.text.partition("\n\n")[0]), _LONGEST)
    places = ", ".join(f"`{each.place}`" for each in belief.anchors[:3])
    applies = ", ".join(f"{key} {value}" for key, value in belief.conditions)
    notes = "; ".join(each for each in (places, applies) if each)
    return f"- {said}{f' ({notes})' if notes else ''}"


def _block(lines: list[str]) -> str:
    return "\n".join([BLOCK_BEGIN, *lines, BLOCK_END, ""])


def _with_block(text: str, lines: list[str]) -> str:
    """The text with the block renewed where it stands, added at the end, or taken out where there is nothing to say."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _block(lines).replace("\n", newline) if lines else ""
    found = own_block(text)
    if found is None:
        lead = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{lead}{block}" if block else text
    lead = newline if block and text.startswith(("\r", "\n"), found[0]) else ""
    return f"{text[: found[0]]}{lead}{block}{text[found[1] :]}"


def _write(place: Path, text: str) -> None:
    if not text:
        place.unlink()
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())


def _slug(pattern: str) -> str:
    digest = blake2b(pattern.encode(), digest_size=2).hexdigest()  # src/*.py and src/**/*.py have the same words
    return re.sub(r"[^a-z0-9]+", "-", f"{pattern} {digest}".lower()).strip("-")
