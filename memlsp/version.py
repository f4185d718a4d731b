"""The version, in one place, importable without anything else."""

VERSION = "0.2.0"
