"""The page docs/reference/python.md: the Python API, from the signatures and docstrings of `Memory` and its parts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import attrs

from docs.generate.layout import wrapped
from memlsp.memory import services
from memlsp.memory.memory import Memory
from memlsp.memory.services import Services
from memlsp.model.belief import Limits
from memlsp.model.caller import Caller
from memlsp.model.recall import RecallOptions

_HEAD = """# Python API

```python
from memlsp import Memory
from memlsp.model.place import Place

with Memory.open(".") as memory:
    place = Place.parse("client.py#fetch")
    memory.remember("Three tries: the API drops one call in ten", at=[place])
    for hit in memory.recall("how often do we retry").hits:
        print(hit.judgement.standing, hit.judgement.belief.text)
```

A question about the beliefs at a place, or a change to one belief, is a method of `Memory`.
Everything else is asked of a part that is named by what it holds: `memory.episodes.list()`. Every
method may raise `MemlspError` (`memlsp.model.errors` has the tree) and no other error of ours.
"""


def python_page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_lines()]).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield "## Memory\n"
    yield from _methods(Memory, "memory")
    yield "## Values that several methods take\n"
    for value in (Limits, Caller, RecallOptions):
        yield f"### {value.__name__}\n"
        yield f"`{value.__module__}`. Fields: {', '.join(f'`{each.name}`' for each in attrs.fields(value))}.\n".replace(
            ". Fields", ".\nFields"
        )
        yield from _text(value)
    yield "## Parts\n"
    for name, part in _parts():
        yield f"### memory.{name}\n"
        yield from _text(part)
        yield from _methods(part, f"memory.{name}")


def _parts() -> Iterator[tuple[str, type]]:
    """The public parts, by name: their modules are imported under TYPE_CHECKING alone."""
    source = Path(inspect.getfile(services)).read_text(encoding="utf-8")
    homes = dict(re.findall(r"    from (\S+) import (\w+)", source.partition("class Services")[0]))
    classes = {name: getattr(import_module(module), name) for module, name in homes.items()}
    for name, member in sorted(vars(Services).items()):
        if not name.startswith("_"):
            kind = get_type_hints(member.func, localns=classes)["return"]
            yield name, kind


def _methods(owner: type, prefix: str) -> Iterator[str]:
    for name, member in inspect.getmembers(owner):
        if name.startswith("_") or not (inspect.isfunction(member) or inspect.ismethod(member)):
            continue
        parameters = inspect.signature(member).parameters.values()
        named = ", ".join(_named(each) for each in parameters if each.name not in {"self", "cls"})
        yield f"#### {prefix}.{name}\n"
        yield wrapped(f"`{name}({named})`") + "\n"
        yield from _text(member)


def _named(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{parameter.name}"
    return parameter.name if parameter.default is parameter.empty else f"{parameter.name}=…"


def _text(documented: object) -> Iterator[str]:
    for paragraph in (inspect.getdoc(documented) or "").split("\n\n"):
        if paragraph:
            yield wrapped(" ".join(paragraph.split())) + "\n"
