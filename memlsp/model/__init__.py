"""The ground floor: frozen values for the words of the design. Imports nothing of ours, does no I/O."""
