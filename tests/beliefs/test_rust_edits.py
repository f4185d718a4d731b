"""Rust: what an edit does to the standing of a belief."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench, Edit, Row, check, moving, removing, replacing, rows, together

RATES = """
pub const RATE: f64 = 0.20;
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;

pub enum Status {
    Open = 1,
    Paid = 2,
}

pub fn round_money(amount: f64, digits: u32) -> f64 {
    amount
}
"""

ORDERS = """
use std::time::Duration;

use crate::rates::{round_money, Status, MAX_BYTES, RATE};

const TIMEOUT: Duration = Duration::from_secs(30);

/// The tax on an amount.
pub fn compute_tax(amount: f64, country: &str) -> Result<f64, TaxError> {
    if amount < 0.0 {
        return Err(TaxError::Negative);
    }
    // the default rate
    let total = amount * RATE;
    Ok(round_money(total, 2))
}

pub async fn fetch_order(url: &str) -> Option<Order> {
    validate_token(url);
    let client = Client::builder().timeout(TIMEOUT).build();
    for _attempt in 0..3 {
        let response = client.get(url).send().await;
        if response.status == 404 {
            return None;
        }
        if response.ok {
            return Some(response.order);
        }
    }
    None
}

fn validate_token(url: &str) {
    if url.is_empty() {
        panic!("no token");
    }
}

pub fn sort_orders(orders: &mut Vec<Order>) {
    orders.sort_by_key(|order| order.date);
}

pub fn upload(size: u64) -> bool {
    if size > MAX_BYTES {
        return false;
    }
    log::info!("uploaded {}", size);
    true
}

pub fn ship(order: &Order) -> bool {
    matches!(order.status, Status::Paid)
}

/// A cart.
#[derive(Debug, Clone)]
pub struct Cart {
    pub owner: String,
    pub items: Vec<Item>,
    pub limit: usize,
}

impl Cart {
    pub fn add(&mut self, item: Item, count: u32) -> Result<(), CartError> {
        if self.items.len() >= 50 {
            return Err(CartError::Full);
        }
        self.items.push(item);
        Ok(())
    }

    pub fn total(&self) -> f64 {
        self.items.iter().map(|item| item.price * item.count).sum()
    }
}
"""

TAX = "compute_tax applies the default 20 % rate"
FETCH = "fetch_order tries three times with a timeout of 30 seconds and validates the token first"
PATH, OTHER = "src/orders.rs", "src/rates.rs"


def _orders(old: str, new: str) -> Edit:
    return replacing(PATH, old, new)


_MOVE = moving(
    PATH, "/// The tax", "pub async fn fetch_order", "src/taxes.rs", "use crate::rates::{round_money, RATE};\n"
)
TABLE: dict[str, list[Row]] = {
    "current": [
        ("a comment", "compute_tax", TAX, _orders("// the default rate", "// as the law has it")),
        ("a doc comment", "compute_tax", TAX, _orders("The tax on an amount.", "25 % of an amount.")),
        ("layout", "compute_tax", TAX, _orders("let total = amount * RATE;", "let total =\n        amount * RATE;")),
        ("parentheses", "compute_tax", TAX, _orders("amount * RATE;", "(amount * RATE);")),
        ("a local's name", "compute_tax", TAX, _orders("total", "tax")),
        ("a trailing comma", "compute_tax", TAX, _orders("round_money(total, 2)", "round_money(total, 2,)")),
        (
            "import order",
            "compute_tax",
            TAX,
            _orders("{round_money, Status, MAX_BYTES, RATE}", "{round_money, MAX_BYTES, RATE, Status}"),
        ),
        ("another function", "compute_tax", TAX, _orders("order.date", "order.price")),
        ("moved within", "compute_tax", TAX, moving(PATH, "/// The tax", "pub async fn fetch_order", PATH)),
        (
            "a method added",
            "Cart",
            "a cart has an owner",
            _orders(
                "    pub fn total",
                "    pub fn clear(&mut self) {\n        self.items.clear();\n    }\n\n    pub fn total",
            ),
        ),
    ],
    "carried": [
        ("renamed", "compute_tax", TAX, _orders("compute_tax", "tax_on")),
        (
            "renamed with a comment",
            "compute_tax",
            TAX,
            together(_orders("compute_tax", "tax_on"), _orders("// the default", "// the usual")),
        ),
        ("moved to another file", "compute_tax", TAX, _MOVE),
        (
            "the type renamed",
            "Cart.add",
            "add fails when the cart holds 50 items",
            together(_orders("struct Cart", "struct Basket"), _orders("impl Cart", "impl Basket")),
        ),
        ("the file renamed", "compute_tax", TAX, lambda bench: bench.move(PATH, "src/sales.rs")),
        (
            "its body extracted",
            "compute_tax",
            TAX,
            _orders(
                "    // the default rate\n    let total = amount * RATE;\n    Ok(round_money(total, 2))\n}",
                "    Ok(rounded_tax(amount))\n}\n\nfn rounded_tax(value: f64) -> f64 {\n    let total = value * RATE;\n    round_money(total, 2)\n}",
            ),
        ),
    ],
    "changed": [
        (
            "a log line",
            "fetch_order",
            FETCH,
            _orders(
                "    validate_token(url);\n    let", '    validate_token(url);\n    log::info!("{}", url);\n    let'
            ),
        ),
        ("a condition", "compute_tax", TAX, _orders("amount < 0.0", "amount <= 0.0")),
        ("a parameter added", "compute_tax", TAX, _orders("country: &str)", "country: &str, exempt: bool)")),
        ("the callee's signature", "compute_tax", TAX, replacing(OTHER, "digits: u32", "digits: u64")),
        (
            "an unmentioned derive",
            "Cart",
            "a cart has an owner",
            _orders("#[derive(Debug, Clone)]", "#[derive(Debug)]"),
        ),
    ],
    "contradicted": [
        ("the rate in another file", "compute_tax", TAX, replacing(OTHER, "0.20", "0.25")),
        ("the attempts", "fetch_order", FETCH, _orders("0..3", "0..5")),
        ("the timeout", "fetch_order", FETCH, _orders("from_secs(30)", "from_secs(60)")),
        ("the timeout's unit", "fetch_order", FETCH, _orders("from_secs(30)", "from_millis(30)")),
        (
            "the token no longer validated",
            "fetch_order",
            FETCH,
            _orders("    validate_token(url);\n    let", "    let"),
        ),
        (
            "the error",
            "compute_tax",
            "compute_tax returns TaxError::Negative for negative amounts",
            _orders("Err(TaxError::Negative)", "Err(TaxError::Unknown)"),
        ),
        (
            "no longer panics",
            "validate_token",
            "it panics without a token",
            _orders('        panic!("no token");\n', "        return;\n"),
        ),
        ("None no longer returned", "fetch_order", "the answer is None on 404", _orders("== 404", "== 410")),
        ("a product of constants", "upload", "files over 5 MB are refused", replacing(OTHER, "5 * 1024", "9 * 1024")),
        ("the sort key", "sort_orders", "orders are sorted by date", _orders("order.date", "order.price")),
        (
            "no longer async",
            "fetch_order",
            "fetch_order is async",
            together(_orders("pub async fn", "pub fn"), _orders(".send().await", ".send()")),
        ),
        ("no longer public", "upload", "upload is public", _orders("pub fn upload", "fn upload")),
        ("the enum member used", "ship", "only paid orders are shipped", _orders("Status::Paid", "Status::Open")),
        ("the derive", "Cart", "Cart derives Clone", _orders("#[derive(Debug, Clone)]", "#[derive(Debug)]")),
        ("a field gone", "Cart", "a cart has an owner", _orders("    pub owner: String,\n", "")),
        ("a method of the type", "Cart", "a cart holds at most 50 items", _orders(">= 50", ">= 80")),
        (
            "never logs",
            "sort_orders",
            "sort_orders never logs",
            _orders("    orders.sort_by_key", '    log::info!("sorting");\n    orders.sort_by_key'),
        ),
        ("never unwraps", "sort_orders", "sort_orders must not unwrap", _orders("order.date)", "order.date.unwrap())")),
        ("moved, and the rate", "compute_tax", TAX, together(_MOVE, replacing(OTHER, "0.20", "0.25"))),
    ],
    "orphaned": [
        ("deleted", "compute_tax", TAX, removing(PATH, "/// The tax", "pub async fn fetch_order")),
        (
            "a method deleted",
            "Cart.total",
            "the total multiplies price and count",
            removing(PATH, "    pub fn total", "\n}"),
        ),
        ("its file deleted", "compute_tax", TAX, lambda bench: bench.delete(PATH)),
    ],
}


@pytest.mark.parametrize(("symbol", "text", "edit", "standing"), rows(TABLE))
def test_an_edit_of_rust_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    check(bench, {OTHER: RATES, PATH: ORDERS}, f"{PATH}#{symbol}", text, edit, standing)
