"""Thin adapters: each takes a protocol's request, calls the memory, and answers in the protocol's words.

A face may import every room below, and of the other faces `render`, which makes the texts that all of them show; the
command line may also start the others and run `setup`. Begin with the folder of the protocol: `lsp`, `mcp`, `hooks`,
`cli`, `web`.
"""
