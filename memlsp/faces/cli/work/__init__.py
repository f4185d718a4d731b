"""Commands about work: diff, episodes, threads, handoffs, onboarding. They import `cli.options`, `cli.console` and
`render`. Begin with `diff.py`."""
