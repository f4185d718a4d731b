"""Groups events into episodes (tasks), and makes handoffs, briefings and open threads of them, without clock or disk.
It may import model, code, store and capture. Begin with `event_joiner.EventJoiner` for episodes, `handoffs.handoff_of`
for what a session leaves, and `code_threads.thread_updates` for remarks and stubs.
"""
