from pathlib import Path

import pygit2

from memlsp import Memory

exchange = Path("exchange.git").absolute()  # a repository that all machines of the team can push to
pygit2.init_repository(exchange, bare=True)

with Memory.open(".") as memory:
    memory.remember("Use pnpm here, never npm")
    print(memory.team.on(str(exchange)).sent)
    # -> 1
    print(memory.team.status().colleagues)  # nobody else takes part yet
    # -> ()
