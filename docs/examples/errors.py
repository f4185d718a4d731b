from memlsp import MemlspError, Memory, Place
from memlsp.model.errors import NoSuchSymbol

with Memory.open(".") as memory:
    try:
        memory.remember("It is fast", at=[Place.parse("client.py#fetsh")])
    except NoSuchSymbol as error:
        print(error, "-", error.hint)
        # -> no symbol fetsh in client.py - did you mean fetch?
    try:
        memory.revise("zzzz", "confirm")
    except MemlspError as error:  # any of them
        print(type(error).__name__)
        # -> NoSuchBelief
