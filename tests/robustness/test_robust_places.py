"""File names that hold the signs of a place are found when there is such a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import Project
from robust_world import FETCH, Agent, cli

from memlsp import Memory
from memlsp.model.caller import Caller
from memlsp.model.errors import MemlspError, NoSuchFile, NoSuchSymbol
from memlsp.model.place import Place

ODD = [
    "a:3.py",
    "c#/x.py",
    "a#b.py",
    "sub/d#e:5.py",
    "plain:12",
    "sp ace/y z.py",
    "ünïcode.py",
    "#private#/x.py",
    "back\\slash.py",
]


@pytest.fixture
def odd(project: Project) -> Iterator[Memory]:
    for name in ODD:
        project.write(name, FETCH)
    with Memory.open(project.root) as memory:
        yield memory


def tied(memory: Memory, text: str) -> tuple[str, str]:
    judgement = memory.remember("It retries 3 times", at=[Place.parse(text)], by=Caller(folder=memory.workspace.root))
    tie = judgement.ties[0]
    return tie.path, tie.symbol


@pytest.mark.parametrize("name", ODD)
def test_a_file_with_such_a_name_is_found_in_every_form_of_place(odd: Memory, name: str) -> None:
    typed = f"./{name}" if name.startswith("#") else name
    function = "fetch" if name.endswith(".py") else ""
    assert tied(odd, typed) == (name, "")
    assert tied(odd, f"{typed}:3") == (name, function)
    assert tied(odd, f"{typed}:3:7") == (name, function)
    if function:
        assert tied(odd, f"{typed}#fetch") == (name, "fetch")
        why = odd.why(Place.parse(f"{typed}#fetch"), base=odd.workspace.root)
        # one of the file and one of the function: what is said again is no further one
        assert (why.place.path, why.place.symbol, len(why.beliefs)) == (name, "fetch", 2)


def test_separators_of_windows_are_read(odd: Memory) -> None:
    assert tied(odd, "sp ace\\y z.py:3") == ("sp ace/y z.py", "fetch")
    assert tied(odd, ".\\sub\\d#e:5.py#fetch") == ("sub/d#e:5.py", "fetch")


def test_the_plain_reading_comes_first(odd: Memory, project: Project) -> None:
    project.write("client.py:4", "not this one\n")
    assert tied(odd, "client.py:4") == ("client.py", "fetch")


def test_what_is_nowhere_is_said_of_the_plain_reading(odd: Memory) -> None:
    with pytest.raises(NoSuchFile, match=r"no such file: nowhere\.py"):
        tied(odd, "nowhere.py:3")
    with pytest.raises(NoSuchSymbol, match="gone"):
        tied(odd, "client.py#gone")


def test_a_deleted_file_of_such_a_name_is_still_a_place(odd: Memory, project: Project) -> None:
    tied(odd, "c#/x.py#fetch")
    (project.root / "c#/x.py").unlink()
    why = odd.why(Place.parse("c#/x.py#fetch"), base=project.root)
    assert [str(belief.standing) for belief in why.beliefs] == ["orphaned"]


@pytest.mark.parametrize("text", ["a" * 300, "a/" * 3000 + "x", "x\ny.py", "a\x07b.py", "../" * 50 + "x.py"])
def test_a_path_that_cannot_be_is_no_such_file(odd: Memory, text: str) -> None:
    with pytest.raises(MemlspError):
        odd.why(Place.parse(text), base=odd.workspace.root)


def test_the_command_line_and_agents_find_them_too(
    odd: Memory, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    done = cli(project.root, "remember", "It retries 3 times", "--at", "c#/x.py:3")
    assert (done.status, done.lines) == (0, ["✓ current fact at c#/x.py#fetch (checked: 3)"])
    assert "It retries 3 times" in cli(project.root, "why", "c#/x.py#fetch").out
    with Agent(project.root, tmp_path_factory.mktemp("agent")) as agent:
        assert agent.call("remember", text="It retries 3 times", place="a:3.py:2")[0]
        assert "It retries 3 times" in agent.call("why", place="a:3.py#fetch")[1]


paths = st.text("ab#:. \\1/é", min_size=1, max_size=12).map(lambda text: f"x{text}y")


@given(paths, st.integers(1, 99999))
def test_every_place_can_be_read_back_from_how_it_is_written(path: str, line: int) -> None:
    for place in (Place(path), Place(path, line=line), Place(path, symbol="Class.method")):
        try:
            parsed = Place.parse(str(place))
        except MemlspError:
            continue  # "x#y:0": a line 0
        assert place in list(parsed.readings())
