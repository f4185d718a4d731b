"""Turns source text into symbols, fingerprints, symbol changes and one plain sentence.

The room is pure, text in and values out, and may import `model` alone. Begin with `syntax.outline` for one text and
`diff.comparison` for two.
"""
