"""Kotlin: what is found, what it is called, what changes its meaning and what does not."""

from __future__ import annotations

import pytest

from memlsp.code.diff.comparison import compare
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind, DetailKind
from memlsp.model.symbol import SymbolKind

SOURCE = """\
package org.example

import java.time.Duration
import org.example.rates.RATE as rate

/** The most. */
const val LIMIT = 3
typealias Id = String

enum class Colour(val code: Int) { RED(1), GREEN(2) }

interface Sender { fun send(to: String): Boolean }

/** A box. */
data class Box<T : Any>(val name: String = "box", private var size: Int, tag: Int = 0) : Base(name), Sender {
    lateinit var owner: String
    val label: String get() = "$name!"
    init { require(size > 0) { "no size" } }
    constructor(size: Int) : this("box", size)

    @Throws(IllegalStateException::class)
    override suspend fun open(key: String?, tries: Int = LIMIT): T? {
        for (n in 1..tries) {
            val found = store[n] ?: continue
            if (found.fits(key)) return found
        }
        val kind = when (size) {
            0 -> "empty"
            in 1..3 -> "small"
            else -> throw IllegalStateException("size $size of $name")
        }
        try {
            log(kind, level = 2)
        } catch (e: IOException) {
            return null
        }
        return null
    }

    override fun send(to: String) = post(to).also { sent -> note(sent) }

    companion object {
        const val WIDTH = 10
        fun small() = Box<Any>(1)
    }
}

object Registry { val known = mapOf("retries" to 5) }

fun String.shout(): String = uppercase() + "!"
"""


@pytest.fixture(scope="module")
def box() -> Outline:
    return outline("Box.kt", SOURCE.encode())


def test_every_kind_of_definition_has_its_name_and_kind(box: Outline) -> None:
    assert not box.has_errors
    kinds = {symbol.name: symbol.kind for symbol in box.symbols[1:]}
    assert kinds == {
        "LIMIT": SymbolKind.CONSTANT,
        "Id": SymbolKind.TYPE,
        "Colour": SymbolKind.ENUM,
        "Colour.code": SymbolKind.FIELD,
        "Colour.RED": SymbolKind.MEMBER,
        "Colour.GREEN": SymbolKind.MEMBER,
        "Sender": SymbolKind.INTERFACE,
        "Sender.send": SymbolKind.METHOD,
        "Box": SymbolKind.CLASS,
        "Box.name": SymbolKind.FIELD,
        "Box.size": SymbolKind.FIELD,
        "Box.owner": SymbolKind.FIELD,
        "Box.label": SymbolKind.FIELD,
        "Box.constructor": SymbolKind.METHOD,
        "Box.open": SymbolKind.METHOD,
        "Box.send": SymbolKind.METHOD,
        "Box.WIDTH": SymbolKind.CONSTANT,
        "Box.small": SymbolKind.METHOD,
        "Registry": SymbolKind.CLASS,
        "Registry.known": SymbolKind.CONSTANT,
        "String.shout": SymbolKind.METHOD,
    }


def test_a_function_says_what_it_takes_calls_throws_and_answers(box: Outline) -> None:
    opened = box.find("Box.open")
    assert opened is not None
    facts = opened.facts
    assert [(p.name, p.type, p.default) for p in facts.parameters] == [
        ("key", "String?", None),
        ("tries", "Int", "LIMIT"),
    ]
    assert facts.return_type == "T?"
    assert facts.modifiers == ("override", "suspend")
    assert facts.decorators == ("Throws(IllegalStateException::class)",)
    assert facts.calls == ("found.fits", "IllegalStateException", "log")
    assert facts.raises == ("IllegalStateException",)
    assert facts.catches == ("IOException",)
    assert facts.conditions == ("found.fits(key)", "size", "0", "in 1..3")
    assert facts.loops == ("for n in 1..tries",)
    assert facts.returns == ("found", "null", "null")
    assert '"size $size of $name"' in facts.literals
    assert [(value.name, value.value) for value in facts.values] == [("level", "2")]


def test_an_expression_body_is_what_it_returns_and_a_class_has_its_constructors_parameters(box: Outline) -> None:
    shout, made = box.find("String.shout"), box.find("Box")
    assert shout is not None
    assert shout.facts.returns == ("uppercase() + '!'",)
    assert made is not None
    assert [p.name for p in made.facts.parameters] == ["name", "size", "tag"]
    assert made.facts.bases == ("Base", "Sender")
    assert made.facts.docs == "A box."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("val found = store[n] ?: continue\n            if (found.fits(key)) return found",
         "val hit = store[n] ?: continue\n            if (hit.fits(key)) { return (hit) }"),
        ('"size $size of $name"', '"size ${size} of ${name}"'),
        ('"small"', '"""small"""'),
        ("tries: Int = LIMIT): T?", "tries: Int = LIMIT,\n    ): T?"),
        ("for (n in 1..tries)", "for (each in 1..tries)"),
        ("log(kind, level = 2)", "log(kind, level = 0x2,); // loud"),
    ],
)  # fmt: skip
def test_spelling_says_nothing(box: Outline, old: str, new: str) -> None:
    text = SOURCE.replace(old, new)
    if "each" in new:
        text = text.replace("store[n]", "store[each]")
    assert text != SOURCE
    before, after = box.find("Box.open"), outline("Box.kt", text.encode()).find("Box.open")
    assert before is not None
    assert after is not None
    assert compare(before, after).kinds <= {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("Box.open", "tries: Int = LIMIT", "tries: Int = 5", (DetailKind.DEFAULT, "tries", "LIMIT", "5")),
        ("Box.open", "): T? {", "): T {", (DetailKind.RETURN_TYPE, "", "T?", "T")),
        ("Box.open", "override suspend fun", "override fun", (DetailKind.MODIFIER_REMOVED, "suspend", "suspend", None)),
        ("Box.open", "in 1..3 ->", "in 1..4 ->", (DetailKind.CONDITION, "", "in 1..3", "in 1..4")),
        ("Box.open", "(e: IOException)", "(e: Exception)", (DetailKind.CATCH_ADDED, "Exception", None, "Exception")),
        ("Box.send", "fun send(to: String) = post(to)", "fun send(who: String) = post(who)",
         (DetailKind.PARAMETER_RENAMED, "who", "to", "who")),
        ("Box.WIDTH", "WIDTH = 10", "WIDTH = 12", (DetailKind.VALUE, "WIDTH", "10", "12")),
        ("Colour.RED", "RED(1)", "RED(7)", (DetailKind.VALUE, "RED", "(1)", "(7)")),
    ],
)  # fmt: skip
def test_meaning_is_told(
    box: Outline, name: str, old: str, new: str, told: tuple[DetailKind, str, str | None, str | None]
) -> None:
    before, after = box.find(name), outline("Box.kt", SOURCE.replace(old, new).encode()).find(name)
    assert before is not None
    assert after is not None
    assert told in [(each.kind, each.name, each.old, each.new) for each in compare(before, after).details]


def test_a_companions_constant_and_a_neighbours_are_what_a_function_depends_on() -> None:
    files = {
        "shop/A.kt": "class A {\n    fun f() = WIDTH + B_LIMIT\n\n    companion object { const val WIDTH = 1 }\n}\n",
        "shop/B.kt": "package shop\n\nconst val B_LIMIT = 5\n",
    }
    outlines = {path: outline(path, text.encode()) for path, text in files.items()}
    symbol = outlines["shop/A.kt"].find("A.f")
    assert symbol is not None
    found = dependencies(symbol, outlines["shop/A.kt"], outlines.get, siblings=["shop/B.kt"])
    assert [(each.path, each.symbol, each.value) for each in found] == [
        ("shop/B.kt", "B_LIMIT", "5"),
        ("shop/A.kt", "A.WIDTH", "1"),
    ]


def test_names_in_backticks_go_without_them_and_short_bodies_need_no_line_break() -> None:
    found = outline("a.kt", b"class `-Reader` { fun `reads all`() = 1 }\nobject B { val x = 1 }\n")
    assert not found.has_errors
    assert [symbol.name for symbol in found.symbols[1:]] == ["-Reader", "-Reader.reads all", "B", "B.x"]


@pytest.mark.parametrize("cut", range(0, len(SOURCE), 37))
def test_half_typed_text_has_an_outline(cut: int) -> None:
    assert outline("Box.kt", SOURCE[:cut].encode()).symbols
