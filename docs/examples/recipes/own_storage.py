from dict_exchange import DictExchange, Rows

from memlsp import Memory


def exchange(folder: str, rows: Rows) -> None:
    """Send what people decided in a repository, and take in what others left."""
    with Memory.open(folder) as memory:
        done = memory.team.sync(DictExchange(rows))
        print(f"sent {done.sent}, read {done.read}, new {len(done.added)}")
