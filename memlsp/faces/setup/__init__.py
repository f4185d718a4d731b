"""Setting up agents and editors: detect them, put our entries into their files, and take the entries out again. It may
import `model` and `memory`, and no other face. Begin with `clients/claude_code.py`, which says where one agent keeps
what, then `plan.py`, which turns edits into changed files."""
