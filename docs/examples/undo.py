from memlsp import Caller, Memory

with Memory.open(".") as memory:
    memory.remember("The cache is never invalidated", by=Caller(session="bot:12"))
    memory.remember("The client retries for ever", by=Caller(session="bot:12"))
    print(len(memory.undo.session("bot:12").changed))
    # -> 2
    print(memory.beliefs())
    # -> ()
