"""The suite `injection`: is an agent told what bears on a prompt, and nothing else?

Begin with `injection`; `train` makes the weights of `memlsp.memory.injection.relevance`.
"""
