"""Thin adapters: protocol in, Memory call, protocol out."""
