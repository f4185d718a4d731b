"""Each word of the design has one definition."""

from __future__ import annotations

import re
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
