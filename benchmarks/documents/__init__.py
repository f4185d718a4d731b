"""What binds in files of instructions: the labelled lines, the score of a reader, and the weights made from them."""
