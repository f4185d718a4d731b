"""The MCP server: eight tools and prompts for any agent, over stdio or loopback HTTP. It may import
`memlsp.memory`, `memlsp.model` and `faces.render`, and no other face. Begin with `protocol.py` (which request goes
where), then `calls.py` (one function a tool)."""
