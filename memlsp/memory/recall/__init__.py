"""Answer questions from the stores of one workspace and record a receipt. It may import `judging`, `curation.revision`
and the top-level package `recall`. Begin with `recall`."""
