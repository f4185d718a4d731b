"""Recognises code that was rewritten and does the same: renamed, extracted, spelled in another way. The room imports
code, model and `beliefs.claims`. Begin reading in renamed_code.py, which decides what the other modules are asked."""
