"""The suite `corrections`: is what a person says once kept, and the rest of a prompt left alone? Begin with
`corrections`."""
