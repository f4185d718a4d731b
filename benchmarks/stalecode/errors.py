"""What can go wrong: the data is not of its form, or an adapter does not do its part.

StaleCodeError
+-- BadData         data is missing or not well formed
+-- AdapterFault    an adapter ended, was silent for too long, or said what is no answer
"""

from __future__ import annotations


class StaleCodeError(Exception):
    """Any of them; the text is for a person."""


class BadData(StaleCodeError):
    """Data is missing, or not well formed."""


class AdapterFault(StaleCodeError):
    """An adapter ended, was silent for too long, or said what is no answer."""
