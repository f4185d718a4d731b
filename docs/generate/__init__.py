"""Generators of the reference pages, of the setup pages, and of the extension's `wire.ts`; not in the wheel.

They may import the whole package, and nothing imports them but tests, which fail where a page lags behind. Begin with
`reference`.
"""
