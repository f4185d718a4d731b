"""The MCP server: six tools over stdio or loopback HTTP, for any agent that speaks the protocol."""
