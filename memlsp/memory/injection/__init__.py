"""Chooses what an agent is told without asking: at a session's start, at a prompt, before an act. Hooks import this
room, so it imports next to nothing itself. Begin with `injection`; `relevance` decides whether a belief bears on a
prompt."""
