from memlsp import HandoffNotes, Memory

with Memory.open(".") as memory:
    notes = HandoffNotes(
        done=["the client retries"], next_steps=["the server answers 429 with Retry-After"], places=["client.py#fetch"]
    )
    memory.handoffs.write("Retries of the client", notes, by="nightly bot")

with Memory.open(".") as memory:  # the next session
    print(memory.handoffs.briefing().splitlines()[2])
    # -> | task: Retries of the client
    left = memory.handoffs.claim(memory.handoffs.peek().id, by="day bot")
    print(left.next_steps)
    # -> ('the server answers 429 with Retry-After',)
