"""The requests `memlsp/...` and the commands that call them. A handler takes a `RequestContext` and `Arguments`; it may
import `features`, `server` and `faces.render`. Begin with `table.py` (the handlers), then `wire.py` (the requests and
the types of their answers)."""
