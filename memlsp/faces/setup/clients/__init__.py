"""One module for each agent, which says how to detect it and which entries go into which of its files. Modules import
the rest of `setup`; nothing but `memlsp.agents` names them. Begin with `client.py`."""
