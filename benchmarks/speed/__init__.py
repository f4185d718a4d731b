"""Suites about time and size: `latency`, `scale`, `soak`; and the clients, stores and programs that they measure with.

They drive real processes over stdio and otherwise use `Memory`. Begin with `latency`, then `clients` and `stores`.
"""
