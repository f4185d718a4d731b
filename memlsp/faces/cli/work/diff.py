"""`memlsp diff`: the differences between two states, by symbols; important changes first, harmless ones in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from memlsp.faces.cli.console import bar, base_folder, emitted, opened
from memlsp.faces.cli.options import as_json
from memlsp.faces.render.wording import WORDS, count_of, listing, plain, short_id, standing_mark
from memlsp.model.change import ChangeKind
from memlsp.model.difference import BeliefTouched, Difference, FileDifference, FileFate, FileNature, SymbolDifference
from memlsp.model.one_line import joined
from memlsp.model.standing import Standing

MOST_IN_FILE = 30
"""Sentences of one file before the rest is counted."""

MOST_WHOLE = 12
"""Added or removed files on lines of their own; more of them share a line."""

_LISTED = 6
_MOST_ALIKE = 8
_SPAN = re.compile(r"`[^`]*`")
_VERBS = {fate: fate.value for fate in (FileFate.CHANGED, FileFate.ADDED, FileFate.REMOVED, FileFate.RENAMED)}
_PATHS = "memlsp.diff.paths"


class _WithPaths(click.Command):
    """A command that takes paths behind `--`, as git does; click alone forgets where the dashes stood."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_PATHS] = None
        if "--" in args:
            dashes = args.index("--")
            ctx.meta[_PATHS] = args[dashes + 1 :]
            args = args[:dashes]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return ["[OPTIONS]", "[REV [REV]]", "[-- PATH...]"]


@click.command("diff", cls=_WithPaths)
@click.argument("revisions", nargs=-1)
@click.option("--staged", "--cached", "staged", is_flag=True)
@click.option("--all", "everything", is_flag=True)
@as_json
@click.pass_context
def diff_command(ctx: click.Context, revisions: tuple[str, ...], *, staged: bool, everything: bool) -> None:
    """What is different, told by symbols: a sentence for each, grouped by file."""
    with opened() as memory, bar("reading", "files") as progress:
        found = memory.diff(revisions, ctx.meta[_PATHS], staged=staged, base=base_folder(), progress=progress)
    if emitted(found):
        return
    for line in _report(found, everything=everything):
        click.echo(line)


def _report(found: Difference, *, everything: bool = False) -> Iterator[str]:
    """The lines of a report. With `everything` no list is cut."""
    if not found.files:
        yield "nothing changed"
        return
    sources = [file for file in found.files if file.nature is FileNature.SOURCE]
    quiet = [file for file in sources if file.is_harmless and not file.beliefs]
    yield from _sources([file for file in sources if not file.is_harmless or file.beliefs], everything=everything)
    for head, names in (*_quiet_groups(quiet), *_other_groups(found.files)):
        if names:
            yield _names_line(head, names, None if everything else _LISTED)


def _quiet_groups(files: Sequence[FileDifference]) -> Iterator[tuple[str, list[str]]]:
    """Sources whose change alters nothing, each group with its heading."""
    for cosmetic, where in ((False, "documentation"), (True, "layout, comments or notation")):
        names = [file.path for file in files if file.is_cosmetic is cosmetic]
        yield f"{count_of(len(names), 'file')} changed in {where} only", names


def _other_groups(files: Sequence[FileDifference]) -> Iterator[tuple[str, list[str]]]:
    """Files that are no sources, each group with its heading."""
    texts = [_text_name(file) for file in files if file.nature is FileNature.TEXT]
    yield f"{count_of(len(texts), 'text file')} without symbols", texts
    for nature, noun in WORDS["natures"].items():
        for fate, verb in _VERBS.items():
            names = [_name(file) for file in files if file.nature == nature and file.fate is fate]
            yield f"{count_of(len(names), noun)} {verb}", names


def _sources(files: Sequence[FileDifference], *, everything: bool) -> Iterator[str]:
    whole = [file for file in files if file.fate in {FileFate.ADDED, FileFate.REMOVED} and not file.changes]
    counted = [] if everything or len(whole) <= MOST_WHOLE else [file for file in whole if not file.beliefs]
    for file in files:
        if file not in counted:
            yield from _file(file, everything=everything)
    for fate in (FileFate.ADDED, FileFate.REMOVED):
        alike = [file for file in counted if file.fate is fate]
        if alike:
            symbols = sum(file.symbols for file in alike)
            more = f" with {count_of(symbols, 'symbol')}" if symbols else ""
            head = f"{count_of(len(alike), 'file')} {_VERBS[fate]}{more}"
            yield _names_line(head, [file.path for file in alike], _LISTED)


def _file(file: FileDifference, *, everything: bool) -> Iterator[str]:
    yield click.style(plain(file.path), bold=True) + _fate(file)
    for touched in file.beliefs:
        yield _belief(touched)
    entries = [entry for entry in file.changes if entry.beliefs or not (entry.is_harmless or entry.follows)]
    shown = entries if everything else entries[:MOST_IN_FILE]
    for verb, group in groupby(shown, _plain_verb):
        if verb:
            names = [_painted(f"`{_symbol(entry)}`") for entry in group]
            yield f"  {verb} {joined(names, _MOST_ALIKE)}."
            continue
        for entry in group:
            yield f"  {_painted(_sentence(entry, file))}"
            for touched in entry.beliefs:
                yield _belief(touched)
    if len(entries) > len(shown):
        yield click.style(f"  and {count_of(len(entries) - len(shown), 'more symbol')}; --all tells of them", dim=True)
    yield from _harmless(file)


def _plain_verb(entry: SymbolDifference) -> str:
    """The verb of a change that only adds or removes a symbol; "" for any other."""
    change = entry.change
    if entry.beliefs or change.alternatives or len(change.kinds) != 1 or (change.old and change.new):
        return ""
    return "Removed" if change.new is None else "Added"


def _sentence(entry: SymbolDifference, file: FileDifference) -> str:
    """The sentence of a change below its file's name, which it does not repeat."""
    text = plain(entry.sentence)
    own = entry.change.new is not None and not entry.change.new.name
    for path in (file.path, f"`{file.path}`"):
        if own and text.startswith(f"{path} "):
            return f"The file itself {text[len(path) + 1 :]}"
    return text


def _fate(file: FileDifference) -> str:
    parts: list[str] = []
    if file.fate is FileFate.RENAMED and file.former is not None:
        same_folder = file.former.rpartition("/")[0] == file.path.rpartition("/")[0]
        parts.append(f"{'renamed' if same_folder else 'moved'} from {plain(file.former)}")
        if not file.changes:
            parts.append("nothing else changed")
    elif file.fate in {FileFate.ADDED, FileFate.REMOVED}:
        parts.append(f"{_VERBS[file.fate]}{_contents(file)}")
    if file.mode:
        parts.append(f"is now {file.mode}")
    if file.broken:
        parts.append("has syntax errors")
    return f" ({'; '.join(parts)})" if parts else ""


def _contents(file: FileDifference) -> str:
    if not file.symbols:
        return ""
    names = [f"`{plain(name, 40)}`" for name in file.names]
    return f", {count_of(file.symbols, 'symbol')}: {listing(names, _LISTED)}"


def _harmless(file: FileDifference) -> Iterator[str]:
    docs: list[str] = []
    layout: list[str] = []
    following: dict[str, list[str]] = {}
    for entry in file.changes:
        if entry.follows and not entry.beliefs:
            names = " and ".join(f"`{plain(name, 40)}`" for name in entry.follows)
            following.setdefault(names, []).append(_symbol(entry))
        elif entry.is_harmless and not entry.beliefs:
            (docs if ChangeKind.DOCS in entry.change.kinds else layout).append(_symbol(entry))
    parts = [
        f"{what} of {listing(names, _LISTED)}"
        for what, names in (("documentation", docs), ("layout, comments or hints", layout))
        if names
    ]
    if parts:
        yield click.style(f"  only {' and '.join(parts)}", dim=True)
    for names, followers in following.items():
        yield click.style(f"  writes the new name of {names}: {listing(followers, _LISTED)}", dim=True)
    imports = [f"+{plain(name, 60)}" for name in file.imports_added]
    imports += [f"-{plain(name, 60)}" for name in file.imports_removed]
    if imports:
        yield click.style(f"  imports {listing(imports, _LISTED)}", dim=True)


def _symbol(entry: SymbolDifference) -> str:
    return plain(entry.change.ref.name or "the file itself", 60)


def _belief(touched: BeliefTouched) -> str:
    judgement = touched.judgement
    colour = "red" if judgement.standing is Standing.CONTRADICTED else "yellow"
    mark = f"{standing_mark(judgement)} {WORDS['touched'].get(judgement.standing, str(judgement.standing))}"
    belief = judgement.belief
    return f"    {click.style(mark, fg=colour)} {belief.kind} {short_id(belief.id)}: {plain(belief.text, 200)}"


def _names_line(head: str, names: Sequence[str], most: int | None) -> str:
    return click.style(f"{head}: {listing([plain(name) for name in names], most or len(names))}", dim=True)


def _text_name(file: FileDifference) -> str:
    if file.mode:
        return f"{file.path} (is now {file.mode})"
    added = f"+{file.lines_added}" if file.lines_added else ""
    removed = f"-{file.lines_removed}" if file.lines_removed else ""
    fate = "" if file.fate is FileFate.CHANGED else _VERBS[file.fate]
    if file.fate is FileFate.RENAMED:
        fate = f"was {file.former}"
    inner = ", ".join(part for part in (fate, " ".join(filter(None, (added, removed)))) if part)
    return f"{file.path} ({inner})" if inner else file.path


def _name(file: FileDifference) -> str:
    name = f"{file.path} (was {file.former})" if file.fate is FileFate.RENAMED else file.path
    return f"{name} (is now {file.mode})" if file.mode else name


def _painted(sentence: str) -> str:
    return _SPAN.sub(lambda found: click.style(found[0], fg="cyan"), sentence)
