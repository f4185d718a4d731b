"""The page that says how to add a language is followed: its file is taken from the page, and has to hold."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.sentences import sentence
from memlsp.code.languages import detection
from memlsp.code.languages.pack import descriptions
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind, DetailKind

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "add-a-language.md"
SOURCE = """local RATE = 0.2
local M = {}

--- Saves a thing.
function M.save(item, retries)
  local doubled = item * RATE
  for i = 1, retries do print(i, "saved") end
  if doubled == nil then error("nothing") end
  return doubled
end

function M:load() return self.item end
return M
"""

pytestmark = pytest.mark.skipif(not descriptions.is_installed(), reason="the extra `languages` is not installed")


@pytest.fixture(scope="module")
def lua() -> Language:
    """The value of the page's file."""
    (written,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    module = ModuleType("lua")
    exec(compile(written, str(PAGE), "exec"), module.__dict__)
    found: Language = module.__dict__["LUA"]
    return found


@pytest.fixture(autouse=True)
def known(lua: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's third step."""
    by_suffix: dict[str, list[Language]] = detection.__dict__["_BY_SUFFIX"]
    by_language: dict[str, Language] = detection.__dict__["_BY_LANGUAGE"]
    monkeypatch.setitem(by_suffix, ".lua", [lua])
    monkeypatch.setitem(by_language, "lua", lua)


def told(old: str, new: str) -> dict[str, tuple[frozenset[ChangeKind], str]]:
    """What an edit of the source says, by symbol."""
    assert old in SOURCE
    before, after = outline("a.lua", SOURCE.encode()), outline("a.lua", SOURCE.replace(old, new).encode())
    assert not after.has_errors
    changes = diff([before], [after])
    return {(c.new or c.old).name: (c.kinds, sentence(c)) for c in changes if c.new or c.old}  # type: ignore[union-attr]


def test_the_symbols_are_there_with_what_a_person_would_name() -> None:
    read = outline("a.lua", SOURCE.encode())
    assert [symbol.name for symbol in read.symbols] == ["", "RATE", "M", "M.save", "M.load"]
    save = read.find("M.save")
    assert save is not None
    assert [parameter.name for parameter in save.facts.parameters] == ["item", "retries"]
    assert save.facts.docs == "Saves a thing."
    assert save.facts.conditions == ("doubled == nil",)
    assert save.facts.raises == ("'nothing'",)
    assert save.facts.loops
    assert "RATE" in save.facts.uses


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  return doubled\n", "  -- done\n  return doubled\n"),
        ("  local doubled", "    local   doubled"),
        ('"saved"', "'saved'"),
        ("if doubled == nil then", "if (doubled == nil) then"),
        ("print(i,", "print(  i,"),
    ],
)
def test_what_says_nothing_says_nothing(old: str, new: str) -> None:
    for kinds, _ in told(old, new).values():
        assert kinds <= {ChangeKind.COSMETIC}


def test_a_renamed_local_says_nothing() -> None:
    for kinds, _ in told("doubled", "twice").values():
        assert kinds <= {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("old", "new", "kind", "words"),
    [
        ("1, retries", "2, retries", ChangeKind.BEHAVIOUR, ("2",)),
        ("doubled == nil", "doubled == 0", ChangeKind.BEHAVIOUR, ("0",)),
        ('error("nothing")', 'error("empty")', ChangeKind.BEHAVIOUR, ("empty",)),
        ('print(i, "saved")', 'log(i, "saved")', ChangeKind.BEHAVIOUR, ("log",)),
        ("(item, retries)", "(item, retries, wait)", ChangeKind.SIGNATURE, ("wait",)),
    ],
)
def test_what_means_something_else_is_told_by_name(
    old: str, new: str, kind: ChangeKind, words: tuple[str, ...]
) -> None:
    kinds, line = told(old, new)["M.save"]
    assert kind in kinds or (kind is ChangeKind.BEHAVIOUR and ChangeKind.LITERAL in kinds)
    for word in words:
        assert word in line


def test_a_constant_has_both_values_and_a_rename_is_a_rename() -> None:
    kinds, line = told("RATE = 0.2", "RATE = 0.25")["RATE"]
    assert kinds == {ChangeKind.LITERAL}
    assert "0.2 to 0.25" in line
    kinds, _ = told("M.save", "M.store")["M.store"]
    assert kinds == {ChangeKind.RENAMED}


def test_half_of_a_file_is_never_an_exception() -> None:
    for end in range(len(SOURCE)):
        read = outline("a.lua", SOURCE[:end].encode())
        assert read.symbols
        assert not any(d.kind is DetailKind.BODY for change in diff([read], [read]) for d in change.details)
