"""Forget: erase rows, side files and copies, then search the files to prove that nothing is left. It may import
`transfer`, which knows the copies, `judging.places` and `recall.vectors`. Begin with `forgetting`."""
