"""The agent tools over MCP: `server` offers them, `worker` does the long ones in a process."""
