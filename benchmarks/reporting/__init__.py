"""Reports of all suites: figures and targets, tables, the machine they were measured on, JSON, and a chart.

It imports nothing of memlsp but its version. Begin with `report`.
"""
