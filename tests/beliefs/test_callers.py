"""What a statement says of the callers of a function is held against them, wherever they stand."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

POOL = """
class Slot:
    def __init__(self):
        self.held = []

    def free(self, job):
        self.held.remove(job)
"""
KEEPER = """
from slots import Slot


class Keeper:
    def __init__(self, slot, log):
        self.slot = slot
        self.log = log

    def finish(self, job):
        self.log.write("done")
        self.slot.free(job)
        self.log.close()
"""
OTHER = """
class Janitor:
    def __init__(self, slot):
        self.slot = slot

    def sweep(self, job):
        return job.name
"""
FREE = "slots.py#Slot.free"


@pytest.fixture
def keeper(bench: Bench) -> Bench:
    bench.write("slots.py", POOL)
    bench.write("keeper.py", KEEPER)
    bench.write("janitor.py", OTHER)
    return bench


@pytest.mark.parametrize(
    ("statement", "standing"),
    [
        ("Called by the keeper only", Standing.CONTRADICTED),
        ("Must never be called from anywhere but the keeper", Standing.CONTRADICTED),
        ("Only the keeper gives a slot back", Standing.CHANGED),
        ("The job is taken off the list", Standing.CURRENT),
    ],
)
def test_a_new_caller_counts_against_a_statement_about_who_calls(
    keeper: Bench, statement: str, standing: Standing
) -> None:
    belief = keeper.remember(statement, FREE)
    keeper.replace("janitor.py", "return job.name", "self.slot.free(job)")
    assert keeper.standing(belief) is standing, keeper.told(belief)


def test_a_caller_in_a_file_that_is_new_counts_too(keeper: Bench) -> None:
    belief = keeper.remember("Called by the keeper only", FREE)
    keeper.write("late.py", "def clear(slot, jobs):\n    for job in jobs:\n        slot.free(job)\n")
    judgement = keeper.judge(belief)
    assert judgement.standing is Standing.CONTRADICTED
    assert judgement.reasons[0].path == "late.py"


@pytest.mark.parametrize("call", ["self.pool.free(job)", "self.free(job)", "self.slot.freeze(job)"])
def test_a_call_of_something_else_by_that_name_does_not(keeper: Bench, call: str) -> None:
    belief = keeper.remember("Called by the keeper only", FREE)
    keeper.replace("janitor.py", "return job.name", f"return {call}")
    assert keeper.standing(belief) is Standing.CURRENT, keeper.told(belief)


def test_another_method_of_a_caller_and_a_test_may_call(keeper: Bench) -> None:
    belief = keeper.remember("Called by the keeper only", FREE)
    keeper.replace(
        "keeper.py",
        "        self.log.close()\n",
        "        self.log.close()\n\n    def drop(self, job):\n        self.slot.free(job)\n",
    )
    keeper.write("tests/test_slots.py", "def test_free(slot, job):\n    slot.free(job)\n")
    assert keeper.standing(belief) is Standing.CURRENT, keeper.told(belief)


def test_a_call_that_changed_places_with_another_breaks_an_order(keeper: Bench) -> None:
    belief = keeper.remember("The end is logged before the slot is free", FREE)
    other = keeper.remember("The slot knows what it holds", FREE)
    written = '        self.log.write("done")\n'
    freed = "        self.slot.free(job)\n"
    keeper.replace("keeper.py", written + freed, freed + written)
    assert keeper.standing(belief) is Standing.CHANGED, keeper.told(belief)
    assert keeper.standing(other) is Standing.CURRENT, keeper.told(other)


def test_what_callers_hand_in_counts_where_the_statement_speaks_of_it(keeper: Bench) -> None:
    belief = keeper.remember("The keeper hands in the job itself", FREE)
    keeper.replace("keeper.py", "self.slot.free(job)", "done = job\n        self.slot.free(done)")
    assert keeper.standing(belief) is Standing.CURRENT, keeper.told(belief)
    keeper.replace("keeper.py", "self.slot.free(done)", "self.slot.free(done.id)")
    assert keeper.standing(belief) is Standing.CHANGED, keeper.told(belief)


def test_a_renamed_function_keeps_its_callers(keeper: Bench) -> None:
    belief = keeper.remember("Called by the keeper only, after the log was written", FREE)
    keeper.replace("slots.py", "def free(", "def release(")
    keeper.replace("keeper.py", "slot.free(", "slot.release(")
    assert keeper.standing(belief) is Standing.CARRIED, keeper.told(belief)
