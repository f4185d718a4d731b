"""What hovering shows, and where."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
import pytest_asyncio
from lsp_editor import Editor, editor, until
from lsprotocol import types
from project import Project

from memlsp import Memory
from memlsp.model.recall import Receipt

pytestmark = pytest.mark.asyncio(loop_scope="module")

ORDERS = '''import functools

LIMIT = 10


@functools.cache
def price(item):
    """What it costs."""
    amount = item * LIMIT
    return amount


class Cart:
    """What is bought."""

    def total(self):
        """All of it."""
        return price(1) + self.tax()

    def tax(self):
        return 2


def checkout(cart):
    other = Cart()
    return Cart.total(other) + cart.unknown()
'''


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def orders(shared: Editor, shared_project: Project) -> Editor:
    """An editor with a file open of which three things are remembered."""
    shared_project.write("orders.py", ORDERS)
    shared_project.commit("Sell things")
    shared.open("orders.py")
    await shared.remember("orders.py", 7, "prices are net")
    await shared.remember("orders.py", 16, "totals are gross")
    await shared.remember("orders.py", 20, "tax is a fixed 2")
    return shared


async def test_history_of_a_file_never_seen_is_there_at_once(shared: Editor) -> None:
    shared.open("client.py")
    await until(lambda: _has(shared, "client.py", "fetch", "Add the shop"))
    shown = await shared.hover("client.py", "fetch")
    assert shown is not None
    assert "Ann Ode" in shown
    assert not shown.startswith("#")


async def _has(session: Editor, path: str, needle: str, text: str) -> bool:
    return text in (await session.hover(path, needle) or "")


@pytest.mark.parametrize(
    "needle",
    [
        pytest.param("price(item)", id="its name"),
        pytest.param("def price", id="the line of its name"),
        pytest.param("functools.cache", id="its decorator"),
        pytest.param("price(1)", id="a use of it"),
    ],
)
async def test_a_function_answers_where_it_is_defined_and_used(orders: Editor, needle: str) -> None:
    assert "prices are net" in (await orders.hover("orders.py", needle) or "")


@pytest.mark.parametrize(("needle", "belief"), [("tax()", "tax is a fixed 2"), ("total(other)", "totals are gross")])
async def test_a_method_answers_where_its_class_is_certain(orders: Editor, needle: str, belief: str) -> None:
    assert belief in (await orders.hover("orders.py", needle) or "")


@pytest.mark.parametrize("needle", ["amount", "return amount", "unknown()", "other)", "item * "])
async def test_an_unrelated_word_in_a_body_says_nothing(orders: Editor, needle: str) -> None:
    assert await orders.hover("orders.py", needle) is None


@pytest.mark.parametrize("line", [1, 3, 400])
async def test_a_blank_line_and_one_beyond_the_end_say_nothing(orders: Editor, line: int) -> None:
    assert await orders.hover("orders.py", types.Position(line, 0)) is None


async def test_beliefs_come_before_history_in_a_few_lines(orders: Editor) -> None:
    await until(lambda: _has(orders, "orders.py", "price(item)", "Sell things"))
    shown = await orders.hover("orders.py", "price(item)") or ""
    lines = [line for line in shown.splitlines() if line.strip()]
    assert 3 <= len(lines) <= 6
    assert shown.index("prices are net") < shown.index("Sell things")
    assert len(shown) <= 1200


async def test_many_long_beliefs_still_make_a_short_hover(orders: Editor) -> None:
    for number in range(6):
        await orders.remember("orders.py", 24, f"number {number} " + "very long " * 200)
    shown = await orders.hover("orders.py", "checkout") or ""
    assert len([line for line in shown.splitlines() if line.strip()]) <= 7
    assert "more: 3 beliefs" in shown


async def test_what_is_stored_cannot_bring_markup_or_commands(orders: Editor) -> None:
    await orders.remember("orders.py", 13, "[run](command:evil) <img src=x> ![a](http://b) `open \x1b[31m\u202e")
    shown = await orders.hover("orders.py", "Cart:") or ""
    assert "](" not in shown
    assert "<" not in shown
    assert "http://" not in shown
    assert not re.search("[\x1b\u202e]", shown)


async def test_asking_again_before_the_answer_drops_the_first_question(orders: Editor) -> None:
    position = orders.at("orders.py", "price(item)")
    params = types.HoverParams(orders.document("orders.py"), position)
    asked = [orders.client.text_document_hover_async(params) for _ in range(20)]
    answers = await asyncio.wait_for(asyncio.gather(*asked), 20)
    assert answers[-1] is not None


async def test_a_belief_about_the_file_is_shown_on_its_first_line(orders: Editor) -> None:
    answer = await orders.run("remember", orders.uri("orders.py"), None, "orders are never deleted", "rule")
    assert answer["ok"], answer
    assert "orders are never deleted" in (await orders.hover("orders.py", "import functools") or "")


async def test_hover_and_its_history_can_be_turned_off(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", options={"hover": {"history": False}}) as session:
        session.open("client.py")
        assert await session.hover("client.py", "fetch") is None
        await session.remember("client.py", 4, "gives up after 3 retries")
        assert "Add the shop" not in (await session.hover("client.py", "fetch") or "")
        session.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"memlsp": {"hover": {"enabled": False}}})
        )
        assert await session.hover("client.py", "fetch") is None


async def test_hovering_leaves_one_receipt_for_a_place_in_an_hour(
    orders: Editor, shared_project: Project, shared_data: Path
) -> None:
    for _ in range(3):
        await orders.hover("orders.py", "def tax")
    with Memory.open(shared_project.root, data_dir=shared_data) as memory:

        async def told() -> list[Receipt]:
            found = [each for each in memory.receipts() if each.surface == "hover"]
            return [each for each in found if each.query == "orders.py#Cart.tax"]

        await until(told)
        (receipt,) = await told()
    assert (receipt.asker, len(receipt.served)) == ("lsp", 1)
    assert receipt.tokens > 0
