"""The checks of `memlsp doctor`, which read and change nothing. They may import `ingest` and `transfer`. Begin with
`doctor`."""
