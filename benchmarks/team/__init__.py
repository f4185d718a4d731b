"""The suite `team`: what an exchange of a team costs, and whether two hundred simulated machines lose anything.

It starts a PostgreSQL server of its own, and pgbouncer where that is installed. Begin with `team`; `exchange_costs` has
the loaded tables and the naive one beside them, `fleet` the machines, each worker of which is `fleet_worker`.
"""
