"""Go: what an edit does to the standing of a belief."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench, Edit, Row, check, moving, removing, replacing, rows, together

RATES = """
package shop

import "errors"

const Rate = 0.20
const MaxBytes = 5 * 1024 * 1024

var ErrNegative = errors.New("negative amount")

func RoundMoney(amount float64, digits int) float64 {
	return amount
}
"""

ORDERS = """
package shop

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"sort"
	"time"
)

const timeout = 30 * time.Second

// ComputeTax is the tax on an amount.
func ComputeTax(amount float64, country string) (float64, error) {
	if amount < 0 {
		return 0, ErrNegative
	}
	// the default rate
	total := amount * Rate
	return RoundMoney(total, 2), nil
}

func FetchOrder(ctx context.Context, url string) (*Order, error) {
	if err := validateToken(url); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for attempt := 0; attempt < 3; attempt++ {
		response, err := http.Get(url)
		if err == nil && response.StatusCode == 200 {
			return decode(response)
		}
	}
	return nil, fmt.Errorf("gave up on %s", url)
}

func validateToken(url string) error {
	if len(url) == 0 {
		panic("no url")
	}
	return nil
}

func SortOrders(orders []Order) {
	sort.Slice(orders, func(i, j int) bool { return orders[i].Date < orders[j].Date })
}

func Upload(size int64) error {
	if size > MaxBytes {
		return fmt.Errorf("too large")
	}
	log.Printf("uploaded %d", size)
	return nil
}

// Cart is a cart.
type Cart struct {
	Owner string
	Items []Item
	Limit int `json:"limit"`
}

// Add puts an item into the cart.
func (c *Cart) Add(item Item, count int) error {
	if len(c.Items) >= 50 {
		return fmt.Errorf("cart is full")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Items = append(c.Items, item)
	return nil
}

func (c *Cart) Total() float64 {
	sum := 0.0
	for _, item := range c.Items {
		sum += item.Price * float64(item.Count)
	}
	return sum
}
"""

TAX = "ComputeTax applies the default 20 % rate"
FETCH = "FetchOrder tries three times with a timeout of 30 seconds and validates the token first"
PATH, OTHER = "shop/orders.go", "shop/rates.go"


def _orders(old: str, new: str) -> Edit:
    return replacing(PATH, old, new)


_MOVE = moving(PATH, "// ComputeTax is", "func FetchOrder", "shop/taxes.go", "package shop\n")
TABLE: dict[str, list[Row]] = {
    "current": [
        ("a comment", "ComputeTax", TAX, _orders("// the default rate", "// as the law has it")),
        ("a doc comment", "ComputeTax", TAX, _orders("is the tax on an amount", "is 25 % of an amount")),
        ("layout", "ComputeTax", TAX, _orders("total := amount * Rate", "total :=\n\t\tamount * Rate")),
        ("parentheses", "ComputeTax", TAX, _orders("amount * Rate", "(amount * Rate)")),
        ("quotes", "FetchOrder", FETCH, _orders('"gave up on %s"', "`gave up on %s`")),
        ("a local's name", "ComputeTax", TAX, _orders("total", "tax")),
        ("import order", "ComputeTax", TAX, together(_orders('\t"context"\n\t"fmt"', '\t"fmt"\n\t"context"'))),
        ("another function", "ComputeTax", TAX, _orders("orders[i].Date <", "orders[i].Price <")),
        ("moved within", "ComputeTax", TAX, moving(PATH, "// ComputeTax is", "func FetchOrder", PATH)),
        (
            "a method added",
            "Cart",
            "a cart has an owner",
            replacing(
                PATH, "func (c *Cart) Total", "func (c *Cart) Clear() {\n\tc.Items = nil\n}\n\nfunc (c *Cart) Total"
            ),
        ),
        (
            "a receiver's name",
            "Cart.Total",
            "the total multiplies price and count",
            _orders(
                "func (c *Cart) Total() float64 {\n\tsum := 0.0\n\tfor _, item := range c.Items",
                "func (cart *Cart) Total() float64 {\n\tsum := 0.0\n\tfor _, item := range cart.Items",
            ),
        ),
    ],
    "carried": [
        ("renamed", "ComputeTax", TAX, _orders("ComputeTax", "TaxOn")),
        (
            "renamed with a comment",
            "ComputeTax",
            TAX,
            together(_orders("ComputeTax", "TaxOn"), _orders("// the default", "// the usual")),
        ),
        ("moved to another file", "ComputeTax", TAX, _MOVE),
        ("the type renamed", "Cart.Add", "Add fails when the cart holds 50 items", _orders("Cart", "Basket")),
        ("the file renamed", "ComputeTax", TAX, lambda bench: bench.move(PATH, "shop/sales.go")),
        (
            "its body extracted",
            "ComputeTax",
            TAX,
            _orders(
                "	// the default rate\n	total := amount * Rate\n	return RoundMoney(total, 2), nil\n}",
                "	return roundedTax(amount), nil\n}\n\nfunc roundedTax(value float64) float64 {\n	total := value * Rate\n	return RoundMoney(total, 2)\n}",
            ),
        ),
    ],
    "changed": [
        ("a log line", "FetchOrder", FETCH, _orders("	for attempt", "	log.Println(url)\n	for attempt")),
        ("a condition", "ComputeTax", TAX, _orders("amount < 0", "amount <= 0")),
        ("a parameter added", "ComputeTax", TAX, _orders("country string)", "country string, exempt bool)")),
        ("the callee's signature", "ComputeTax", TAX, replacing(OTHER, "digits int", "digits int64")),
        ("a field changed", "Cart", "a cart has an owner", _orders("Limit int ", "Limit int64 ")),
    ],
    "contradicted": [
        ("the rate in another file", "ComputeTax", TAX, replacing(OTHER, "0.20", "0.25")),
        ("the attempts", "FetchOrder", FETCH, _orders("attempt < 3", "attempt < 5")),
        ("the timeout", "FetchOrder", FETCH, _orders("30 * time.Second", "60 * time.Second")),
        ("the timeout's unit", "FetchOrder", FETCH, _orders("30 * time.Second", "30 * time.Minute")),
        (
            "the token no longer validated",
            "FetchOrder",
            FETCH,
            _orders("	if err := validateToken(url); err != nil {\n		return nil, err\n	}\n", ""),
        ),
        (
            "the error",
            "ComputeTax",
            "ComputeTax returns ErrNegative for negative amounts",
            _orders("ErrNegative", "ErrUnknown"),
        ),
        (
            "no longer panics",
            "validateToken",
            "it panics when the url is missing",
            _orders('		panic("no url")\n', "		return nil\n"),
        ),
        ("a product of constants", "Upload", "files over 5 MB are refused", replacing(OTHER, "5 * 1024", "9 * 1024")),
        ("the lock gone", "Cart.Add", "Add holds the mutex", _orders("	c.mu.Lock()\n	defer c.mu.Unlock()\n", "")),
        (
            "the sort key",
            "SortOrders",
            "orders are sorted by date",
            _orders("orders[i].Date < orders[j].Date", "orders[i].Price < orders[j].Price"),
        ),
        ("the limit of a method", "Cart.Add", "a cart holds at most 50 items", _orders(">= 50", ">= 80")),
        (
            "a forbidden call",
            "SortOrders",
            "SortOrders must not call http.Get",
            _orders("	sort.Slice", '	http.Get("http://x")\n	sort.Slice'),
        ),
        (
            "never logs",
            "SortOrders",
            "SortOrders never logs",
            _orders("	sort.Slice", '	log.Println("sorting")\n	sort.Slice'),
        ),
        ("a field gone", "Cart", "a cart has an owner", _orders("	Owner string\n", "")),
        ("a tag", "Cart", "the limit is called 'limit' in JSON", _orders('json:"limit"', 'json:"max"')),
        ("a type", "Cart", "the limit is an int", _orders("Limit int ", "Limit string ")),
        ("moved, and the rate", "ComputeTax", TAX, together(_MOVE, replacing(OTHER, "0.20", "0.25"))),
    ],
    "orphaned": [
        ("deleted", "ComputeTax", TAX, removing(PATH, "// ComputeTax is", "func FetchOrder")),
        (
            "a method deleted",
            "Cart.Total",
            "the total multiplies price and count",
            removing(PATH, "func (c *Cart) Total", ""),
        ),
        ("its file deleted", "ComputeTax", TAX, lambda bench: bench.delete(PATH)),
    ],
}


@pytest.mark.parametrize(("symbol", "text", "edit", "standing"), rows(TABLE))
def test_an_edit_of_go_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    check(bench, {OTHER: RATES, PATH: ORDERS}, f"{PATH}#{symbol}", text, edit, standing)
