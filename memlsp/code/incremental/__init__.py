"""Updates the outline of a file after an edit by reading only the definition that the edit touched.
It may import model and the rooms of code (languages, syntax, workspace). Begin with `edited_file.reparse_file`.
"""
