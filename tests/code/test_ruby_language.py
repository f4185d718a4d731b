"""Ruby: what is found, what it is called, what changes its meaning and what does not."""

from __future__ import annotations

import pytest

from memlsp.code.diff.comparison import compare
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind, DetailKind
from memlsp.model.symbol import SymbolKind

SOURCE = """\
# frozen_string_literal: true

require "json"
require_relative "rates"

module Shop
  LIMIT = 3
  TEXT = <<~EOS
    Dear %s,
      bye
  EOS

  Line = Struct.new(:item, :count) do
    def price = item * count
  end

  # Works out taxes.
  class Tax < Base::Thing
    include Comparable
    attr_accessor :name, :age

    def initialize(rate = RATE, *rest, tries: 3, **opts, &block)
      @rate = rate
    end

    def self.build(n) = new(n)

    class << self
      def empty; new(0); end
    end

    # The tax of an order.
    def compute(order)
      total = 0
      order.lines.each do |line|
        next unless line.taxable?
        total += line.price * @rate
      end
      raise ArgumentError, "negative: #{total}" if total < 0
      log(:info, text: "done", level: 2)
      total.round
    rescue IOError, Net::Timeout => error
      warn error
      nil
    end

    def report(order)
      body = <<~EOS
        Order #{order.id}
        in full
      EOS
      body.lines.grep(/^in \\w+/) { |line| line.strip }
    end

    private

    def hidden?(a) = a > LIMIT

    define_method(:made) { |x| x }
  end
end
"""


@pytest.fixture(scope="module")
def shop() -> Outline:
    return outline("shop.rb", SOURCE.encode())


Told = tuple[object, ...]


def _both(name: str, old: str, new: str, shop: Outline) -> tuple[frozenset[ChangeKind], list[Told]]:
    assert old in SOURCE
    before, after = shop.find(name), outline("shop.rb", SOURCE.replace(old, new).encode()).find(name)
    assert before is not None
    assert after is not None
    change = compare(before, after)
    return change.kinds, [(each.kind, each.name, each.old, each.new) for each in change.details]


def test_every_kind_of_definition_has_its_name_and_kind(shop: Outline) -> None:
    assert not shop.has_errors
    kinds = {symbol.name: symbol.kind for symbol in shop.symbols[1:]}
    assert kinds == {
        "Shop": SymbolKind.CLASS,
        "Shop.LIMIT": SymbolKind.CONSTANT,
        "Shop.TEXT": SymbolKind.CONSTANT,
        "Shop.Line": SymbolKind.CLASS,
        "Shop.Line.price": SymbolKind.METHOD,
        "Shop.Tax": SymbolKind.CLASS,
        "Shop.Tax.name": SymbolKind.FIELD,
        "Shop.Tax.age": SymbolKind.FIELD,
        "Shop.Tax.initialize": SymbolKind.METHOD,
        "Shop.Tax.build": SymbolKind.METHOD,
        "Shop.Tax.empty": SymbolKind.METHOD,
        "Shop.Tax.compute": SymbolKind.METHOD,
        "Shop.Tax.report": SymbolKind.METHOD,
        "Shop.Tax.hidden?": SymbolKind.METHOD,
        "Shop.Tax.made": SymbolKind.METHOD,
    }


def test_a_method_says_what_it_takes_calls_raises_and_answers(shop: Outline) -> None:
    compute, made, hidden = (shop.find(f"Shop.Tax.{name}") for name in ("compute", "initialize", "hidden?"))
    assert compute is not None
    facts = compute.facts
    assert facts.docs == "The tax of an order."
    assert facts.raises == ("ArgumentError",)
    assert facts.catches == ("IOError", "Net.Timeout")
    assert facts.conditions == ("unless line.taxable?", "total < 0")
    assert facts.loops == ("for line in order.lines",)
    assert facts.returns == ("total.round",)
    assert [(each.name, each.value) for each in facts.values] == [("total", "0"), ("text", "'done'"), ("level", "2")]
    assert made is not None
    assert [(p.name, p.default) for p in made.facts.parameters] == [
        ("rate", "RATE"),
        ("*rest", None),
        ("tries:", "3"),
        ("**opts", None),
        ("&block", None),
    ]
    assert hidden is not None
    assert hidden.facts.modifiers == ("private",)
    assert hidden.facts.returns == ("a > LIMIT",)


def test_a_plain_heredoc_is_the_string_that_a_constant_holds(shop: Outline) -> None:
    text = shop.find("Shop.TEXT")
    assert text is not None
    assert text.facts.literals == ("'Dear %s,\\n  bye\\n'",)
    kinds, _ = _both("Shop.TEXT", "  bye\n", "  goodbye\n", shop)
    assert ChangeKind.LITERAL in kinds
    kinds, _ = _both("Shop.TEXT", "    Dear %s,\n      bye\n", "      Dear %s,\n        bye\n", shop)
    assert not kinds


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Shop.Tax.compute",
         "each do |line|\n        next unless line.taxable?\n        total += line.price * @rate\n      end",
         "each { |each|\n        next unless each.taxable?\n        total += (each.price * @rate) }"),
        ("Shop.Tax.compute", 'log(:info, text: "done", level: 2)', "log :info, :text => 'done', level: 2"),
        ("Shop.Tax.compute", "rescue IOError, Net::Timeout => error\n      warn error",
         "rescue IOError, Net::Timeout => problem\n      warn(problem) # loud"),
        ("Shop.Tax.report",
         "      body = <<~EOS\n        Order #{order.id}\n        in full\n      EOS\n      body.lines",
         "      text = <<~END\n          Order #{order.id}\n          in full\n      END\n      text.lines"),
        ("Shop.Tax.hidden?", "    private\n\n    def hidden?(a) = a > LIMIT", "    private def hidden?(b) = b > LIMIT"),
        ("Shop.Tax.build", "def self.build(n) = new(n)", "def self.build(count) = new(count)"),
    ],
)  # fmt: skip
def test_spelling_says_nothing(shop: Outline, name: str, old: str, new: str) -> None:
    kinds, _ = _both(name, old, new, shop)
    assert kinds <= {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("Shop.Tax.initialize", "tries: 3", "tries: 5", (DetailKind.DEFAULT, "tries:", "3", "5")),
        ("Shop.Tax.initialize", "tries: 3", "turns: 3", (DetailKind.PARAMETER_RENAMED, "turns:", "tries:", "turns:")),
        ("Shop.Tax.report", "    private\n\n", "", None),
        ("Shop.Tax.hidden?", "    private\n\n", "", (DetailKind.MODIFIER_REMOVED, "private", "private", None)),
        ("Shop.Tax.compute", "unless line", "if line",
         (DetailKind.CONDITION, "", "unless line.taxable?", "line.taxable?")),
        ("Shop.Tax.compute", "raise ArgumentError", "raise RangeError",
         (DetailKind.RAISE_ADDED, "RangeError", None, "RangeError")),
        ("Shop.Tax.report", "in full", "in part",
         (DetailKind.LITERAL, "", '"Order #{}\\nin full\\n"', '"Order #{}\\nin part\\n"')),
        ("Shop.Tax.age", "attr_accessor :name, :age", "attr_reader :name, :age",
         (DetailKind.MODIFIER_ADDED, "attr_reader", None, "attr_reader")),
        ("Shop.Tax", "include Comparable", "include Enumerable",
         (DetailKind.BASE_REMOVED, "Comparable", "Comparable", None)),
    ],
)  # fmt: skip
def test_meaning_is_told(shop: Outline, name: str, old: str, new: str, told: tuple[object, ...] | None) -> None:
    kinds, details = _both(name, old, new, shop)
    if told is None:
        assert not kinds
    else:
        assert told in details


def test_quotes_differ_only_where_something_is_escaped_or_interpolated() -> None:
    def meaning(text: str) -> str:
        found = outline("a.rb", f"def f\n  say({text})\nend\n".encode()).find("f")
        assert found is not None
        return found.fingerprint.meaning

    assert meaning('"it\'s"') == meaning("'it\\'s'") == meaning("%q(it's)")
    assert meaning('"a\\nb"') != meaning("'a\\nb'")
    assert meaning('"a\\\\nb"') == meaning("'a\\nb'")
    assert meaning('"#{a}"') != meaning("'#{a}'")


def test_a_constant_of_a_required_file_is_known_inside_its_module() -> None:
    files = {
        "lib/shop.rb": 'require_relative "rates"\nmodule Shop\n  def self.tax(x) = x * Rates::FULL + LIMIT\nend\n',
        "lib/rates.rb": "module Shop\n  LIMIT = 9\n  module Rates\n    FULL = 19\n  end\nend\n",
    }
    outlines = {path: outline(path, text.encode()) for path, text in files.items()}
    symbol = outlines["lib/shop.rb"].find("Shop.tax")
    assert symbol is not None
    found = dependencies(symbol, outlines["lib/shop.rb"], outlines.get)
    assert [(each.symbol, each.value) for each in found] == [("Shop.LIMIT", "9"), ("Shop.Rates.FULL", "19")]


def test_files_without_a_suffix_are_known_by_name_or_first_line() -> None:
    assert language_of("Rakefile") == language_of("sub/Gemfile") == "ruby"
    assert language_of("bin/tool", b"#!/usr/bin/env ruby\nputs 1\n") == "ruby"


@pytest.mark.parametrize("cut", range(0, len(SOURCE), 41))
def test_half_typed_text_has_an_outline(cut: int) -> None:
    assert outline("shop.rb", SOURCE[:cut].encode()).symbols
