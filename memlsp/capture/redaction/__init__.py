"""Redaction: secrets and ignored files are taken out of events before anything is stored or cut.

The room may import `capture.settings` and `capture.workspace.globs`, and nothing slow, since every hook runs it. Begin
with `redaction`; `tokens`, `assignments`, `prose`, `detectors` and `personal_data` each find one sort of secret.
"""
