"""JavaScript and TypeScript: what an edit does to the standing of a belief."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench, Edit, Row, check, moving, removing, replacing, rows, together

RATES = """
export const RATE = 0.20;
export const MAX_BYTES = 5 * 1024 * 1024;
export const Status = Object.freeze({ OPEN: "open", PAID: "paid" });

export function roundMoney(amount, digits = 2) {
  return Number(amount.toFixed(digits));
}

export class Base {
  check(value) {
    return Boolean(value);
  }
}
"""

ORDERS = """
import axios from "axios";
import { MAX_BYTES, RATE, Base, Status, roundMoney } from "./rates";

const TIMEOUT_MS = 30000;

/** The tax on an amount. */
export function computeTax(amount, country = "DE") {
  if (amount < 0) {
    throw new RangeError("negative amount");
  }
  // the default rate
  const total = amount * RATE;
  return roundMoney(total);
}

export const fetchOrder = async (url, { retries = 3, verify = true } = {}) => {
  validateToken(url);
  for (let attempt = 0; attempt < retries; attempt++) {
    const response = await axios.get(url, { timeout: TIMEOUT_MS, encoding: "utf-8", verify });
    if (response.status === 404) {
      return null;
    }
    if (response.ok) {
      return response.data;
    }
  }
  throw new Error("gave up");
};

function validateToken(url) {
  if (!url.includes("token")) {
    throw new TypeError(url);
  }
}

export async function notify(user, channel = "mail") {
  try {
    await send(channel, user.email);
  } catch (error) {
    console.warn("not sent", error);
    return false;
  }
  return true;
}

export function sortOrders(orders) {
  return [...orders].sort((a, b) => a.date - b.date);
}

export function upload(file) {
  if (file.size > MAX_BYTES) {
    return "too large";
  }
  return file.store();
}

export const shelf = createShelf("shelf", {
  actions: {
    restock(count = 20) {
      if (count > 90) {
        throw new RangeError("too many boxes");
      }
      return this.boxes.fill(count);
    },
  },
});

export class Cart extends Base {
  limit = 50;

  constructor(owner) {
    super();
    this.owner = owner;
    this.items = [];
  }

  add(item, count = 1) {
    if (this.items.length >= this.limit) {
      throw new RangeError("cart is full");
    }
    this.items.push([item, count]);
    return this;
  }

  total() {
    return this.items.reduce((sum, [item, count]) => sum + item.price * count, 0);
  }
}
"""

TAX = "computeTax applies the default 20 % rate"
FETCH = "fetchOrder retries three times with a timeout of 30 seconds and validates the token first"
CART = "a cart holds at most 50 items"
SHELF = "restock takes 20 boxes by default and refuses more than 90"


def table(ending: str) -> dict[str, list[Row]]:
    path, rates = f"shop/orders.{ending}", f"shop/rates.{ending}"

    def orders(old: str, new: str) -> Edit:
        return replacing(path, old, new)

    move = moving(
        path,
        "/** The tax",
        "export const fetchOrder",
        f"shop/taxes.{ending}",
        'import { RATE, roundMoney } from "./rates";\n',
    )
    return {
        "current": [
            ("a comment", "computeTax", TAX, orders("// the default rate", "// as the law\n  // has it")),
            ("a doc comment", "computeTax", TAX, orders("The tax on an amount.", "VAT of 25 %.")),
            ("layout", "computeTax", TAX, orders("const total = amount * RATE;", "const total =\n    amount * RATE;")),
            ("quotes", "computeTax", TAX, orders('"negative amount"', "'negative amount'")),
            ("parentheses", "computeTax", TAX, orders("amount * RATE;", "(amount * RATE);")),
            ("a local's name", "computeTax", TAX, orders("total", "tax")),
            ("a trailing comma", "fetchOrder", FETCH, orders("verify });", "verify, });")),
            ("semicolons", "computeTax", TAX, orders("amount * RATE;", "amount * RATE")),
            ("import order", "computeTax", TAX, orders("MAX_BYTES, RATE, Base", "Base, MAX_BYTES, RATE")),
            ("another function", "computeTax", TAX, orders("a.date - b.date", "b.date - a.date")),
            ("another function of a handed object", "shelf.actions.restock", SHELF, orders("a.date - b", "b.date - a")),
            ("moved within", "computeTax", TAX, moving(path, "/** The tax", "export const fetchOrder", path)),
            (
                "a method added",
                "Cart",
                CART,
                orders("  total() {", "  clear() {\n    this.items = [];\n  }\n\n  total() {"),
            ),
            ("the rate spelt otherwise", "computeTax", TAX, replacing(rates, "0.20", "0.2")),
        ],
        "carried": [
            ("renamed", "computeTax", TAX, orders("computeTax", "taxOn")),
            (
                "renamed with a comment",
                "computeTax",
                TAX,
                together(orders("computeTax", "taxOn"), orders("// the default", "// the usual")),
            ),
            ("an arrow function renamed", "fetchOrder", FETCH, orders("fetchOrder", "loadOrder")),
            ("moved to another file", "computeTax", TAX, move),
            (
                "the class renamed",
                "Cart.add",
                "add throws RangeError when the cart is full",
                orders("class Cart", "class Basket"),
            ),
            ("what holds it renamed", "shelf.actions.restock", SHELF, orders("const shelf", "const store")),
            ("the file renamed", "computeTax", TAX, lambda bench: bench.move(path, f"shop/sales.{ending}")),
            (
                "its body extracted",
                "computeTax",
                TAX,
                orders(
                    "  const total = amount * RATE;\n  return roundMoney(total);\n}",
                    "  return roundedTax(amount);\n}\n\nfunction roundedTax(value) {\n  const total = value * RATE;\n  return roundMoney(total);\n}",
                ),
            ),
        ],
        "changed": [
            (
                "a log line",
                "fetchOrder",
                FETCH,
                orders("  validateToken(url);\n  for", "  validateToken(url);\n  console.log(url);\n  for"),
            ),
            ("a condition", "computeTax", TAX, orders("amount < 0", "amount <= 0")),
            ("a call of a handed object's method", "shelf.actions.restock", SHELF, orders("boxes.fill", "boxes.push")),
            ("a parameter added", "computeTax", TAX, orders('country = "DE")', 'country = "DE", exempt = false)')),
            ("the callee's signature", "computeTax", TAX, replacing(rates, "digits = 2", "digits = 3")),
            (
                "the sort turned round",
                "sortOrders",
                "orders are sorted by date",
                orders("a.date - b.date", "b.date - a.date"),
            ),
            ("a member changed", "Cart", "a cart belongs to one owner", orders("item.price * count", "item.price")),
            ("an unmentioned default", "computeTax", TAX, orders('country = "DE"', 'country = "FR"')),
        ],
        "contradicted": [
            ("the rate in another file", "computeTax", TAX, replacing(rates, "0.20", "0.25")),
            ("the retries", "fetchOrder", FETCH, orders("retries = 3", "retries = 5")),
            ("the timeout", "fetchOrder", FETCH, orders("30000", "60000")),
            ("a handed object's default", "shelf.actions.restock", SHELF, orders("count = 20", "count = 30")),
            ("a handed object's limit", "shelf.actions.restock", SHELF, orders("count > 90", "count > 70")),
            ("the token no longer validated", "fetchOrder", FETCH, orders("  validateToken(url);\n  for", "  for")),
            ("verification off", "fetchOrder", "verify is on by default", orders("verify = true", "verify = false")),
            (
                "null no longer returned",
                "fetchOrder",
                "fetchOrder returns null when the order is missing",
                orders("return null;", 'throw new Error("missing");'),
            ),
            ("the status", "fetchOrder", "returns null on 404", orders("404", "410")),
            ("the encoding", "fetchOrder", "reads utf-8", orders("utf-8", "latin-1")),
            (
                "the exception",
                "computeTax",
                "computeTax throws RangeError for negative amounts",
                orders('throw new RangeError("neg', 'throw new TypeError("neg'),
            ),
            (
                "the check gone",
                "computeTax",
                "negative amounts are rejected",
                orders('  if (amount < 0) {\n    throw new RangeError("negative amount");\n  }\n', ""),
            ),
            (
                "no longer async",
                "notify",
                "notify is async",
                together(orders("async function notify", "function notify"), orders("await send", "send")),
            ),
            ("the sort key", "sortOrders", "orders are sorted by date", orders("a.date - b.date", "a.price - b.price")),
            (
                "a product of constants",
                "upload",
                "files over 5 MB are refused",
                replacing(rates, "5 * 1024", "9 * 1024"),
            ),
            ("a class field", "Cart", CART, orders("limit = 50", "limit = 80")),
            (
                "the base class gone",
                "Cart",
                "Cart extends Base",
                together(orders("class Cart extends Base", "class Cart"), orders("    super();\n", "")),
            ),
            (
                "a forbidden call",
                "sortOrders",
                "sortOrders must not call axios.get",
                orders("  return [...orders]", '  axios.get("http://x");\n  return [...orders]'),
            ),
            (
                "never logs",
                "sortOrders",
                "sortOrders never logs",
                orders("  return [...orders]", '  console.log("sorting");\n  return [...orders]'),
            ),
            (
                "the default country",
                "computeTax",
                "the country is 'DE' by default",
                orders('country = "DE"', 'country = "FR"'),
            ),
            ("moved, and the rate", "computeTax", TAX, together(move, replacing(rates, "0.20", "0.25"))),
        ],
        "orphaned": [
            ("deleted", "computeTax", TAX, removing(path, "/** The tax", "export const fetchOrder")),
            ("its class deleted", "Cart.add", "add throws RangeError", removing(path, "export class Cart", "")),
            ("its file deleted", "computeTax", TAX, lambda bench: bench.delete(path)),
        ],
    }


@pytest.mark.parametrize(("symbol", "text", "edit", "standing"), rows(table("js")))
def test_an_edit_of_javascript_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    check(bench, {"shop/rates.js": RATES, "shop/orders.js": ORDERS}, f"shop/orders.js#{symbol}", text, edit, standing)


TYPED = ORDERS.replace('(amount, country = "DE")', '(amount: number, country: string = "DE"): number').replace(
    "validateToken(url) {", "validateToken(url: string): void {"
)


@pytest.mark.parametrize(
    ("symbol", "text", "edit", "standing"),
    [
        *rows(table("ts")),
        *rows(
            {
                "contradicted": [
                    (
                        "the parameter's type",
                        "computeTax",
                        "amount is a number",
                        replacing("shop/orders.ts", "amount: number", "amount: bigint"),
                    )
                ],
                "changed": [
                    (
                        "the return type",
                        "computeTax",
                        TAX,
                        replacing("shop/orders.ts", "): number {", "): number | null {"),
                    )
                ],
            }
        ),
    ],
)
def test_an_edit_of_typescript_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    edited = edit
    files = {"shop/rates.ts": RATES, "shop/orders.ts": TYPED}
    if 'country = "DE"' in TYPED:
        raise AssertionError("the typed source still has the untyped parameter")

    def adapted(bench: Bench) -> None:
        # The rows speak of the untyped parameter.
        text = bench.read("shop/orders.ts")
        plain = text.replace('country: string = "DE"', 'country = "DE"')
        bench.write("shop/orders.ts", plain)
        edited(bench)
        path = "shop/orders.ts" if (bench.root / "shop/orders.ts").exists() else "shop/sales.ts"
        for there in {path, "shop/taxes.ts"}:
            if (bench.root / there).exists():
                bench.write(there, bench.read(there).replace("country = ", "country: string = "))

    check(bench, files, f"shop/orders.ts#{symbol}", text, adapted, standing)
