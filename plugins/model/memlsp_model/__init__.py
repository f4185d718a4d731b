"""Has a model that the user names propose statements from recorded sessions. memlsp finds it by its entry point."""
