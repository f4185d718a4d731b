"""Commands about the installation: setup, servers, capture, status, evaluation. They import `cli.options` and
`cli.console`, but not each other. Begin with `setup.py`."""
