"""Java: what an edit does to the standing of a belief."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench, Edit, Row, check, moving, removing, replacing, rows, together

RATES = """
package shop;

public final class Rates {
    public static final double RATE = 0.20;
    public static final long MAX_BYTES = 5L * 1024 * 1024;

    public static double roundMoney(double amount, int digits) {
        return amount;
    }
}
"""

STATUS = """
package shop;

public enum Status {
    OPEN("open"),
    PAID("paid");

    private final String text;

    Status(String text) {
        this.text = text;
    }
}
"""

ORDERS = """
package shop;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.transaction.annotation.Transactional;

import static shop.Rates.RATE;

public class Orders extends Base implements Service {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private final int limit = 50;

    /** The tax on an amount. */
    public double computeTax(double amount, String country) {
        if (amount < 0) {
            throw new IllegalArgumentException("negative amount");
        }
        // the default rate
        double total = amount * RATE;
        return Rates.roundMoney(total, 2);
    }

    @Transactional
    public Order fetchOrder(String url) {
        validateToken(url);
        for (int attempt = 0; attempt < 3; attempt++) {
            Response response = client.get(url, TIMEOUT, "utf-8");
            if (response.status() == 404) {
                return null;
            }
            if (response.ok()) {
                return response.order();
            }
        }
        throw new IllegalStateException("gave up");
    }

    private void validateToken(String url) {
        if (url.isEmpty()) {
            throw new SecurityException(url);
        }
    }

    @Cacheable("countries")
    public String country(String code) {
        return repository.find(code);
    }

    public boolean notify(User user) {
        try {
            mailer.send(user.email());
        } catch (IOException problem) {
            log.warn("not sent");
            return false;
        }
        return true;
    }

    public List<Order> sorted(List<Order> orders) {
        return orders.stream().sorted(Comparator.comparing(Order::getDate)).toList();
    }

    public boolean upload(long size) {
        return size <= Rates.MAX_BYTES;
    }

    public synchronized void ship(Order order) {
        if (order.status() == Status.PAID) {
            order.ship();
        }
    }
}
"""

TAX = "computeTax applies the default 20 % rate"
FETCH = "fetchOrder tries three times with a timeout of 30 seconds and validates the token first"
PATH, OTHER = "src/shop/Orders.java", "src/shop/Rates.java"


def _orders(old: str, new: str) -> Edit:
    return replacing(PATH, old, new)


_MOVE = moving(
    PATH,
    "    /** The tax",
    "    @Transactional",
    "src/shop/Taxes.java",
    "package shop;\n\nimport static shop.Rates.RATE;\n\npublic class Taxes {\n",
    "}\n",
)


def _shuffle(bench: Bench) -> None:
    text = bench.read(PATH)
    first, last = text.index("    /** The tax"), text.index("    @Transactional")
    end = text.rindex("}")
    bench.write(PATH, text[:first] + text[last:end] + "\n" + text[first:last] + "}\n")


TABLE: dict[str, list[Row]] = {
    "current": [
        ("a comment", "Orders.computeTax", TAX, _orders("// the default rate", "/* as the law has it */")),
        ("a doc comment", "Orders.computeTax", TAX, _orders("The tax on an amount.", "25 % of an amount.")),
        (
            "layout",
            "Orders.computeTax",
            TAX,
            _orders("double total = amount * RATE;", "double total =\n            amount * RATE;"),
        ),
        ("parentheses", "Orders.computeTax", TAX, _orders("amount * RATE;", "(amount * RATE);")),
        ("a local's name", "Orders.computeTax", TAX, _orders("total", "tax")),
        (
            "import order",
            "Orders.computeTax",
            TAX,
            _orders(
                "import java.time.Duration;\nimport java.util.Comparator;",
                "import java.util.Comparator;\nimport java.time.Duration;",
            ),
        ),
        ("another method", "Orders.computeTax", TAX, _orders("getDate", "getPrice")),
        ("moved within", "Orders.computeTax", TAX, _shuffle),
        (
            "a method added",
            "Orders",
            "orders have a limit of 50",
            _orders(
                "    public boolean upload",
                "    public int size() {\n        return 1;\n    }\n\n    public boolean upload",
            ),
        ),
    ],
    "carried": [
        ("renamed", "Orders.computeTax", TAX, _orders("computeTax", "taxOn")),
        (
            "renamed with a comment",
            "Orders.computeTax",
            TAX,
            together(_orders("computeTax", "taxOn"), _orders("// the default", "// the usual")),
        ),
        ("moved to another class", "Orders.computeTax", TAX, _MOVE),
        ("the class renamed", "Orders.computeTax", TAX, _orders("class Orders", "class Sales")),
        (
            "the class and the file renamed",
            "Orders.computeTax",
            TAX,
            together(_orders("class Orders", "class Sales"), lambda bench: bench.move(PATH, "src/shop/Sales.java")),
        ),
        (
            "its body extracted",
            "Orders.computeTax",
            TAX,
            _orders(
                "        // the default rate\n        double total = amount * RATE;\n        return Rates.roundMoney(total, 2);\n    }",
                "        return roundedTax(amount);\n    }\n\n    private double roundedTax(double value) {\n        double total = value * RATE;\n        return Rates.roundMoney(total, 2);\n    }",
            ),
        ),
    ],
    "changed": [
        (
            "a log line",
            "Orders.fetchOrder",
            FETCH,
            _orders(
                "        validateToken(url);\n        for",
                "        validateToken(url);\n        log.info(url);\n        for",
            ),
        ),
        ("a condition", "Orders.computeTax", TAX, _orders("amount < 0", "amount <= 0")),
        ("a parameter added", "Orders.computeTax", TAX, _orders("String country)", "String country, boolean exempt)")),
        ("the callee's signature", "Orders.computeTax", TAX, replacing(OTHER, "int digits", "long digits")),
        ("an unmentioned annotation", "Orders.fetchOrder", FETCH, _orders("    @Transactional\n", "")),
    ],
    "contradicted": [
        ("the rate in another file", "Orders.computeTax", TAX, replacing(OTHER, "0.20", "0.25")),
        ("the attempts", "Orders.fetchOrder", FETCH, _orders("attempt < 3", "attempt < 5")),
        ("the timeout", "Orders.fetchOrder", FETCH, _orders("ofSeconds(30)", "ofSeconds(60)")),
        ("the timeout's unit", "Orders.fetchOrder", FETCH, _orders("ofSeconds(30)", "ofMinutes(30)")),
        (
            "the token no longer validated",
            "Orders.fetchOrder",
            FETCH,
            _orders("        validateToken(url);\n        for", "        for"),
        ),
        ("the annotation gone", "Orders.fetchOrder", "runs in a transaction", _orders("    @Transactional\n", "")),
        ("no longer cached", "Orders.country", "countries are cached", _orders('    @Cacheable("countries")\n', "")),
        (
            "null no longer returned",
            "Orders.fetchOrder",
            "returns null when it is missing",
            _orders("                return null;", '                throw new IllegalStateException("missing");'),
        ),
        ("the status", "Orders.fetchOrder", "returns null on 404", _orders("404", "410")),
        ("the encoding", "Orders.fetchOrder", "reads utf-8", _orders("utf-8", "latin-1")),
        (
            "the exception",
            "Orders.computeTax",
            "throws IllegalArgumentException for negative amounts",
            _orders("new IllegalArgumentException", "new IllegalStateException"),
        ),
        (
            "the check gone",
            "Orders.computeTax",
            "negative amounts are rejected",
            _orders(
                '        if (amount < 0) {\n            throw new IllegalArgumentException("negative amount");\n        }\n',
                "",
            ),
        ),
        (
            "the catch",
            "Orders.notify",
            "catches IOException and returns false",
            _orders("IOException", "TimeoutException"),
        ),
        ("the sort key", "Orders.sorted", "orders are sorted by date", _orders("getDate", "getPrice")),
        (
            "a product of constants",
            "Orders.upload",
            "files up to 5 MB are taken",
            replacing(OTHER, "5L * 1024", "9L * 1024"),
        ),
        ("the enum member used", "Orders.ship", "only paid orders are shipped", _orders("Status.PAID", "Status.OPEN")),
        (
            "no longer synchronized",
            "Orders.ship",
            "ship is synchronized",
            _orders("public synchronized void", "public void"),
        ),
        (
            "no longer private",
            "Orders.validateToken",
            "it is private",
            _orders("private void validateToken", "public void validateToken"),
        ),
        ("the base class gone", "Orders", "Orders extends Base", _orders("extends Base ", "")),
        ("the interface gone", "Orders", "it implements Service", _orders(" implements Service", "")),
        ("a field", "Orders", "there are at most 50 orders", _orders("limit = 50", "limit = 80")),
        (
            "never logs",
            "Orders.sorted",
            "sorted never logs",
            _orders("        return orders.stream()", '        log.info("sorting");\n        return orders.stream()'),
        ),
        (
            "the parameter's type",
            "Orders.computeTax",
            "the amount is a double",
            _orders("computeTax(double amount", "computeTax(BigDecimal amount"),
        ),
        ("moved, and the rate", "Orders.computeTax", TAX, together(_MOVE, replacing(OTHER, "0.20", "0.25"))),
    ],
    "orphaned": [
        ("deleted", "Orders.computeTax", TAX, removing(PATH, "    /** The tax", "    @Transactional")),
        ("its file deleted", "Orders.computeTax", TAX, lambda bench: bench.delete(PATH)),
    ],
}


@pytest.mark.parametrize(("symbol", "text", "edit", "standing"), rows(TABLE))
def test_an_edit_of_java_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    check(bench, {OTHER: RATES, PATH: ORDERS, "src/shop/Status.java": STATUS}, f"{PATH}#{symbol}", text, edit, standing)
