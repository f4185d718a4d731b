"""What happened to a symbol, in a form in which two tellers can be compared; and the reading of RefactoringMiner's
reports.

Two tellers agree on a happening when its kind and names are equal and every place that both know has a name in
common. A place is the last part of the holder's name: tools spell packages and modules in their own ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

GROUPS: Mapping[str, tuple[str, ...]] = {
    "rename": ("rename method", "rename class", "rename attribute"),
    "move": (
        "move method",
        "move class",
        "move attribute",
        "move file",
        "move and rename method",
        "move and rename class",
        "move and rename attribute",
    ),
    "extract": ("extract method", "extract class"),
    "inline": ("inline method",),
    "split and merge": ("split class", "merge class", "split method", "merge method"),
    "signature": (
        "add parameter",
        "remove parameter",
        "rename parameter",
        "reorder parameters",
        "parameter type",
        "return type",
        "attribute type",
        "add decorator",
        "remove decorator",
        "change decorator",
    ),
}
"""The kinds of happening that are scored, by group."""

MODULE = "__module__"
_EXTENSIONS = (".py", ".js", ".jsx", ".ts", ".tsx", ".java", ".kt", ".kts", ".mjs", ".cjs")


@frozen
class Happening:
    """`kind` is one of GROUPS. `names` must be equal; `places` are alternatives, of which one must be common.

    What is `implied` was said beside something else: to tell it is no mistake, not to tell it is no loss.
    """

    kind: str
    names: tuple[str, ...]
    places: tuple[frozenset[str], ...] = ()
    implied: bool = False

    def agrees(self, other: Happening) -> bool:
        """True when both tell the same."""
        return (
            self.kind == other.kind
            and self.names == other.names
            and len(self.places) == len(other.places)
            and all(left & right for left, right in zip(self.places, other.places, strict=True))
        )

    def __str__(self) -> str:
        where = ", ".join("/".join(sorted(place)) for place in self.places)
        return f"{self.kind} {' -> '.join(self.names)} [{where}]"


def place_of(path: str, container: str) -> str:
    """The last part of a holder's name as we know it: of the dotted container, else of the file."""
    if container:
        return container.rpartition(".")[2]
    stem = path.rpartition("/")[2]
    for extension in _EXTENSIONS:
        stem = stem.removesuffix(extension)
    return stem.rpartition(".")[2]


def happenings(report: str) -> list[Happening]:
    """What a report says; none for what is no change of a symbol, such as a renamed local variable."""
    for title, read in _READERS:
        if report.startswith(title + " "):
            return read(report[len(title) + 1 :].strip())
    return []


# --- names


def _last(name: str) -> str:
    return re.sub(r"<.*", "", name).rpartition(".")[2]


def _place(name: str) -> frozenset[str]:
    # Kotlin's reports call a file `Rows.module`, and know a companion as a class of its own.
    whole = name.removesuffix("." + MODULE).removesuffix(".module").removesuffix(".Companion")
    inner = _INSIDE.fullmatch(whole)
    return frozenset({_last(whole), *(inner.groups() if inner else ())})


_INSIDE = re.compile(r".*\.[A-Z]\w*\.([a-z]\w*)\.\w+")  # an anonymous class, of which we know the function around it


def _method(text: str) -> str:
    """`fetch` of `public fetch(a int, b String) : Row`."""
    head = text.partition("(")[0].split()
    return _last(head[-1]) if head else ""


def _parameters(text: str) -> list[str]:
    """The names in `public fetch(a int, b Map<K, V>) : Row`."""
    inner = text.partition("(")[2].rpartition(")")[0]
    depth, start, found = 0, 0, list[str]()
    for index, sign in enumerate(inner):
        depth += (sign in "([{<") - (sign in ")]}>" and inner[index - 1] != "-")
        if sign == "," and not depth:
            found.append(inner[start:index])
            start = index + 1
    return [part.split()[0] for part in [*found, inner[start:]] if part.split()]


def _attribute(text: str) -> str:
    """`rows` of `private rows : List<Row>`."""
    words = text.partition(" : ")[0].split()
    return words[-1] if words else ""


# --- readers


def _in_one_class(kind: str, between: str, name: Callable[[str], str]) -> Callable[[str], list[Happening]]:
    pattern = re.compile(rf"(.+?){between}(.+) in class (\S+)")

    def read(text: str) -> list[Happening]:
        found = pattern.fullmatch(text)
        return [Happening(kind, (name(found[1]), name(found[2])), (_place(found[3]),))] if found else []

    return read


def _between_classes(kind: str, name: Callable[[str], str], *, renamed: bool) -> Callable[[str], list[Happening]]:
    pattern = re.compile(r"(.+) from class (\S+) to (.+) from class (\S+)")
    other = re.compile(r"(.+) renamed to (.+) and moved from class (\S+) to class (\S+)")

    def read(text: str) -> list[Happening]:
        found = pattern.fullmatch(text)
        if found:
            old, old_in, new, new_in = found.groups()
        else:
            found = other.fullmatch(text)
            if not found:
                return []
            old, new, old_in, new_in = found.groups()
        names = (name(old), name(new)) if renamed else (name(new),)
        return [Happening(kind, names, (_place(old_in), _place(new_in)))]

    return read


def _class(kind: str, between: str) -> Callable[[str], list[Happening]]:
    def read(text: str) -> list[Happening]:
        old, _, new = text.partition(between)
        if not new or " " in old or " " in new:
            return []
        if old.endswith("." + MODULE) and new.endswith("." + MODULE):
            return [Happening("move file", (_last(old[: -len(MODULE) - 1]), _last(new[: -len(MODULE) - 1])))]
        if MODULE in (_last(old), _last(new)):
            return []  # a file that became a class: no two tellers would spell that alike
        if kind == "move class":
            return [Happening(kind, (_last(new),))]
        return [Happening(kind, (_last(old), _last(new)))]

    return read


def _extracted(text: str) -> list[Happening]:
    found = re.fullmatch(r"(.+) extracted from (.+) in class (\S+?)(?: & moved to class (\S+))?", text)
    if not found:
        return []
    new, origin, holder, moved = found.groups()
    places = (frozenset({_method(origin)}), _place(holder), _place(moved or holder))
    return [Happening("extract method", (_method(new),), places)]


def _inlined(text: str) -> list[Happening]:
    found = re.fullmatch(r"(.+) inlined to (.+) in class (\S+)", text)
    if found:
        holder = _place(found[3])
        return [Happening("inline method", (_method(found[1]),), (frozenset({_method(found[2])}), holder, holder))]
    found = re.fullmatch(r"(.+) moved from class (\S+) to class (\S+) & inlined to (.+)", text)
    if not found:
        return []
    gone, old, new, into = found.groups()
    return [Happening("inline method", (_method(gone),), (frozenset({_method(into)}), _place(old), _place(new)))]


_MEMBER = re.compile(r"(.+?) in (?:method|primary constructor|constructor|operation) (.+) from class (\S+)")


def _of_method(kind: str, read_names: Callable[[str, str], tuple[str, ...] | None]) -> Callable[[str], list[Happening]]:
    def read(text: str) -> list[Happening]:
        found = _MEMBER.fullmatch(text)
        if not found:
            return []
        names = read_names(found[1], found[2])
        place = (frozenset({_method(found[2])}), _place(found[3]))
        return [Happening(kind, names, place)] if names is not None else []

    return read


def _one_parameter(text: str, _: str) -> tuple[str, ...]:
    return (_attribute(text),)


def _new_name(text: str, _: str) -> tuple[str, ...]:
    return (_attribute(text.partition(" to ")[2]),)


def _old_name(text: str, _: str) -> tuple[str, ...]:
    return (_attribute(text.partition(" to ")[0]),)


def _both_names(text: str, _: str) -> tuple[str, ...]:
    old, _, new = text.partition(" to ")
    return _attribute(old), _attribute(new)


def _no_name(text: str, _: str) -> tuple[str, ...]:  # noqa: ARG001 - one signature for all
    return ()


def _renamed_variable(text: str, method: str) -> tuple[str, ...] | None:
    """One of the tools calls parameters variables: those that stand in the method's list are no locals."""
    old, new = _both_names(text, method)
    return (old, new) if new in _parameters(method) and old != new else None


def _typed_variable(text: str, method: str) -> tuple[str, ...] | None:
    old, new = _both_names(text, method)
    return (new,) if new in _parameters(method) and old == new else None


def _typed_parameter(text: str, _: str) -> tuple[str, ...]:
    return (_attribute(text.partition(" to ")[2]),)


def _decorator(text: str, _: str) -> tuple[str, ...]:
    name = text.partition(" to ")[2] or text
    return (_last(name.strip().lstrip("@").partition("(")[0]),)


def _typed_attribute(text: str) -> list[Happening]:
    found = re.fullmatch(r"(.+?) to (.+) in class (\S+)", text)
    if not found:
        return []
    return [Happening("attribute type", (_attribute(found[2]),), (_place(found[3]),))]


def _renamed_attribute(text: str) -> list[Happening]:
    """Where the report itself shows another type, telling that too is no mistake."""
    found = _in_one_class("rename attribute", " to ", _attribute)(text)
    sides = re.fullmatch(r"(.+?) to (.+) in class (\S+)", text)
    return found + (_retyped(sides[1], sides[2], found[0].places) if found and sides else [])


def _moved_attribute(text: str) -> list[Happening]:
    found = _between_classes("move attribute", _attribute, renamed=False)(text)
    sides = re.fullmatch(r"(.+) from class (\S+) to (.+) from class (\S+)", text)
    return found + (_retyped(sides[1], sides[3], found[0].places[1:]) if found and sides else [])


def _retyped(old: str, new: str, places: tuple[frozenset[str], ...]) -> list[Happening]:
    before, after = old.partition(" : ")[2], new.partition(" : ")[2]
    if not before or before == after:
        return []
    return [Happening("attribute type", (_attribute(new),), places, implied=True)]


def _extracted_class(text: str) -> list[Happening]:
    found = re.fullmatch(r"(\S+) from (?:class (\S+)|classes \[(.+)\])", text)
    if not found or _last(found[1]) == MODULE:
        return []
    sources = [found[2]] if found[2] else found[3].split(", ")
    return [Happening("extract class", (_last(found[1]),), (frozenset(map(_class_name, sources)),))]


def _class_name(name: str) -> str:
    return _last(name.removesuffix("." + MODULE))


def _listed(text: str) -> list[str]:
    text = text.strip()
    if not text.startswith("["):
        return [text]
    found: list[str] = []
    depth, start = 0, 1
    for index in range(1, len(text) - 1):
        depth += (text[index] in "([{<") - (text[index] in ")]}>")
        if text[index] == "," and not depth:
            found.append(text[start:index])
            start = index + 1
    return [*found, text[start:-1]]


def _parted(kind: str, between: str, *, method: bool, split: bool) -> Callable[[str], list[Happening]]:
    """Splits and merges: one happening for each part."""

    def read(text: str) -> list[Happening]:
        body, _, holder = text.rpartition(" in class ") if method else (text, "", "")
        old, _, new = body.partition(between)
        name = _method if method else _last
        places = (_place(holder),) if method else ()
        if split:
            return [Happening(kind, (name(old), name(part.strip())), places) for part in _listed(new)]
        return [Happening(kind, (name(part.strip()), name(new)), places) for part in _listed(old)]

    return read


def _split_parameter(text: str) -> list[Happening]:
    """A parameter that became several went, and several came."""
    return _exchanged(text)


def _exchanged(text: str) -> list[Happening]:
    found = _MEMBER.fullmatch(text)
    if not found:
        return []
    old, _, new = found[1].partition(" to ")
    method = (frozenset({_method(found[2])}), _place(found[3]))
    gone = [Happening("remove parameter", (_attribute(part.strip()),), method) for part in _listed(old)]
    return gone + [Happening("add parameter", (_attribute(part.strip()),), method) for part in _listed(new)]


_Reader = Callable[[str], list[Happening]]
_READERS: Sequence[tuple[str, _Reader]] = (
    ("Rename Method", _in_one_class("rename method", " renamed to ", _method)),
    *[
        (title, _between_classes("move method", _method, renamed=False))
        for title in ("Move Method", "Pull Up Method", "Push Down Method")
    ],
    ("Move And Rename Method", _between_classes("move and rename method", _method, renamed=True)),
    ("Rename Class", _class("rename class", " renamed to ")),
    ("Move Class", _class("move class", " moved to ")),
    ("Move And Rename Class", _class("move and rename class", " moved and renamed to ")),
    ("Rename Attribute", _renamed_attribute),
    *[(title, _moved_attribute) for title in ("Move Attribute", "Pull Up Attribute", "Push Down Attribute")],
    ("Move And Rename Attribute", _between_classes("move and rename attribute", _attribute, renamed=True)),
    ("Extract Method", _extracted),
    ("Extract And Move Method", _extracted),
    ("Inline Method", _inlined),
    ("Move And Inline Method", _inlined),
    *[(f"Extract {title}", _extracted_class) for title in ("Class", "Superclass", "Subclass", "Interface")],
    ("Split Class", _parted("split class", " split to ", method=False, split=True)),
    ("Merge Class", _parted("merge class", " merged to ", method=False, split=False)),
    ("Split Method", _parted("split method", " to ", method=True, split=True)),
    ("Merge Method", _parted("merge method", " to ", method=True, split=False)),
    ("Add Parameter Annotation", lambda _: []),
    ("Remove Parameter Annotation", lambda _: []),
    ("Modify Parameter Annotation", lambda _: []),
    ("Add Parameter Modifier", lambda _: []),
    ("Remove Parameter Modifier", lambda _: []),
    ("Add Parameter", _of_method("add parameter", _one_parameter)),
    ("Parameterize Variable", _of_method("add parameter", _new_name)),
    ("Parameterize Attribute", _of_method("add parameter", _new_name)),
    ("Remove Parameter", _of_method("remove parameter", _one_parameter)),
    ("Localize Parameter", _of_method("remove parameter", _old_name)),
    ("Split Parameter", _split_parameter),
    ("Merge Parameter", _exchanged),
    ("Rename Parameter", _of_method("rename parameter", _both_names)),
    ("Rename Variable", _of_method("rename parameter", _renamed_variable)),
    ("Reorder Parameter", _of_method("reorder parameters", _no_name)),
    ("Change Parameter Type", _of_method("parameter type", _typed_parameter)),
    ("Change Variable Type", _of_method("parameter type", _typed_variable)),
    ("Change Return Type", _of_method("return type", _no_name)),
    ("Change Attribute Type", _typed_attribute),
    ("Add Method Annotation", _of_method("add decorator", _decorator)),
    ("Remove Method Annotation", _of_method("remove decorator", _decorator)),
    ("Modify Method Annotation", _of_method("change decorator", _decorator)),
)
