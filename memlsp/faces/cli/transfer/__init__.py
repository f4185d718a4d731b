"""Commands that move memory: import, export, backup, restore, forget. They import `cli.options`, `cli.console`
and `render`. Begin with `copies.py`."""
