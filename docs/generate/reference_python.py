"""The pages of the Python API, docs/reference/python.md and python/: from signatures, docstrings and docs/examples/."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import memlsp
from docs.generate.example_files import EXAMPLES, fenced
from docs.generate.layout import LONGEST_PARAGRAPH, WIDTH, entry, wrapped
from docs.generate.python_surface import (
    ALIASES,
    error_tree,
    fields,
    function_of,
    members,
    named,
    parts,
    remarks,
    signature,
    types_in,
    values,
)
from memlsp.memory.memory import Memory
from memlsp.memory.services import Services
from memlsp.model import errors

_TOPICS = {
    "Open and close": ("open", "close", "workspace", "read_only", "notices", "person", "version", "status", "doctor"),
    "Remember and revise": ("remember", "revise", "revisions", "confidence"),
    "Ask": ("recall", "why", "belief", "beliefs", "attention", "surroundings", "open_conflicts", "breaches"),
    "Ask about a place": (
        *("about", "applying", "findings", "lenses", "symbol_at", "symbol_named", "relative", "path_of", "problem"),
    ),
    "Text that is not on the disk yet, and files that change": (
        *("open_buffer", "close_buffer", "files_changed", "watch"),
    ),
    "The history of the code": (
        *("history", "diff", "commit", "onboard", "last_change", "commit_episodes", "commit_page"),
    ),
    "What was told": ("receipts", "served", "replay", "record_telling", "tellings", "stats"),
}
"""The methods of `Memory` by topic, in the order of the page; new ones come last."""

_HEAD = """# Python API

For programs that use the memory of a repository: agents that you write, scripts, servers.

{example}
The lines behind `# ->` are what it prints; tests run every example of these pages. A whole agent
stands in [write an agent](../how-to/python-agent.md). There are recipes for
[LangGraph](../how-to/langgraph.md) and the [OpenAI Agents SDK](../how-to/openai-agents.md).

## Pages

- [memory](python/memory.md): `Memory`. A question about the beliefs at a place, or a change to one
  belief, is a method of it.
{parts}
{values}
- [Errors](python/errors.md).

## What holds everywhere

- **Errors.** Every method may raise `MemlspError` and no other error of memlsp's own. Its text is
  one line for a person, `hint` the remedy.
- **Threads.** A `Memory` may be used from several threads. It blocks: in a coroutine, call it
  through `asyncio.to_thread`, as [the recipe](../how-to/python-agent.md#in-a-coroutine) does.
- **Processes.** Several processes may open the same memory. `memory.version()` changes when one of
  them wrote.
- **Durable.** What a method wrote is on the disk when it returns.
- **Places.** Paths are relative to the workspace's root, with forward slashes. Lines count from 1.
- **Times** are aware, in UTC. **Tokens** are an upper estimate, four bytes each.
- **Who acts.** Without a `Caller` it is the person at this machine. An agent says who it is,
  `Caller(author=Author("my agent", AuthorKind.AGENT))`. It may then remember, confirm and propose,
  and may not lock, admit, or change what a person locked
  ([why](../decisions/0020-what-agents-may-decide.md)).
- **Text of others.** A statement is somebody's words. `Recall.text` quotes them for a model.

## What stays

These pages are the public API. `tests/docs/python_surface.txt` has it line by line, and a test
fails where a name, a parameter or a type differs, so no change goes unseen. A change that breaks a
caller stands in the [changes](../../CHANGELOG.md) under its version. Values may gain fields.

A name that no page has belongs to memlsp itself and may change at any time, also where it has no
underscore. The package has its types inline (`py.typed`), checked by pyright in strict mode.
"""


def python_pages() -> dict[str, Callable[[], str]]:
    """The pages by their names below docs/reference/."""
    found: dict[str, Callable[[], str]] = {"python.md": _overview, "python/memory.md": _memory_page}
    for name in _shown_parts():
        found[f"python/{name}.md"] = lambda name=name: _part_page(name)
    return {**found, "python/values.md": _values_page, "python/errors.md": _errors_page}


def _shown_parts() -> list[str]:
    return [name for name, kind in parts().items() if members(kind, name)]


def _overview() -> str:
    listed = [
        entry(f"[memory.{name}](python/{name}.md)", inspect.getdoc(getattr(Services, name)) or "")
        for name in _shown_parts()
    ]
    offered = ", ".join(f"`{name}`" for name in memlsp.__all__ if name in values())
    whole = entry("[Values](python/values.md)", f"what methods take and return. `memlsp` itself has {offered}.")
    return _HEAD.format(example="\n".join(_example("python")), parts="\n".join(listed), values=whole)


def _memory_page() -> str:
    found = members(Memory, "Memory")
    lines = ["# Memory\n", "`from memlsp import Memory`\n", *_text(Memory)]
    topics = {**_TOPICS, "More": sorted(found.keys() - {name for names in _TOPICS.values() for name in names})}
    for topic, names in topics.items():
        if not names:
            continue
        lines.append(f"## {topic}\n")
        for name in names:
            lines += _member(found[name], name, f"memory.{name}", "###")
    return _page(lines)


def _part_page(name: str) -> str:
    kind = parts()[name]
    lines = [f"# memory.{name}\n", *_text(getattr(Services, name)), *_text(kind), *_example(name)]
    for each, member in members(kind, name).items():
        lines += _member(member, each, f"memory.{name}.{each}", "##")
    return _page(lines)


def _values_page() -> str:
    lines = ["# Values\n", "What methods take and return: frozen [attrs](https://www.attrs.org) classes and enums.\n"]
    for name, kind in values().items():
        where = f"`from {'memlsp' if name in memlsp.__all__ else kind.__module__} import {name}`"
        lines += [f"## {name}\n", f"{where}\n", *_text(kind)]
        said = remarks(kind)
        if issubclass(kind, Enum):
            lines += [*(entry(f"`{each.value}`", said.get(each.name, "")) for each in kind), ""]
        found = list(fields(kind))
        for each, annotation, default in found:
            about = f"{_linked(annotation, name)}{f' = `{default}`' if default else ''}"
            lines.append(entry(f"`{each}`", f"{about}; {said[each]}" if each in said else about))
        lines += [""] * bool(found)
        for each, member in members(kind, name).items():
            lines += _member(member, each, f"{name}.{each}", "###", page="")
    lines.append("## Names of types\n")
    lines += [entry(f"`{name}`", about) for name, about in ALIASES.items()]
    return _page(lines)


def _errors_page() -> str:
    tree = (inspect.getdoc(errors) or "").partition("\n\n")[2]
    lines = ["# Errors\n", "`from memlsp.model.errors import ...`; `MemlspError` also from `memlsp`.\n"]
    lines += [f"```text\n{tree}\n```\n", *_example("errors")]
    for kind in error_tree():
        base = kind.__base__.__name__ if kind.__base__ else ""
        lines += [f"## {kind.__name__}\n", f"A `{base}`.\n", *_text(kind)]
    return _page(lines)


def _page(lines: list[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _example(name: str) -> Iterator[str]:
    """The example of a page, from docs/examples/, where there is one."""
    path = EXAMPLES / f"{name}.py"
    if path.exists():
        yield fenced(path)


def _member(member: Any, name: str, title: str, heading: str, page: str = "values.md") -> Iterator[str]:
    """A method or property: its signature, its documentation, and links to the values in the signature."""
    yield f"{heading} {title}\n"
    yield f"```python\n{signature(member, name, WIDTH - 4)}\n```\n"
    yield from () if isinstance(member, type) else _text(function_of(member))
    found = [each for each in named(types_in(member)) if each in values() or each in ALIASES]
    if found:
        yield wrapped(f"Types: {', '.join(_link(each, page) for each in found)}.") + "\n"


def _link(name: str, page: str) -> str:
    return f"[{name}]({page}#{'names-of-types' if name in ALIASES else name.lower()})"


def _linked(annotation: str, own: str) -> str:
    """A type as code, and links to the values in it."""
    found = [each for each in named(annotation) if each in values() and each != own]
    if found == [annotation]:
        return f"[`{annotation}`](#{annotation.lower()})"
    links = ", ".join(_link(each, "") for each in found)
    return f"`{annotation}`" + (f" ({links})" if links else "")


def _text(documented: object) -> Iterator[str]:
    for paragraph in (inspect.getdoc(documented) or "").split("\n\n"):
        if paragraph.startswith("- "):
            yield "\n".join(entry(" ".join(each.split()), "") for each in paragraph[2:].split("\n- ")) + "\n"
            continue
        for part in _short(" ".join(paragraph.split())):
            yield wrapped(part) + "\n"


def _short(paragraph: str) -> Iterator[str]:
    """A paragraph, in two where a page may not have one as long: broken before the sentence that is in the middle."""
    middle = paragraph.find(". ", len(paragraph) // 2) + 1
    if middle and wrapped(paragraph).count("\n") >= LONGEST_PARAGRAPH:
        yield from (paragraph[:middle], paragraph[middle:].strip())
    elif paragraph:
        yield paragraph
