from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.code.diff.comparison import kind_of
from memlsp.code.diff.sentences import LONGEST, clauses, sentence
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef
from memlsp.model.symbol import SymbolKind

D = DetailKind


def change(
    *details: Detail,
    old: str | None = "fetch",
    new: str | None = "fetch",
    old_path: str = "a.py",
    new_path: str = "a.py",
    kinds: tuple[ChangeKind, ...] = (),
    alternatives: tuple[SymbolRef, ...] = (),
    similarity: float = 0.8,
) -> SymbolChange:
    found = {kind_of(detail) for detail in details} | set(kinds)
    return SymbolChange(
        kinds=frozenset(found),
        old=None if old is None else SymbolRef(old_path, old, SymbolKind.FUNCTION),
        new=None if new is None else SymbolRef(new_path, new, SymbolKind.FUNCTION),
        details=details,
        similarity=similarity,
        alternatives=alternatives,
    )


def test_the_sentence_of_the_design_reads_as_written_there() -> None:
    said = sentence(
        change(
            Detail(D.PARAMETER_ADDED, "timeout", None, "timeout=30"),
            Detail(D.CALL_ADDED, "tenacity.retry", None, "tenacity.retry"),
            Detail(D.CATCH_REMOVED, "IOError", "IOError", None),
        )
    )
    assert said == "`fetch` gained `timeout=30`, now retries through `tenacity.retry`, no longer catches `IOError`."


def test_a_rename_alone_is_said_shortly() -> None:
    assert sentence(change(new="fetch_all", kinds=(ChangeKind.RENAMED,))) == "`fetch` renamed to `fetch_all`."


def test_a_constant_says_from_and_to() -> None:
    assert sentence(change(Detail(D.VALUE, "RATE", "0.2", "0.25"), old="RATE", new="RATE")) == (
        "`RATE` went from 0.2 to 0.25."
    )


def test_a_dependency_says_where_it_changed() -> None:
    detail = Detail(D.DEPENDENCY, "RATE", "0.2", "0.25", "pricing/rates.py")
    assert sentence(change(detail, old="compute_tax", new="compute_tax")) == (
        "`compute_tax` uses `RATE`, which went from 0.2 to 0.25 in pricing/rates.py."
    )


def test_a_pure_move_says_that_nothing_else_changed() -> None:
    said = sentence(
        change(old="Courier.deliver", new="Courier.deliver", new_path="b.py", kinds=(ChangeKind.MOVED,), similarity=1.0)
    )
    assert said == "`Courier.deliver` moved from a.py to b.py; nothing else changed."


def test_a_long_move_leaves_room_for_what_changed() -> None:
    name = "Configuration.read_the_settings_of_the_whole_workspace"
    old_path, new_path = (f"packages/configuration/{letter * 30}.py" for letter in "ab")
    returned = Detail(D.RETURN, "", "parse(file)", "parse(file, strict=True)")
    moved = (ChangeKind.MOVED,)
    said = sentence(change(returned, old=name, new=name, old_path=old_path, new_path=new_path, kinds=moved))
    assert said == f"`{name}` moved to {'b' * 30}.py, returns `…file, strict=True)` instead of `…file)`."


def test_cosmetic_changes_are_named_as_such() -> None:
    layout = sentence(change(kinds=(ChangeKind.COSMETIC,), similarity=1.0))
    assert layout == "Only comments and layout changed in `fetch`."
    rewritten = sentence(change(kinds=(ChangeKind.COSMETIC,), similarity=0.8))
    assert rewritten == "`fetch` is written in another way and does the same."
    assert sentence(change(Detail(D.DOCS, "", "a", "b"))) == "Only the documentation of `fetch` changed."
    assert sentence(change(Detail(D.HINT, "x", None, "int"))) == "Only type hints changed in `fetch`."


def test_added_and_removed_are_said() -> None:
    assert sentence(change(old=None, kinds=(ChangeKind.ADDED,))) == "Added `fetch`."
    assert sentence(change(new=None, kinds=(ChangeKind.REMOVED,))) == "Removed `fetch`."


def test_an_ambiguous_successor_is_not_guessed() -> None:
    others = (SymbolRef("a.py", "fetch_one", SymbolKind.FUNCTION), SymbolRef("b.py", "fetch_all", SymbolKind.FUNCTION))
    said = sentence(change(new=None, kinds=(ChangeKind.REMOVED,), alternatives=others))
    assert said == "`fetch` is gone; it could have become `fetch_one` or `fetch_all` in b.py."


def test_what_does_not_fit_is_counted() -> None:
    details = [Detail(D.CONDITION, "", f"value_{n} > limit_{n}", f"value_{n} >= limit_{n}") for n in range(9)]
    said = sentence(change(*details))
    assert len(said) <= LONGEST
    told = said.count(" instead of ")
    assert said.endswith(f" and {9 - told} more changes.")
    assert told >= 1


def test_a_literal_inside_a_quoted_condition_is_told_once() -> None:
    said = sentence(change(Detail(D.CONDITION, "", "n > 5", "n > 7"), Detail(D.LITERAL, "", "5", "7")))
    assert said == "`fetch` checks `n > 7` instead of `n > 5`."


def test_one_call_for_another_is_an_exchange() -> None:
    said = clauses(
        (
            Detail(D.CALL_ADDED, "httpx.get", None, "httpx.get"),
            Detail(D.CALL_REMOVED, "requests.get", "requests.get", None),
        )
    )
    assert said == ("calls `httpx.get` instead of `requests.get`",)


def test_a_path_that_markdown_would_read_is_put_into_code() -> None:
    said = sentence(
        change(old_path="pkg/__init__.py", new_path="pkg/plain_name.py", kinds=(ChangeKind.MOVED,), similarity=1.0)
    )
    assert said == "`fetch` moved from `pkg/__init__.py` to pkg/plain_name.py; nothing else changed."


_TEXTS = st.one_of(st.text(max_size=300), st.sampled_from(["`", "``x``", "a\n\nb", "\u202eabc", "x" * 500, "", "  "]))
_DETAILS = st.builds(
    Detail,
    kind=st.sampled_from(list(DetailKind)),
    name=_TEXTS,
    old=st.none() | _TEXTS,
    new=st.none() | _TEXTS,
    path=_TEXTS,
)
_REFS = st.none() | st.builds(SymbolRef, path=_TEXTS, name=_TEXTS, kind=st.sampled_from(list(SymbolKind)))
_CHANGES = st.builds(
    SymbolChange,
    kinds=st.frozensets(st.sampled_from(list(ChangeKind))),
    old=_REFS,
    new=_REFS,
    details=st.lists(_DETAILS, max_size=6).map(tuple),
    similarity=st.floats(0, 1),
    alternatives=st.lists(_REFS.filter(lambda ref: ref is not None), max_size=4).map(tuple),  # type: ignore[arg-type]
)


@given(_CHANGES)
def test_no_name_or_value_can_break_the_sentence(anything: SymbolChange) -> None:
    said = sentence(anything)
    assert 0 < len(said) <= LONGEST
    assert said.count("`") % 2 == 0
    assert "``" not in said
    assert not [c for c in said if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    # What stands outside of code spans is ours: words, numbers and harmless paths.
    outside = "".join(said.split("`")[::2])
    assert not set(outside) & set("*_[]<>!#|\\$\n") - {"_"}


@pytest.mark.parametrize("kind", list(DetailKind))
def test_every_kind_of_detail_but_docs_and_hints_has_a_clause(kind: DetailKind) -> None:
    said = clauses((Detail(kind, "x", "1 + a", "2 + b", "p.py"),))
    assert len(said) == (0 if kind in (D.DOCS, D.HINT) else 1)
