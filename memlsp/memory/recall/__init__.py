"""Answer questions from the stores of one workspace and record a receipt. It may import `judging` and the floor
`recall`. Begin with `recall`."""
