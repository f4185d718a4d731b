"""The hooks of agents: one short process for each event, that never fails its agent."""
