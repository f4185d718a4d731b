"""Setting up editors and agents: which are there, what goes into their files, and how it comes out again."""
