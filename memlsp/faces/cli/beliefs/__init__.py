"""Commands about beliefs: remember, revise, recall, review, conflicts, undo. They import `cli.options`, `cli.console`
and `render`. Begin with `remember.py`."""
