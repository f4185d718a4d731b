"""What did memory change? Five real tasks, each done cold, with notes written by hand, and with memlsp.

Begin with `tasks`, the suite; `scripted_agent` is the agent that always does the same, `real_agent` runs another.
"""
