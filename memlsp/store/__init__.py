"""The one place with SQL."""
