"""The languages of the `languages` extra, and documents and build files, by what an edit does to their symbols."""

from __future__ import annotations

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.sentences import sentence
from memlsp.code.languages.detection import language_of
from memlsp.code.languages.pack import descriptions
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind

# path, text in which 21 stands in the body of one symbol, that symbol, another one
SAMPLES = [
    (
        "a.lua",
        "local M = {}\nfunction M.save(a)\n  return a * 21\nend\nfunction M.load(a)\n  return a\nend\n",
        "M.save",
        "M.load",
    ),
    (
        "a.swift",
        "class Foo {\n  func save(a: Int) -> Int { return a * 21 }\n  func load() {}\n}\n",
        "Foo.save",
        "Foo.load",
    ),
    (
        "a.scala",
        "object Foo {\n  def save(a: Int): Int = a * 21\n  def load(a: Int): Int = a\n}\n",
        "Foo.save",
        "Foo.load",
    ),
    ("a.ex", "defmodule Foo do\n  def save(a), do: a * 21\n  def load(a), do: a\nend\n", "Foo.save", "Foo.load"),
    ("a.erl", "-module(foo).\nsave(A) -> A * 21.\nload(A) -> A.\n", "save", "load"),
    ("a.hs", "module Foo where\nsave :: Int -> Int\nsave a = a * 21\nload :: Int -> Int\nload a = a\n", "save", "load"),
    ("a.ml", "let save a = a * 21\nlet load a = a\n", "save", "load"),
    ("a.jl", "function save(a)\n  a * 21\nend\nfunction load(a)\n  a\nend\n", "save", "load"),
    ("a.r", "save <- function(a) {\n  a * 21\n}\nload <- function(a) {\n  a\n}\n", "save", "load"),
    ("a.pl", "sub save {\n  return $_[0] * 21;\n}\nsub load {\n  return 1;\n}\n", "save", "load"),
    ("a.dart", "class Foo {\n  int save(int a) { return a * 21; }\n}\nclass Bar {}\n", "Foo", "Bar"),
    (
        "a.zig",
        "fn save(a: i32) i32 {\n    return a * 21;\n}\nfn load(a: i32) i32 {\n    return a;\n}\n",
        "save",
        "load",
    ),
    ("a.nim", "proc save(a: int): int =\n  a * 21\n\nproc load(a: int): int =\n  a\n", "save", "load"),
    ("a.clj", "(defn save [a] (* a 21))\n(defn load [a] a)\n", "save", "load"),
    (
        "a.sol",
        "contract Foo {\n  function save(uint a) public returns (uint) { return a * 21; }\n  function load() {}\n}\n",
        "Foo.save",
        "Foo.load",
    ),
    ("a.tf", 'variable "save" {\n  default = 21\n}\nvariable "load" {\n  default = 1\n}\n', "save.default", "load"),
    ("a.sql", "CREATE TABLE save (id INT DEFAULT 21);\nCREATE TABLE load (id INT);\n", "save", "load"),
    (
        "a.proto",
        'syntax = "proto3";\nmessage Save { string name = 21; }\nmessage Load { string name = 1; }\n',
        "Save.name",
        "Load",
    ),
    ("a.graphql", "type Save { name(first: Int = 21): String }\ntype Load { name: String }\n", "Save.name", "Load"),
    ("a.css", ".save { margin: 21px }\n.load { margin: 1px }\n", ".save", ".load"),
    ("a.ps1", "function Save-It($a) { return $a * 21 }\nfunction Load-It($a) { return $a }\n", "Save-It", "Load-It"),
    ("a.fish", "function save\n  echo 21\nend\nfunction load\n  echo 1\nend\n", "save", "load"),
    (
        "a.vim",
        "function! Save(a)\n  return a:a * 21\nendfunction\nfunction! Load(a)\n  return 1\nendfunction\n",
        "Save",
        "Load",
    ),
    ("a.el", "(defun save (a) (* a 21))\n(defun load (a) a)\n", "save", "load"),
    ("a.elm", "module Foo exposing (..)\nsave a = a * 21\nload a = a\n", "save", "load"),
    (
        "CMakeLists.txt",
        "function(save a)\n  message(21)\nendfunction()\nfunction(load a)\nendfunction()\n",
        "save",
        "load",
    ),
    (
        "a.m",
        "@implementation Foo\n- (int)save:(int)a { return a * 21; }\n- (int)load:(int)a { return a; }\n@end\n",
        "Foo.save",
        "Foo.load",
    ),
    ("a.ini", "[main]\nsave = 21\nload = 1\n", "main.save", "main.load"),
    (
        "a.f90",
        "function save(a)\n  save = a * 21\nend function\nfunction load(a)\n  load = a\nend function\n",
        "save",
        "load",
    ),
    ("a.thrift", "struct Save { 1: i32 a = 21 }\nstruct Load { 1: i32 a }\n", "Save", "Load"),
    (
        "a.cu",
        "__global__ void save(int *a) { a[0] = 21; }\n__global__ void load(int *a) { a[0] = 1; }\n",
        "save",
        "load",
    ),
    ("README.md", "# Save\n\nWait 21 seconds.\n\n## Load\n\nAt once.\n", "Save", "Save.Load"),
    ("Dockerfile", "FROM debian\nARG save=21\nARG load=1\n", "save", "load"),
    ("Makefile", "save: a b\n\techo 21\nload:\n\techo 1\n", "save", "load"),
    (
        "a.vue",
        "<template><p/></template>\n<script>\nfunction save(a) { return a * 21 }\nfunction load() {}\n</script>\n",
        "save",
        "load",
    ),
    (
        "b.vue",
        '<script setup lang="ts">\nfunction save(a: number) { return a * 21 }\nfunction load() {}\n</script>\n',
        "save",
        "load",
    ),
    (
        "a.svelte",
        "<script>\n  function save(a) { return a * 21 }\n  function load() {}\n</script>\n<p>x</p>\n",
        "save",
        "load",
    ),
]


needs_extra = pytest.mark.skipif(not descriptions.is_installed(), reason="the extra `languages` is not installed")


@needs_extra
@pytest.mark.parametrize(("path", "source", "touched", "other"), SAMPLES, ids=[each[0] for each in SAMPLES])
def test_an_edit_in_a_body_is_told_of_its_symbol_and_of_no_other(
    path: str, source: str, touched: str, other: str
) -> None:
    before, after = outline(path, source.encode()), outline(path, source.replace("21", "34").encode())
    changed = {change.new.name: change for change in diff([before], [after]) if change.new}
    assert touched in changed
    assert changed[touched].alters_meaning
    told = sentence(changed[touched])
    assert "34" in told, told
    assert other not in changed
    assert before.find(other) is not None


@needs_extra
@pytest.mark.parametrize(("path", "source", "touched", "other"), SAMPLES, ids=[each[0] for each in SAMPLES])
def test_a_symbol_that_is_gone_is_told_and_half_typed_text_raises_nothing(
    path: str, source: str, touched: str, other: str
) -> None:
    whole = outline(path, source.encode())
    assert not diff([whole], [whole])
    gone = diff([whole], [outline(path, b"")])
    assert ChangeKind.REMOVED in {kind for change in gone for kind in change.kinds}
    for end in range(0, len(source), 7):
        assert outline(path, source[:end].encode()).symbols


@needs_extra
def test_every_listed_language_has_its_definitions_written_down() -> None:
    assert set(descriptions.names()) == set(descriptions.pack_tags())
    for name in descriptions.names():
        described = descriptions.described(name)
        assert described is not None, name
        assert described.tags().strip(), name


def test_a_component_without_a_script_is_its_text() -> None:
    before = outline("a.vue", b"<template>\n  <p>one</p>\n</template>\n")
    again = outline("a.vue", b"<template>\n    <p>one</p>\n</template>\n")
    other = outline("a.vue", b"<template>\n  <p>two</p>\n</template>\n")
    assert before.module.fingerprint.meaning == again.module.fingerprint.meaning
    assert before.module.fingerprint.meaning != other.module.fingerprint.meaning
    assert not before.has_errors


def test_a_script_in_another_language_is_not_read_as_javascript() -> None:
    read = outline("a.vue", b'<script lang="coffee">\nsave = (a) -> a\n</script>\n')
    assert [symbol.name for symbol in read.symbols] == [""]
    assert not read.has_errors


def test_rewrapping_a_paragraph_and_other_list_marks_say_nothing() -> None:
    before = outline("a.md", b"# A\n\nOne two\nthree.\n\n- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    after = outline("a.md", b"# A\n\nOne two three.\n\n* x\n* y\n\n| a   | b |\n|-----|---|\n| 1   | 2 |\n")
    assert before.module.fingerprint.meaning == after.module.fingerprint.meaning


def test_a_renamed_heading_and_a_renamed_stage_are_renames() -> None:
    (section,) = diff([outline("a.md", b"# A b\n\nText.\n")], [outline("a.md", b"# B c\n\nText.\n")])
    assert section.kinds == {ChangeKind.RENAMED}
    (stage,) = diff([outline("Dockerfile", b"FROM debian AS a\n")], [outline("Dockerfile", b"FROM debian AS b\n")])
    assert stage.kinds == {ChangeKind.RENAMED}


def test_a_file_of_no_known_language_has_none() -> None:
    assert language_of("a.unheard") is None
    assert language_of("a.cob") is None


@needs_extra
@pytest.mark.parametrize(("path", "source"), [each[:2] for each in SAMPLES], ids=[each[0] for each in SAMPLES])
def test_no_letter_or_digit_is_overlooked(path: str, source: str) -> None:
    meaning = outline(path, source.encode()).module.fingerprint.meaning
    for at in range(0, len(source), 3):
        if source[at].isalnum():
            other = source[:at] + ("7" if source[at] != "7" else "3") + source[at + 1 :]
            assert outline(path, other.encode()).module.fingerprint.meaning != meaning, source[at:]
