"""Events to task episodes, open threads and handoffs."""
