"""The work of a workspace: episodes, threads, handoffs, briefings, the timeline and differences. It may import
`judging` and everything below `memory`. Begin with `episodes`."""
