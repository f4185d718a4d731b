"""The MCP server: four tools over stdio or loopback HTTP, for any agent that speaks the protocol."""
