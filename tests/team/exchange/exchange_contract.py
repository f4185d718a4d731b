"""What every transport holds. A test class of a transport inherits `ExchangeContract` and says what `opened` opens."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from memlsp_team.exchange.exchange import Exchange
from memlsp_team.exchange.lines import LARGEST_LINE, MOST_LINES, Line

from memlsp.model.errors import BadValue

Open = Callable[[str], Exchange]
"""Opens the exchange as a machine of that name, which has a folder of its own."""

ANN, BEN = "a1" * 8, "b2" * 8 + "-laptop_2"


def line(number: int, text: str = "") -> Line:
    """A line of that number, which has `text` in it."""
    return Line(f"{number:032x}", b'{"n": %d, "text": "%s"}' % (number, text.encode()))


def numbers(lines: list[Line]) -> set[int]:
    return {int(each.key, 16) for each in lines}


def pulled(exchange: Exchange, cursor: str = "") -> tuple[dict[str, set[int]], str]:
    """The numbers of all lines since `cursor` by their writers, and the next cursor."""
    found: dict[str, set[int]] = {}
    more = True
    while more:
        pull = exchange.pull(cursor)
        assert pull.faults == ()
        for writer, each in pull.lines:
            assert each == line(int(each.key, 16), LONG if int(each.key, 16) == LARGE else "")
            found.setdefault(writer, set()).add(int(each.key, 16))
        cursor, more = pull.cursor, pull.more
    return found, cursor


LARGE = 10**6
LONG = "x" * (LARGEST_LINE - len(line(LARGE).text))


class ExchangeContract:
    """The tests. Who inherits them has the fixtures `opened` and `folder_of`, where a machine keeps things."""

    def test_a_published_line_reaches_others_with_its_writer(self, opened: Open) -> None:
        opened("ann").publish(ANN, [line(1), line(2)])
        opened("ben").publish(BEN, [line(3)])
        assert pulled(opened("cyd"))[0] == {ANN: {1, 2}, BEN: {3}}

    def test_a_cursor_leaves_out_what_was_read(self, opened: Open) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1)])
        cursor = pulled(ben)[1]
        assert pulled(ben, cursor)[0] == {}
        ann.publish(ANN, [line(1), line(2)])
        assert 2 in pulled(ben, cursor)[0][ANN]

    def test_an_empty_exchange_has_nothing_and_a_cursor(self, opened: Open) -> None:
        found, cursor = pulled(opened("ann"))
        assert found == {}
        opened("ben").publish(BEN, [line(1)])
        assert pulled(opened("ann"), cursor)[0] == {BEN: {1}}

    def test_what_is_left_out_is_taken_away(self, opened: Open) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(number) for number in range(1, 1203)])
        cursor = pulled(ben)[1]
        ann.publish(ANN, [line(number) for number in range(1, 1203) if number != 7])
        assert 7 not in pulled(ben, cursor)[0].get(ANN, set())
        assert pulled(opened("cyd"))[0][ANN] == set(range(1, 1203)) - {7}

    def test_publishing_again_is_nothing_new(self, opened: Open) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1), line(2)])
        cursor = pulled(ben)[1]
        opened("a copy of ann").publish(ANN, [line(1), line(2)])
        assert pulled(ben, cursor)[0] == {}

    def test_own_has_the_keys_of_the_writer_and_none_without_lines(self, opened: Open) -> None:
        ann = opened("ann")
        assert ann.own(ANN) is None
        ann.publish(ANN, [line(1), line(2)])
        assert ann.own(BEN) is None
        assert ann.own(ANN) == {line(1).key, line(2).key}
        ann.publish(ANN, [])
        assert ann.own(ANN) is None
        assert pulled(opened("ben"))[0] == {}

    def test_own_shows_that_another_folder_wrote_as_the_same_writer(self, opened: Open) -> None:
        ann, copy = opened("ann"), opened("a copy of ann")
        ann.publish(ANN, [line(1)])
        copy.publish(ANN, [line(1), line(2)])
        assert ann.own(ANN) == {line(1).key, line(2).key}

    @pytest.mark.parametrize("cursor", ["null", "[]", "{", '{"refs/memlsp/v1/x": 3}', "7", "-1:-1", "\0", "9" * 5000])
    def test_a_damaged_cursor_reads_all(self, opened: Open, cursor: str) -> None:
        opened("ann").publish(ANN, [line(1)])
        assert pulled(opened("ben"), cursor)[0] == {ANN: {1}}

    def test_writers_at_the_same_time_lose_nothing(self, opened: Open) -> None:
        writers = [f"{number:016x}" for number in range(6)]

        def write(writer: str) -> None:
            exchange = opened(writer)
            for count in range(1, 6):
                exchange.publish(writer, [line(number) for number in range(count)])
            exchange.close()

        with ThreadPoolExecutor(len(writers)) as pool:
            list(pool.map(write, writers))
        assert pulled(opened("reader"))[0] == {writer: set(range(5)) for writer in writers}

    def test_a_reader_beside_a_writer_ends_with_all(self, opened: Open) -> None:
        """What stays arrives, whatever is published and taken away meanwhile, and a new reader sees that alone."""
        chance = random.Random(19)
        ann, ben, reader = opened("ann"), opened("ben"), opened("reader")
        sets: dict[str, list[int]] = {ANN: [], BEN: []}
        known: dict[str, set[int]] = {ANN: set(), BEN: set()}
        cursor = ""
        for number in range(1, 25):
            writer = chance.choice([ANN, BEN])
            sets[writer] = [each for each in sets[writer] if chance.random() > 0.1] + [number]
            (ann if writer == ANN else ben).publish(writer, [line(each) for each in sets[writer]])
            if chance.random() < 0.4:
                found, cursor = pulled(reader, cursor)
                for each, new in found.items():
                    known[each] |= new
                assert all(known[each] >= set(sets[each]) for each in sets)
        assert pulled(opened("new"))[0] == {writer: set(each) for writer, each in sets.items() if each}

    def test_a_line_of_the_largest_size_travels(self, opened: Open) -> None:
        assert len(line(LARGE, LONG).text) == LARGEST_LINE
        opened("ann").publish(ANN, [line(LARGE, LONG)])
        assert pulled(opened("ben"))[0] == {ANN: {LARGE}}

    @pytest.mark.parametrize(
        ("writer", "lines"),
        [
            ("A1" * 8, [line(1)]),
            ("a1" * 7, [line(1)]),
            ("a1" * 8 + "/x", [line(1)]),
            (ANN, [line(LARGE, LONG + "x")]),
            (ANN, [Line("k", b"{}")]),
            (ANN, [Line("AB" * 16, b"{}")]),
            (ANN, [Line("ab" * 16, b"[]")]),
            (ANN, [Line("ab" * 16, b"{\n}")]),
            (ANN, [Line("ab" * 16, b'{"\xc3\xa4": 1}')]),
            (ANN, [line(1), line(1)]),
            (ANN, [line(1)] * (MOST_LINES + 1)),
        ],
    )
    def test_what_readers_would_refuse_is_not_published(self, opened: Open, writer: str, lines: list[Line]) -> None:
        with pytest.raises(BadValue):
            opened("ann").publish(writer, lines)
        assert pulled(opened("ben"))[0] == {}

    def test_a_folder_may_be_deleted(self, opened: Open, folder_of: Callable[[str], Path]) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1)])
        cursor = pulled(ben)[1]
        for name in ("ann", "ben"):
            shutil.rmtree(folder_of(name), ignore_errors=True)
        assert ann.own(ANN) == {line(1).key}
        ann.publish(ANN, [line(1), line(2)])
        assert 2 in pulled(ben, cursor)[0][ANN]

    def test_a_closed_exchange_can_be_used_again(self, opened: Open) -> None:
        ann = opened("ann")
        for count in (1, 2):
            ann.publish(ANN, [line(number) for number in range(count)])
            ann.close()
        assert pulled(ann)[0] == {ANN: {0, 1}}

    def test_the_check_is_one_line(self, opened: Open) -> None:
        opened("ann").publish(ANN, [line(1)])
        said = opened("ben").check()
        assert said
        assert "\n" not in said
