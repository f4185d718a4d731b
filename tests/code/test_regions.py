"""Regions: lines of files that we do not parse."""

from __future__ import annotations

from memlsp.code.syntax.regions import find_region, region, source_of
from memlsp.model.symbol import SymbolKind

TEXT = b"".join(b"line number %d of it\n" % number for number in range(40))


def test_a_region_is_the_line_with_three_around_it() -> None:
    found = region("a.txt", TEXT, 10)
    assert found.kind is SymbolKind.REGION
    assert found.name == "L11"
    assert (found.span.start_line, found.span.end_line, found.name_span.start_line) == (7, 13, 10)
    assert source_of(found, TEXT).startswith("line number 7 ")
    assert region("a.txt", TEXT, 0).span.start_line == 0
    assert region("a.txt", TEXT, 9999).span.end_line <= 40
    assert region("a.txt", b"", 3).name == "L1"


def test_a_region_is_found_again_where_its_lines_went() -> None:
    anchor = region("a.txt", TEXT, 10)
    moved = find_region(anchor, b"new one\n" * 5 + TEXT)
    assert moved is not None
    assert moved.name == "L16"
    assert moved.fingerprint.meaning == anchor.fingerprint.meaning


def test_a_region_is_found_again_after_a_small_edit() -> None:
    anchor = region("a.txt", TEXT, 10)
    found = find_region(anchor, TEXT.replace(b"line number 10 of it", b"line number ten of it"))
    assert found is not None
    assert found.name == "L11"
    assert found.fingerprint.meaning != anchor.fingerprint.meaning


def test_lines_that_are_gone_are_not_found() -> None:
    assert find_region(region("a.txt", TEXT, 10), b"something\nquite\nother\n" * 10) is None
    assert find_region(region("a.txt", TEXT, 10), b"") is None


def test_layout_is_nothing_to_a_region() -> None:
    anchor = region("a.txt", TEXT, 10)
    found = find_region(anchor, TEXT.replace(b"\n", b"  \r\n"))
    assert found is not None
    assert found.fingerprint.meaning == anchor.fingerprint.meaning
