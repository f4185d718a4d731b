"""Suites over real git histories: `refactorings`, `survival`, `onboarding`; and how much sentences about commits say.

They may import `memlsp.code`, `memlsp.capture` and `Memory`. Begin with `survival`; a suite's gold and the systems that
are compared stand in modules that begin with its name.
"""
