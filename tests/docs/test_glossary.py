"""Each word of the design has one definition, and no retired word comes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from memlsp.model.belief import Authority, BeliefKind, ScopeKind
from memlsp.model.standing import Standing

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^### (.+)$", GLOSSARY.partition("## Retired words")[0], re.MULTILINE)
WORDS_OF_THE_DESIGN = [
    *("anchor", "authority", "baseline", "belief", "conflict", "episode", "erasure epoch", "event", "guard"),
    *("handoff", "proposal", "receipt", "revision", "scope", "standing", "symbol", "symbol change", "thread"),
    *("verdict", "workspace"),
]


def test_each_term_is_defined_once_and_in_alphabetical_order() -> None:
    assert sorted(set(TERMS)) == TERMS


def test_each_word_of_the_design_is_defined() -> None:
    assert [word for word in WORDS_OF_THE_DESIGN if word not in TERMS] == []


def test_the_definitions_name_every_value_of_a_belief() -> None:
    text = " ".join(GLOSSARY.lower().split())
    for values in (Standing, Authority, BeliefKind, ScopeKind):
        for value in values:
            assert re.search(rf"\b{value.value[:-1]}", text), value


def retired() -> dict[str, tuple[str, str]]:
    """Each retired word with its sort, `module` or `name`, and the term that replaces it."""
    lines = (ROOT / "tests" / "docs" / "retired_words.txt").read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"(module|name) (\w+) -> (.+)", line) for line in lines if not line.startswith("#")]
    assert None not in found
    return {match[2]: (match[1], match[3]) for match in found if match}


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that the code of a module uses or gives, with its line."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, line
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name, line
            case ast.keyword(arg=str(name)):
                yield name, line
            case ast.alias(name=name, asname=given):
                yield given or name.rpartition(".")[2], line
            case _:
                pass


def test_no_retired_word_comes_back() -> None:
    words = retired()
    back: list[str] = []
    for path in sorted((ROOT / "memlsp").rglob("*.py")):
        place = path.relative_to(ROOT)
        back += [
            f"{place}: {part} is now {words[part][1]}" for part in (*place.parts[1:-1], place.stem) if part in words
        ]
        back += [
            f"{place}:{line}: {name} is now {words[name][1]}"
            for name, line in identifiers(ast.parse(path.read_text(encoding="utf-8")))
            if words.get(name, ("", ""))[0] == "name"
        ]
    assert back == []


def test_the_glossary_lists_every_retired_word_once() -> None:
    table = re.findall(r"^\| (\w+) \| ([mi]) \| (.+) \|$", GLOSSARY.partition("## Retired words")[2], re.MULTILINE)
    assert table == [(word, "m" if sort == "module" else "i", now) for word, (sort, now) in retired().items()]


def test_a_retired_word_is_no_term() -> None:
    assert sorted(set(retired()) & set(TERMS)) == []
