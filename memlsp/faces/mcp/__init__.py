"""The MCP server: eight tools, resources and prompts, over stdio or loopback HTTP, for any agent."""
