"""Reading git: repositories, references, reflogs, and the files of commits and of differences; nothing is written.

May import the model, `code`, the store and `capture.workspace`. Begin with `repository`, which opens one everywhere;
`semantic_diff` makes `memlsp diff`, `lineage` decides about branches.
"""
