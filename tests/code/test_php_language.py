"""PHP: what is found, what it is called, what changes its meaning and what does not."""

from __future__ import annotations

import pytest

from memlsp.code.diff.comparison import compare
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind, DetailKind
from memlsp.model.symbol import SymbolKind

SOURCE = r"""<html><?= $title ?></html>
<?php
declare(strict_types=1);
namespace App\Shop;

use App\Rates\{Rate, Other as O};

define('LIMIT', 3);
const GRACE = 3;
$debug = false;

/** A tax. */
#[Entity('taxes')]
final class Tax extends Base implements Countable
{
    use Loggable;

    public const RATE = 0.2;
    private static ?int $made = 0;

    public function __construct(private readonly Rate $rate, protected int $tries = 3)
    {
    }

    public function compute(Order $order, ?float $extra = null, int ...$more): float
    {
        $total = 0;
        foreach ($order->lines as $key => $line) {
            if ($line->taxable && $line->price > 0) {
                $total += $line->price * self::RATE;
            }
        }
        $kind = match (true) {
            $total > 100 => 'large',
            default => throw new RangeException("small $total"),
        };
        try {
            $this->log->note($kind, level: 2);
        } catch (IOException | TimeoutException $problem) {
            return -1.0;
        }
        return round($total + ($extra ?? 0.5), 2);
    }

    public static function text(string $name): string
    {
        return <<<EOT
            Dear $name,
              bye
            EOT;
    }
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    public function red(): bool
    {
        return $this === self::Hearts;
    }
}

interface Sender { public function send(string $to): void; }
trait Named { protected string $name = 'x'; }
function top(array $rows): array { return array_map(fn ($row) => $row['id'], $rows); }
"""


@pytest.fixture(scope="module")
def shop() -> Outline:
    return outline("shop.php", SOURCE.encode())


Told = tuple[object, ...]


def _both(name: str, old: str, new: str, shop: Outline) -> tuple[frozenset[ChangeKind], list[Told]]:
    assert old in SOURCE
    before, after = shop.find(name), outline("shop.php", SOURCE.replace(old, new).encode()).find(name)
    assert before is not None
    assert after is not None
    change = compare(before, after)
    return change.kinds, [(each.kind, each.name, each.old, each.new) for each in change.details]


def test_every_kind_of_definition_has_its_name_and_kind(shop: Outline) -> None:
    assert not shop.has_errors
    kinds = {symbol.name: symbol.kind for symbol in shop.symbols[1:]}
    assert kinds == {
        "LIMIT": SymbolKind.CONSTANT,
        "GRACE": SymbolKind.CONSTANT,
        "debug": SymbolKind.CONSTANT,
        "Tax": SymbolKind.CLASS,
        "Tax.RATE": SymbolKind.CONSTANT,
        "Tax.made": SymbolKind.FIELD,
        "Tax.__construct": SymbolKind.METHOD,
        "Tax.rate": SymbolKind.FIELD,
        "Tax.tries": SymbolKind.FIELD,
        "Tax.compute": SymbolKind.METHOD,
        "Tax.text": SymbolKind.METHOD,
        "Suit": SymbolKind.ENUM,
        "Suit.Hearts": SymbolKind.MEMBER,
        "Suit.Spades": SymbolKind.MEMBER,
        "Suit.red": SymbolKind.METHOD,
        "Sender": SymbolKind.INTERFACE,
        "Sender.send": SymbolKind.METHOD,
        "Named": SymbolKind.CLASS,
        "Named.name": SymbolKind.FIELD,
        "top": SymbolKind.FUNCTION,
    }


def test_a_method_says_what_it_takes_calls_throws_and_answers(shop: Outline) -> None:
    compute, tax = shop.find("Tax.compute"), shop.find("Tax")
    assert compute is not None
    facts = compute.facts
    assert [(p.name, p.type, p.default) for p in facts.parameters] == [
        ("$order", "Order", None),
        ("$extra", "?float", "null"),
        ("...$more", "int", None),
    ]
    assert facts.return_type == "float"
    assert facts.raises == ("RangeException",)
    assert facts.catches == ("IOException", "TimeoutException")
    assert facts.conditions == ("$line->taxable && $line->price > 0", "true", "$total > 100")
    assert facts.loops == ("foreach $order->lines as $key => $line",)
    assert facts.returns == ("-1.0", "round($total + ($extra ?? 0.5), 2)")
    assert "$this.log.note" in facts.calls
    assert ("level", "2") in [(each.name, each.value) for each in facts.values]
    assert tax is not None
    assert tax.facts.bases == ("Base", "Countable", "Loggable")
    assert tax.facts.decorators == ("Entity('taxes')",)
    assert tax.facts.docs == "A tax."


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Tax.compute",
         "foreach ($order->lines as $key => $line) {\n            if ($line->taxable && $line->price > 0) {",
         "foreach ($order->lines as $each => $line) {\n            if (($line->taxable && $line->price > 0)) { // all"),
        ("Tax.compute", '"small $total"', '"small {$total}"'),
        ("Tax.compute", "'large'", '"large"'),
        ("Tax.compute", "level: 2)", "level: 0x2,)"),
        ("Tax.compute", "public function compute(Order $order,", "function compute(Order $cart,"),
        ("Tax.text", "<<<EOT\n            Dear $name,\n              bye\n            EOT",
         '<<<"END"\n            Dear {$name},\n              bye\n            END'),
        ("top", "fn ($row) => $row['id']", 'fn ($one) => $one["id"]'),
        ("top", "$rows", "$all"),
        ("Suit.red", "{\n        return $this === self::Hearts;\n    }", "{ return ($this === self::Hearts); }"),
    ],
)  # fmt: skip
def test_spelling_says_nothing(shop: Outline, name: str, old: str, new: str) -> None:
    if "$cart" in new:
        text = SOURCE.replace(old, new).replace("$order->", "$cart->")
        before, after = shop.find(name), outline("shop.php", text.encode()).find(name)
        assert before is not None
        assert after is not None
        assert before.fingerprint.meaning == after.fingerprint.meaning
        assert before.fingerprint.signature == after.fingerprint.signature
        return
    kinds, _ = _both(name, old, new, shop)
    assert kinds <= {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("Tax.__construct", "int $tries = 3", "int $tries = 5", (DetailKind.DEFAULT, "$tries", "3", "5")),
        ("Tax.tries", "protected int $tries", "private int $tries",
         (DetailKind.MODIFIER_ADDED, "private", None, "private")),
        ("Tax.compute", "?float $extra", "float $extra", (DetailKind.TYPE, "$extra", "?float", "float")),
        ("Tax.compute", "new RangeException", "new \\LogicException",
         (DetailKind.RAISE_ADDED, "LogicException", None, "LogicException")),
        ("Tax.compute", "IOException | TimeoutException", "IOException",
         (DetailKind.CATCH_REMOVED, "TimeoutException", "TimeoutException", None)),
        ("Tax.compute", "$total > 100", "$total > 50", (DetailKind.CONDITION, "", "$total > 100", "$total > 50")),
        ("Tax", "    use Loggable;\n", "", (DetailKind.BASE_REMOVED, "Loggable", "Loggable", None)),
        ("Suit.Hearts", "'H'", "'h'", (DetailKind.VALUE, "Hearts", "'H'", "'h'")),
        ("LIMIT", "'LIMIT', 3", "'LIMIT', 4", (DetailKind.VALUE, "LIMIT", "3", "4")),
    ],
)  # fmt: skip
def test_meaning_is_told(shop: Outline, name: str, old: str, new: str, told: Told) -> None:
    _, details = _both(name, old, new, shop)
    assert told in details


def test_quotes_differ_only_where_something_is_escaped_or_named() -> None:
    def meaning(text: str) -> str:
        found = outline("a.php", f"<?php function f($a) {{ return {text}; }}".encode()).find("f")
        assert found is not None
        return found.fingerprint.meaning

    assert meaning('"it\'s 5 $"') == meaning("'it\\'s 5 $'")
    assert meaning('"$a"') != meaning("'$a'")
    assert meaning('"a\\n"') != meaning("'a\\n'")


def test_an_imported_class_and_a_required_constant_are_what_a_function_depends_on() -> None:
    files = {
        "src/Shop/Tax.php": "<?php\nuse App\\Rates\\Rate;\nrequire_once __DIR__ . '/limits.php';\n"
        "function f() { return Rate::FULL + LIMIT; }\n",
        "src/Rates/Rate.php": "<?php\nnamespace App\\Rates;\nclass Rate { const FULL = 19; }\n",
        "src/Shop/limits.php": "<?php\ndefine('LIMIT', 7);\n",
    }
    outlines = {path: outline(path, text.encode()) for path, text in files.items()}
    symbol = outlines["src/Shop/Tax.php"].find("f")
    assert symbol is not None
    found = dependencies(symbol, outlines["src/Shop/Tax.php"], outlines.get)
    assert [(each.path, each.symbol, each.value) for each in found] == [
        ("src/Shop/limits.php", "LIMIT", "7"),
        ("src/Rates/Rate.php", "Rate.FULL", "19"),
    ]


def test_a_script_is_known_by_its_first_line() -> None:
    assert language_of("bin/console", b"#!/usr/bin/env php\n<?php\n") == "php"


@pytest.mark.parametrize("cut", range(0, len(SOURCE), 47))
def test_half_typed_text_has_an_outline(cut: int) -> None:
    assert outline("shop.php", SOURCE[:cut].encode()).symbols
