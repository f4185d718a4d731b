"""The standing of a belief: what the code, as it is now, says of it. The room imports all others of beliefs except
contradiction. Begin reading in standing.py (`judge`), then location.py and anchor_changes.py."""
