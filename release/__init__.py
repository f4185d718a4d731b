"""What a release is made of, and the checks that it has to pass: `make release-dry-run`. Not in the wheel. Begin with
`dry_run.py`, which makes every artefact in one folder."""
