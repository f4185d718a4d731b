"""The evaluation suites: `make bench SUITE=...`, or `memlsp eval SUITE` in a checkout. They are not in the wheel.

They may import every room of memlsp, and no room imports them. Begin with `suites`, which lists the suites and what
runs each of them, and with README.md.
"""
