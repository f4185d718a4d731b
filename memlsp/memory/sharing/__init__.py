"""Beliefs that a team reviews as Markdown files of its repository, and what agents are told of them in their own files.
It may import `curation`, `judging` and everything below `memory`. Begin with `shared_beliefs`."""
