"""Frozen values for the words of the design: beliefs, symbols, events, episodes and the answers of `Memory`. The
package imports nothing else of memlsp and does no I/O. Begin reading in belief.py and symbol.py."""
