"""The evaluation suites behind `memlsp eval`."""
