"""Has a model that the user names propose statements from recorded sessions. The command line finds it by its name."""
