"""The workspace as it is on disk and in editors: identity, files, outlines, and changes as they happen.

The room may import `memlsp.code`, `capture.git` and `capture.redaction`; `workspace_cache` and `globs` are imported by
hooks and import nothing slow. Begin with `worktree`, the one class that the rooms above use.
"""
